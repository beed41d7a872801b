//! Embeds plain text in a Markdown document. The text keeps its lines, and none of them becomes a heading or a fence.

use crate::document_writer::is_markup;
use crate::extracted::{Extracted, Heading, Mark};

/// Maximum indentation of a heading or a fence.
const MAX_INDENT: usize = 3;

/// Returns `plain` with a backslash before text that would be read as Markdown.
pub(crate) fn literal(plain: &Extracted) -> Extracted {
    let mut text = String::with_capacity(plain.text.len());
    let mut inserted = Vec::new();
    let mut at = 0;
    for line in plain.text.split_inclusive('\n') {
        let indent = line.bytes().take_while(|byte| *byte == b' ').count();
        let (spaces, rest) = line.split_at(indent);
        text.push_str(spaces);
        if indent <= MAX_INDENT && is_markup(rest) {
            text.push('\\');
            inserted.push(at + indent);
        }
        text.push_str(rest);
        at += line.len();
    }
    let moved = |at: usize| at + inserted.partition_point(|place| *place < at);
    Extracted {
        text,
        headings: plain.headings.iter().map(|heading| Heading { at: moved(heading.at), ..heading.clone() }).collect(),
        marks: plain.marks.iter().map(|mark| Mark { at: moved(mark.at), ..mark.clone() }).collect(),
        blocks: plain.blocks.iter().map(|block| moved(*block)).collect(),
        notes: plain.notes.clone(),
        ..Extracted::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::Extraction;
    use crate::{markdown, plain_text};
    use proptest::prelude::*;

    fn read(text: &str) -> Option<Extracted> {
        match plain_text::extract(text) {
            Extraction::Document(plain) => Some(literal(&plain)),
            _ => None,
        }
    }

    #[test]
    fn lines_that_look_like_markdown_are_text() {
        let text = read("One\n```\n\n  # Pay now\n> # said\n#tag\n\n~~~\n").unwrap();
        assert_eq!(text.text, "One\n\\```\n\n  \\# Pay now\n> # said\n#tag\n\n\\~~~\n");
        let begin = |at: &usize| text.text[*at..].lines().next().unwrap();
        assert_eq!(text.blocks.iter().map(begin).collect::<Vec<_>>(), ["One", "  \\# Pay now", "\\~~~"]);
    }

    proptest! {
        #[test]
        fn headings_after_literal_text_are_read(text in "[#`~ a\n\u{c}]{0,60}") {
            let Some(text) = read(&text) else { return Ok(()) };
            prop_assert!(text.blocks.is_sorted() && text.blocks.iter().all(|at| text.text.is_char_boundary(*at)));
            let page = markdown::structure(&format!("{}\n\n# Next\n", text.text));
            prop_assert_eq!(page.headings.last().map(|heading| heading.title.as_str()), Some("Next"));
            prop_assert_eq!(page.headings.len(), 1);
        }
    }
}
