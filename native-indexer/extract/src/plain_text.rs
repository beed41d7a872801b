//! Reads plain text. Lines are kept, so that line numbers stay the same as in the file. Paragraphs end at empty lines,
//! and pages end at form feeds.

use crate::extracted::{Extracted, Mark};
use crate::extraction::Extraction;
use crate::left_out::LeftOut;
use crate::terminal_codes::without_codes;

/// Reads a text file.
pub(super) fn extract(text: &str) -> Extraction {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    let pages = text.matches('\u{c}').count() + 1;
    let mut extracted = Extracted::default();
    for (number, page) in (1..).zip(text.split('\u{c}')) {
        if pages > 1 {
            let at = extracted.text.len();
            // Pages without text get no mark.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_and_paragraphs_and_pages_are_marked() {
        let source = "\u{feff}One\r\n  two.\r\n\r\n# - a\n\n\n  name   size\u{1b}[0m\n\u{c}Next page";
        let Extraction::Document(extracted) = extract(source) else { panic!() };
        assert_eq!(extracted.text, "One\n  two.\n\n# - a\n\n\n  name   size\nNext page\n");
        let begin = |at: &usize| extracted.text[*at..].split_whitespace().next().unwrap().to_owned();
        assert_eq!(extracted.blocks.iter().map(begin).collect::<Vec<_>>(), ["One", "#", "name", "Next"]);
        assert!(extracted.headings.is_empty());
        assert_eq!(extracted.marks.last().unwrap().label, "page 2");
    }

    #[test]
    fn an_empty_file_is_left_out() {
        assert_eq!(extract(" \n\n"), Extraction::LeftOut(LeftOut::Empty));
    }
}
