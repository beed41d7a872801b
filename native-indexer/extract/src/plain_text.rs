//! Text without marks: paragraphs by empty lines, pages by form feeds.

use super::document_writer::DocumentWriter;
use crate::extraction::Extraction;
use crate::left_out::LeftOut;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::borrow::Cow;

/// Reads a text file.
pub(super) fn extract(bytes: &[u8]) -> Extraction {
    let text = decode(bytes);
    let mut writer = DocumentWriter::default();
    let pages = text.matches('\u{c}').count() + 1;
    for (number, page) in (1..).zip(text.split('\u{c}')) {
        if pages > 1 {
            writer.mark("", &format!("page {number}"), "");
        }
        let mut paragraph = String::new();
        for line in page.lines().chain([""]) {
            if !line.trim().is_empty() {
                paragraph.push_str(line);
                paragraph.push('\n');
            } else if !paragraph.is_empty() {
                write(&mut writer, &std::mem::take(&mut paragraph));
            }
        }
    }
    let extracted = writer.finish(Vec::new());
    if extracted.text.is_empty() {
        return Extraction::LeftOut(LeftOut::Empty);
    }
    Extraction::Document(Box::new(extracted))
}

/// A paragraph, a list, or lines whose columns say something.
fn write(writer: &mut DocumentWriter, paragraph: &str) {
    let lines: Vec<&str> = paragraph.lines().collect();
    let is_aligned = |line: &&&str| line.trim().contains("   ") || line.contains('\t');
    if lines.len() > 1 && lines.iter().filter(is_aligned).count() * 2 > lines.len() {
        writer.code(paragraph);
        return;
    }
    let is_item = |line: &&str| line.trim_start().starts_with(['-', '*', '•']);
    if lines.iter().filter(|line| is_item(line)).count() < 2 {
        writer.paragraph(paragraph);
        return;
    }
    let mut item = String::new();
    for line in lines {
        if is_item(&line) && !item.is_empty() {
            writer.item(0, &std::mem::take(&mut item));
        }
        item.push_str(line.trim_start().trim_start_matches(['-', '*', '•']));
        item.push('\n');
    }
    writer.item(0, &item);
}

/// The text of `bytes`: UTF-8, UTF-16 with a mark of its order, else windows-1252.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => encoding.decode_without_bom_handling(&bytes[mark..]).0,
        None => match str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
        },
    }
}

/// Whether it cannot be text: UTF-16 has its mark, and no other text has zeros.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    let is_utf_16 = matches!(Encoding::for_bom(bytes), Some((encoding, _)) if encoding != UTF_8);
    !is_utf_16 && bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        match extract(bytes) {
            Extraction::Document(extracted) => extracted.text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn encodings_are_told_apart() {
        assert_eq!(text("größer".as_bytes()), "größer\n");
        assert_eq!(text(b"gr\xf6\xdfer \x96 5 \x80"), "größer – 5 €\n");
        let utf_16: Vec<u8> = "\u{feff}größer 😀".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(text(&utf_16), "größer 😀\n");
        assert!(is_binary(b"a\0b") && !is_binary(&utf_16));
    }

    #[test]
    fn paragraphs_lists_columns_and_pages_are_kept_apart() {
        let source = "One\ntwo.\n\n- a\n- b\n  c\n\nname   size\nx      12\n\n\u{c}Next page";
        let Extraction::Document(extracted) = extract(source.as_bytes()) else { panic!() };
        assert_eq!(extracted.text, "One two.\n\n- a\n- b c\n\n```\nname   size\nx      12\n```\n\nNext page\n");
        assert_eq!(extracted.marks.last().unwrap().label, "page 2");
    }

    #[test]
    fn an_empty_file_is_left_out() {
        assert_eq!(extract(b" \n\n"), Extraction::LeftOut(LeftOut::Empty));
    }
}
