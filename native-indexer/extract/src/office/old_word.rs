//! Reads Word 6 to 2003 files ([MS-DOC]). The pieces of the text are stored in the order in which they were saved, and
//! a table contains their reading order. Paragraph properties are stored in separate pages.

use super::code_pages;
use super::fields::counts_pages;
use super::little_endian::{number_16, number_32, slice};
use super::old_word_paragraphs::{Look, Looks};
use super::running_heads::without_page_numbers;
use super::story::PAGE_NUMBER;
use crate::compound_file::CompoundFile;
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use encoding_rs::WINDOWS_1252;
use std::collections::BTreeSet;

/// Maximum number of pieces.
const MAX_PIECES: usize = 500_000;
/// Maximum depth of nested fields.
const MAX_FIELDS: usize = 64;
/// Maximum length in bytes of the inspected part of a field's code.
const MAX_CODE_BYTES: usize = 64;
/// Maximum number of characters in a document.
const MAX_CHARS: usize = 16 << 20;

/// First version of the format with pieces in two encodings.
const WORD_97: u16 = 0xC1;
/// Version of Word 6, the oldest supported version.
const WORD_6: u16 = 0x65;
/// Flags: the text is encrypted, and the second of two tables belongs to the text.
const IS_ENCRYPTED: u16 = 0x0100;
const SECOND_TABLE: u16 = 0x0200;
/// Offset in the header of the lengths of the parts in characters: text, footnotes, headers, macros, comments, endnotes
/// and text boxes.
const LENGTHS: usize = 0x4C;
/// Offset in the header of the position and length of the list of pieces in the table.
const PIECES: usize = 0x1A2;
/// The parts with text for readers, in output order and with their headings. In the file, the order is document,
/// footnotes, headers, macros, comments, endnotes and text boxes.
const PARTS: [(usize, &str); 6] =
    [(0, ""), (1, ""), (5, ""), (6, ""), (4, "Comments"), (RUNNING_HEADS, "Headers and footers")];
const LENGTHS_OF_PARTS: usize = 7;
const RUNNING_HEADS: usize = 2;
/// Offsets in the header of Word's language and of the character set, and the Macintosh character set.
const LANGUAGE: usize = 0x06;
const CHARACTERS: usize = 0x14;
const OF_MACINTOSH: u16 = 256;
/// Flag of a piece with one byte per character.
const IS_NARROW: u32 = 1 << 30;

/// A character with its byte position in the file.
type Placed = (char, u32);

/// Reads a document.
pub(super) fn extract(file: &mut CompoundFile<'_>) -> Result<Extracted, ExtractError> {
    let main = file.stream_of_root("WordDocument")?;
    read(&main, |name| file.stream_of_root(name))
}

/// Reads the main stream. `table` returns a table stream by name.
fn read(main: &[u8], table: impl FnOnce(&str) -> Result<Vec<u8>, ExtractError>) -> Result<Extracted, ExtractError> {
    let damaged = || ExtractError::Damaged("the header of its text is cut off".to_owned());
    let version = number_16(main, 2).ok_or_else(damaged)?;
    let flags = number_16(main, 0x0A).ok_or_else(damaged)?;
    if flags & IS_ENCRYPTED != 0 {
        return Err(ExtractError::Encrypted);
    }
    if version < WORD_6 {
        return Err(ExtractError::OldOffice(".docx".to_owned()));
    }
    let mut writer = DocumentWriter::default();
    if version < WORD_97 {
        let start = number_32(main, 0x18).ok_or_else(damaged)?;
        let length = number_32(main, 0x34).ok_or_else(damaged)? as usize;
        let text = slice(main, start as usize, length.min(MAX_CHARS));
        let is_of_macintosh = number_16(main, CHARACTERS) == Some(OF_MACINTOSH);
        let encoding = code_pages::of_document(text, number_16(main, LANGUAGE).unwrap_or(0), is_of_macintosh);
        // Paragraph properties are not available.
        let text = encoding.decode_without_bom_handling(text).0;
        let text: Vec<Placed> = text.chars().map(|c| (c, start)).collect();
        Paragraphs::new(&mut writer, &Looks::default()).write(&text);
        return Ok(writer.finish(Vec::new()));
    }
    let table = table(if flags & SECOND_TABLE != 0 { "1Table" } else { "0Table" })?;
    let text = text(main, &table).ok_or_else(damaged)?;
    let looks = Looks::read(main, &table);
    let mut at: usize = 0;
    let parts: [&[Placed]; LENGTHS_OF_PARTS] = std::array::from_fn(|part| {
        let length = number_32(main, LENGTHS + 4 * part).unwrap_or(0) as usize;
        let start = at.min(text.len());
        at = at.saturating_add(length).min(text.len());
        &text[start..at]
    });
    let mut heading = String::new();
    for (part, own_heading) in PARTS {
        let of_part = parts[part];
        if !of_part.iter().any(|(c, _)| c.is_alphanumeric()) {
            continue;
        }
        writer.heading(1, own_heading);
        if part == RUNNING_HEADS {
            write_running_heads(&mut writer, of_part);
        } else {
            Paragraphs::new(&mut writer, &looks).write(of_part);
        }
        if part == 0 {
            heading = writer.first_heading();
        }
    }
    let is_cut = text.len() >= MAX_CHARS;
    let notes = is_cut.then(|| "only the first part of its text was read".to_owned()).into_iter().collect();
    Ok(Extracted { title: heading, ..writer.finish(notes) })
}

