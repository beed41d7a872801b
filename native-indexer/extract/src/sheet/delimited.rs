//! Reads values separated by commas, semicolons, tabs or bars.

use super::rows::{MAX_COLUMNS, MAX_ROWS, RowWriter};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use std::collections::BTreeMap;

/// Possible delimiters. Those that are rarer in values come first.
const DELIMITERS: [u8; 4] = [b'\t', b';', b'|', b','];
/// Number of rows to inspect for detecting the delimiter.
const ROWS_LOOKED_AT: usize = 20;
/// Number of bytes to inspect. An unclosed quotation mark turns all remaining text into a single row.
const BYTES_LOOKED_AT: usize = 64 << 10;

/// Reads a file of rows.
pub(crate) fn extract(text: &str) -> Result<Extracted, ExtractError> {
    let text = text.trim_start_matches('\u{feff}');
    let (said, text) = said_delimiter(text);
    let mut reader = reader(text, said.unwrap_or_else(|| delimiter(text)));
    let mut writer = DocumentWriter::default();
    let mut rows = RowWriter::new(&mut writer);
    let mut notes = Vec::new();
    // The record is reused. Copies would each have the capacity for the widest row.
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

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(delimiter).has_headers(false).flexible(true).from_reader(text.as_bytes())
}

/// Returns the delimiter that the first line declares, such as `sep=;` in files from Excel, and the remaining rows.
fn said_delimiter(text: &str) -> (Option<u8>, &str) {
    let (first, rest) = text.split_once(['\n', '\r']).unwrap_or((text, ""));
    let said = first.trim_matches('"');
    let said = said.get(..4).filter(|start| start.eq_ignore_ascii_case("sep=")).map(|_| &said[4..]);
    let is_delimiter = |byte: &u8| byte.is_ascii_punctuation() && *byte != b'"' || matches!(byte, b'\t' | b' ');
    match said.map(str::as_bytes) {
        Some([byte]) if is_delimiter(byte) => (Some(*byte), rest.strip_prefix('\n').unwrap_or(rest)),
        _ => (None, text),
    }
}

/// Detects the delimiter of `text`. The result is the delimiter that yields the most rows of equal width. Titles and
/// notes around a table are narrower, and quoted delimiters are ignored.
fn delimiter(text: &str) -> u8 {
    let start = &text[..text.floor_char_boundary(BYTES_LOOKED_AT)];
    let steady = |delimiter: u8| {
        let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
        let rows = reader(start, delimiter).into_byte_records().take(ROWS_LOOKED_AT);
        // If all other cells are empty, the delimiter only ends lines.
        let is_parted = |row: &csv::ByteRecord| row.iter().filter(|cell| !cell.is_empty()).nth(1).is_some();
        for row in rows.filter_map(Result::ok).filter(is_parted) {
            *widths.entry(row.len()).or_default() += 1;
        }
        widths.into_values().max().unwrap_or(0)
    };
    // The comma is last, because commas occur in numbers.
    let counts = DELIMITERS.map(|delimiter| (steady(delimiter), delimiter));
    let most = counts.iter().map(|(count, _)| *count).max().unwrap_or(0);
    counts.into_iter().find(|(count, _)| *count == most && most > 0).map_or(b',', |(_, delimiter)| delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_encoding::decode;

    #[test]
    fn delimiters_are_detected_by_widths_of_rows() {
        assert_eq!(delimiter("a;b;c\n1,5;2,5;3\n"), b';');
        assert_eq!(delimiter("a\tb\n\"x, y\"\tz\n"), b'\t');
        assert_eq!(delimiter("one\ntwo\n"), b',');
        assert_eq!(delimiter(""), b',');
        assert_eq!(delimiter("a,b;\nc,d;\n"), b',');
        assert_eq!(delimiter("1,5;2,5\n3,5;4,5\n"), b';');
        assert_eq!(delimiter("id,tags\n1,x;y\n2,x;y;z\n3,x\n"), b',');
        assert_eq!(delimiter("a|b\r1, 2|x\r3, 4|y"), b'|');
    }

    #[test]
    fn breaks_in_quotes_titles_and_notes_do_not_hide_the_delimiter() {
        assert_eq!(delimiter("Name;Preis;Ort\nA;1,50;B\n\"Ein; zwei\";2,00;\"Zeile\neins, zwei\nund drei\"\n"), b';');
        assert_eq!(delimiter("Sales, north, and south\n\nName;Size\na;1\nb;2\n\nSource: a, b, and c\n"), b';');
        assert_eq!(delimiter("# made by hand\nname\tsize, kg\na, b\t1\n"), b'\t');
        assert_eq!(delimiter("\"a\n;;\n;;\n;;\",b\n\"c\",d\n"), b',');
        assert_eq!(delimiter(&format!("a;b\n\"{}", "x,y\n".repeat(100_000))), b';');
    }

    #[test]
    fn the_first_line_may_declare_the_delimiter() {
        let text = |text: &str| extract(text).unwrap();
        let rows = text("sep=;\r\nName;Preis\r\nKegel;3\r\nBall;4,5\r\n");
        assert_eq!(rows.text, "| Name | Preis |\n| --- | --- |\n| Kegel | 3 |\n| Ball | 4,5 |\n");
        assert_eq!(rows.marks[0].label, "rows 1–3");
        assert_eq!(text("\u{feff}SEP=\t\na,b\tc").text, "| a,b | c |\n");
        assert_eq!(text("\"sep=,\"\na;b,c;d,e;f").text, "| a;b | c;d | e;f |\n");
        assert_eq!(text("sep=^\ra^b\rc^d").text, "| a | b |\n| c | d |\n");
        assert_eq!(text("sep=;").text, "");
        assert_eq!(text("sep=none,b\nc,d").text, "| sep=none | b |\n| c | d |\n");
    }

    #[test]
    fn delimiters_are_detected_in_all_encodings() {
        let source = "\u{feff}Name;Preis;Ort\nWürfel;1,50;Köln\n\"Ein; zwei\";2,00;\"Zeile\neins\"\n";
        let rows = "| Name | Preis | Ort |\n| --- | --- | --- |\n| Würfel | 1,50 | Köln |\n| Ein; zwei | 2,00 | Zeile eins |\n";
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = source.encode_utf16().flat_map(to_bytes).collect();
            assert_eq!(extract(&decode(&bytes).0).unwrap().text, rows);
        }
        let latin = decode(b"Name;Preis\nKug\xe9l;4\n").0;
        assert_eq!(extract(&latin).unwrap().text, "| Name | Preis |\n| Kugél | 4 |\n");
    }

    #[test]
    fn rows_are_a_table() {
        let extracted = extract("name,size\n\"a, b\",1\nc,2,3\n").unwrap();
        assert_eq!(extracted.text, "| name | size |\n| --- | --- |\n| a, b | 1 |\n| c | 2 | 3 |\n");
        assert_eq!(extracted.marks[0].context, "name, size");
    }
}
