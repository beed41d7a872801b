//! Text without marks. It keeps its lines, so that a line is found where the file has it; paragraphs end at empty lines,
//! pages at form feeds.

use crate::extracted::{Extracted, Mark};
use crate::extraction::Extraction;
use crate::left_out::LeftOut;
use crate::terminal_codes::without_codes;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::borrow::Cow;

/// Reads a text file.
pub(super) fn extract(bytes: &[u8]) -> Extraction {
    let text = decode(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let pages = text.matches('\u{c}').count() + 1;
    let mut extracted = Extracted::default();
    for (number, page) in (1..).zip(text.split('\u{c}')) {
        if pages > 1 {
            let at = extracted.text.len();
            // A page without text is of no use.
            extracted.marks.pop_if(|last| last.at == at);
            let label = format!("page {number}");
            extracted.marks.push(Mark { at, anchor: String::new(), label, context: String::new() });
        }
        let mut after_empty = true;
        for line in page.split_inclusive('\n') {
            let line = without_codes(line);
            let is_empty = line.trim().is_empty();
            if after_empty && !is_empty {
                extracted.blocks.push(extracted.text.len());
            }
            after_empty = is_empty;
            extracted.text.extend(line.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')));
        }
    }
    if extracted.text.trim().is_empty() {
        return Extraction::LeftOut(LeftOut::Empty);
    }
    if !extracted.text.ends_with('\n') {
        extracted.text.push('\n');
    }
    let end = extracted.text.len();
    extracted.marks.retain(|mark| mark.at < end);
    Extraction::Document(Box::new(extracted))
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
    fn lines_stay_and_paragraphs_and_pages_are_known() {
        let source = "\u{feff}One\r\n  two.\r\n\r\n# - a\n\n\n  name   size\u{1b}[0m\n\u{c}Next page";
        let Extraction::Document(extracted) = extract(source.as_bytes()) else { panic!() };
        assert_eq!(extracted.text, "One\n  two.\n\n# - a\n\n\n  name   size\nNext page\n");
        let begin = |at: &usize| extracted.text[*at..].split_whitespace().next().unwrap().to_owned();
        assert_eq!(extracted.blocks.iter().map(begin).collect::<Vec<_>>(), ["One", "#", "name", "Next"]);
        assert!(extracted.headings.is_empty());
        assert_eq!(extracted.marks.last().unwrap().label, "page 2");
    }

    #[test]
    fn an_empty_file_is_left_out() {
        assert_eq!(extract(b" \n\n"), Extraction::LeftOut(LeftOut::Empty));
    }
}