/// Returns the file's characters in reading order.
fn text(main: &[u8], table: &[u8]) -> Option<Vec<Placed>> {
    let list = slice(table, number_32(main, PIECES)? as usize, number_32(main, PIECES + 4)? as usize);
    let mut at = 0;
    // Lists of property changes precede the pieces.
    while list.get(at) == Some(&1) {
        at += 3 + usize::from(number_16(list, at + 1)?);
    }
    if list.get(at) != Some(&2) {
        return None;
    }
    let list = slice(list, at + 5, number_32(list, at + 1)? as usize);
    let pieces = list.len().checked_sub(4)? / 12;
    let mut text = Vec::new();
    for piece in 0..pieces.min(MAX_PIECES) {
        let (from, to) = (number_32(list, piece * 4)?, number_32(list, piece * 4 + 4)?);
        let length = (to.checked_sub(from)? as usize).min(MAX_CHARS - text.len());
        let place = number_32(list, (pieces + 1) * 4 + piece * 8 + 2)?;
        let start = place & !IS_NARROW;
        if place & IS_NARROW != 0 {
            text.extend(narrow(slice(main, start as usize / 2, length), start / 2));
        } else {
            let units = slice(main, start as usize, length.saturating_mul(2)).chunks_exact(2);
            let units = units.map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
            // Positions count UTF-16 units: a surrogate pair is a character and a placeholder.
            let mut place = start;
            for decoded in char::decode_utf16(units) {
                let c = decoded.unwrap_or('\u{fffd}');
                text.push((c, place));
                if c.len_utf16() == 2 {
                    text.push(('\0', place + 2));
                }
                place += 2 * c.len_utf16() as u32;
            }
        }
        if text.len() >= MAX_CHARS {
            text.truncate(MAX_CHARS);
            break;
        }
    }
    Some(text)
}

fn narrow(bytes: &[u8], start: u32) -> impl Iterator<Item = Placed> {
    let decoded = bytes.iter().map(|byte| {
        let one = [*byte];
        WINDOWS_1252.decode_without_bom_handling(&one).0.chars().next().unwrap_or('\u{fffd}')
    });
    decoded.zip(start..)
}

/// A field that is still open.
#[derive(Default)]
struct Field {
    code: String,
    has_result: bool,
    /// Whether the result is a page number, which is left out.
    is_number: bool,
}

/// Writes the lines of headers and footers, each once and without page numbers.
fn write_running_heads(writer: &mut DocumentWriter, text: &[Placed]) {
    let text = shown_with(text.iter().map(|(c, _)| *c), Some(PAGE_NUMBER));
    let mut seen = BTreeSet::new();
    for line in text.split(['\r', '\u{7}', '\u{c}', '\u{b}']) {
        let line = without_page_numbers(line);
        if !line.is_empty() && seen.insert(line.clone()) {
            writer.paragraph(&line);
        }
    }
}

