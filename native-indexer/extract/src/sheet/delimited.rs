//! Values between commas, semicolons, tabs or bars.

use super::rows::{MAX_COLUMNS, MAX_ROWS, RowWriter};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::plain_text::decode;

/// What may part values.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Lines in which the delimiter is looked for.
const LINES_LOOKED_AT: usize = 20;

/// Reads a file of rows.
pub(crate) fn extract(bytes: &[u8]) -> Result<Extracted, ExtractError> {
    let text = decode(bytes);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(&text))
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut writer = DocumentWriter::default();
    let mut rows = RowWriter::new(&mut writer);
    let mut notes = Vec::new();
    // One record for all: a copy of each would have room for as many values as the widest.
    let mut record = csv::StringRecord::new();
    for number in 1.. {
        let is_read = reader.read_record(&mut record).map_err(|error| ExtractError::Damaged(error.to_string()))?;
        if !is_read {
            break;
        }
        let cells = record.iter().take(MAX_COLUMNS).map(str::to_owned).collect();
        if !rows.push(number, cells) {
            notes.push(format!("only its first {MAX_ROWS} rows were read"));
            break;
        }
    }
    rows.finish();
    Ok(writer.finish(notes))
}

/// What parts the values of `text`: what is in its first lines as often in one as in the other.
fn delimiter(text: &str) -> u8 {
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).take(LINES_LOOKED_AT).collect();
    let counts = |delimiter: u8| lines.iter().map(move |line| line.bytes().filter(|byte| *byte == delimiter).count());
    let steady = |delimiter: &u8| {
        let least = counts(*delimiter).min().unwrap_or(0);
        let same = counts(*delimiter).filter(|count| Some(*count) == counts(*delimiter).next()).count();
        (least.min(1), same, least)
    };
    DELIMITERS.into_iter().rev().max_by_key(steady).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_told_by_lines() {
        assert_eq!(delimiter("a;b;c\n1,5;2,5;3\n"), b';');
        assert_eq!(delimiter("a\tb\n\"x, y\"\tz\n"), b'\t');
        assert_eq!(delimiter("one\ntwo\n"), b',');
    }

    #[test]
    fn rows_are_a_table() {
        let extracted = extract(b"name,size\n\"a, b\",1\nc,2,3\n").unwrap();
        assert_eq!(extracted.text, "| name | size |\n\n| a, b | 1 |\n| c | 2 | 3 |\n");
        assert_eq!(extracted.marks[1].context, "name, size");
    }
}