/// Writes paragraphs and table rows.
struct Paragraphs<'w> {
    writer: &'w mut DocumentWriter,
    looks: &'w Looks,
    /// The finished cells of the open row, and the finished paragraphs of the open cell.
    row: Vec<String>,
    cell: Vec<String>,
}

impl<'w> Paragraphs<'w> {
    const fn new(writer: &'w mut DocumentWriter, looks: &'w Looks) -> Self {
        Self { writer, looks, row: Vec::new(), cell: Vec::new() }
    }

    fn write(&mut self, text: &[Placed]) {
        let mut paragraph = Vec::new();
        for (c, place) in text {
            match c {
                '\r' | '\u{7}' | '\u{c}' => {
                    // An unclosed field hides only the rest of its paragraph.
                    self.end_paragraph(&shown(paragraph.drain(..)), *c, self.looks.at(*place as usize));
                }
                _ if self.looks.hides(*place as usize) => {}
                _ => paragraph.push(*c),
            }
        }
        self.end_paragraph(&shown(paragraph.into_iter()), '\r', Look::default());
        self.end_row();
    }

    fn end_paragraph(&mut self, text: &str, end: char, look: Look) {
        if self.writer.is_full() || look.is_contents {
            return;
        }
        if end == '\u{7}' {
            // The mark at the end of a row has no text.
            let ends_row = if self.looks.is_empty() { text.is_empty() } else { look.ends_row };
            if ends_row {
                self.end_row();
            } else {
                self.cell.push(text.to_owned());
                self.row.push(std::mem::take(&mut self.cell).join(" "));
            }
            return;
        }
        if look.is_in_table {
            // The cell continues.
            self.cell.push(text.to_owned());
            return;
        }
        self.end_row();
        match look.level {
            Some(level) => self.writer.heading(level, text),
            None if look.is_item => self.writer.item(look.depth, text),
            None => self.writer.paragraph(text),
        }
    }

    fn end_row(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        row.extend(Some(std::mem::take(&mut self.cell).join(" ")).filter(|cell| !cell.is_empty()));
        self.writer.table_row(&row);
    }
}

/// Returns the visible text, without field codes and image placeholders.
fn shown(text: impl Iterator<Item = char>) -> String {
    shown_with(text, None)
}

/// Returns the visible text. `page_number`, if set, replaces the results of fields with page numbers.
fn shown_with(text: impl Iterator<Item = char>, page_number: Option<char>) -> String {
    let mut shown = String::new();
    let mut fields: Vec<Field> = Vec::new();
    // Number of fields with an unfinished code.
    let mut codes: usize = 0;
    for c in text {
        match c {
            '\u{13}' if fields.len() < MAX_FIELDS => {
                codes += 1;
                fields.push(Field::default());
            }
            '\u{14}' => {
                if let Some(field) = fields.last_mut().filter(|field| !field.has_result) {
                    field.has_result = true;
                    codes -= 1;
                    if codes == 0 && counts_pages(&field.code) {
                        shown.extend(page_number);
                        field.is_number = page_number.is_some();
                    }
                }
            }
            '\u{15}' => codes -= usize::from(fields.pop().is_some_and(|field| !field.has_result)),
            _ if codes > 0 => {
                if let Some(field) = fields.last_mut().filter(|field| field.code.len() < MAX_CODE_BYTES) {
                    field.code.push(c);
                }
            }
            _ if fields.last().is_some_and(|field| field.is_number) => {}
            '\u{b}' => shown.push('\n'),
            '\u{1e}' => shown.push('-'),
            '\u{a0}' => shown.push(' '),
            '\t' | '\r' | '\u{7}' | '\u{c}' => shown.push(c),
            c if (c as u32) < 0x20 => {}
            _ => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the main stream of a document with one piece per width, and its table.
    fn document(narrow: &str, wide: &str, lengths: &[(usize, usize)]) -> (Vec<u8>, Vec<u8>) {
        let mut main = vec![0; 0x400];
        let mut put = |at: usize, bytes: &[u8]| main[at..at + bytes.len()].copy_from_slice(bytes);
        put(2, &WORD_97.to_le_bytes());
        put(0x0A, &SECOND_TABLE.to_le_bytes());
        for (part, length) in lengths {
            put(LENGTHS + 4 * part, &(*length as u32).to_le_bytes());
        }
        let (first, second) = (narrow.chars().count() as u32, wide.encode_utf16().count() as u32);
        let mut table = vec![1, 2, 0, 9, 9, 2];
        table.extend(28u32.to_le_bytes());
        [0, first, first + second].iter().for_each(|at| table.extend(at.to_le_bytes()));
        for place in [(0x400 * 2) | IS_NARROW, 0x400 + first] {
            table.extend([0, 0]);
            table.extend(place.to_le_bytes());
            table.extend([0, 0]);
        }
        put(PIECES + 4, &(table.len() as u32).to_le_bytes());
        main.extend(narrow.chars().map(|c| c as u8));
        main.extend(wide.encode_utf16().flat_map(u16::to_le_bytes));
        (main, table)
    }

    fn text_of(main: &[u8], table: &[u8]) -> String {
        read(main, |_| Ok(table.to_vec())).unwrap().text
    }

    #[test]
    fn pieces_fields_and_rows_are_read() {
        let narrow = "Fees for \u{13} DATE \u{14}2024\u{15} and \u{13}PAGEREF x\u{15}more.\rName\u{7}Fee\u{7}\u{7}Pool\u{7}12\u{7}\u{7}";
        let wide = "größer 😀 Ω\rRef. 7\tPage \u{13}PAGE\u{14}3\u{15}\rWhy?\r";
        let all = narrow.chars().count() + wide.encode_utf16().count();
        let (heads, remark) = ("Ref. 7\tPage \u{13}PAGE\u{14}3\u{15}\r".chars().count(), 5);
        let (main, table) = document(narrow, wide, &[(0, all - heads - remark), (2, heads), (4, remark)]);
        assert_eq!(
            text_of(&main, &table),
            "Fees for 2024 and more.\n\n| Name | Fee |\n| Pool | 12 |\n\ngrößer 😀 Ω\n\n# Comments\n\nWhy?\n\n# Headers and footers\n\nRef. 7\n"
        );
    }

    #[test]
    fn documents_of_word_6_have_a_single_piece() {
        let mut main = vec![0; 0x300];
        main[2] = 0x68;
        main[0x18..0x1C].copy_from_slice(&0x300u32.to_le_bytes());
        main[0x34..0x38].copy_from_slice(&9u32.to_le_bytes());
        main.extend(b"One\rtw\xf6.\rnot text");
        assert_eq!(text_of(&main, &[]), "One\n\ntwö.\n");
    }

    #[test]
    fn encodings_of_word_6_are_detected() {
        let sentence = "Отчёт о продажах за третий квартал.";
        let text = encoding_rs::WINDOWS_1251.encode(sentence).0;
        for language in [0x0409u16, 0x0419] {
            let mut main = vec![0; 0x300];
            main[2] = 0x68;
            main[LANGUAGE..LANGUAGE + 2].copy_from_slice(&language.to_le_bytes());
            main[0x18..0x1C].copy_from_slice(&0x300u32.to_le_bytes());
            main[0x34..0x38].copy_from_slice(&(text.len() as u32).to_le_bytes());
            main.extend(&*text);
            assert_eq!(text_of(&main, &[]).trim_end(), sentence);
        }
    }

    #[test]
    fn encrypted_and_older_documents_are_refused() {
        let (mut main, table) = document("x", "", &[(0, 1)]);
        main[0x0B] |= 1;
        assert_eq!(read(&main, |_| Ok(table)), Err(ExtractError::Encrypted));
        assert!(read(&[], |_| Ok(Vec::new())).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            changes in prop::collection::vec((0usize..0x440, any::<u8>()), 0..20),
            of_table in prop::collection::vec((0usize..46, any::<u8>()), 0..6),
            rest in prop::collection::vec(any::<u8>(), 0..1200),
        ) {
            let (mut main, mut table) = document("Some text\rof pieces", "and more", &[(0, 27)]);
            main.extend(rest);
            for (streams, changes) in [(&mut main, changes), (&mut table, of_table)] {
                for (at, byte) in changes {
                    if let Some(place) = streams.get_mut(at) {
                        *place = byte;
                    }
                }
            }
            let _ = read(&main, |_| Ok(table));
        }
    }
}
