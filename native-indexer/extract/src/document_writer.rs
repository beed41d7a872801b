//! Writes the text of a document as it is read: Markdown, with the places of headings, blocks and marks.
//!
//! Text of documents is hostile: a paragraph that begins like a heading or a fence is kept from becoming one.

use crate::extracted::{Extracted, Heading, Mark};
use crate::words::{fence, one_line};

/// More text than this of one document is not kept.
const MAX_TEXT_BYTES: usize = 32 << 20;
/// Longer titles are paragraphs set in large type.
const MAX_TITLE_CHARS: usize = 200;

/// Writes one document.
#[derive(Debug, Default)]
pub(super) struct DocumentWriter {
    extracted: Extracted,
    /// Where headings lead.
    anchor: String,
    /// Whether the last block is a row of a table, a list item: the next one follows without an empty line.
    open: Option<Open>,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    List,
    Table,
}

impl DocumentWriter {
    /// Whether no more text is kept.
    pub(super) const fn is_full(&self) -> bool {
        self.is_cut
    }

    /// From here on text is at another place: an address of a viewer, may be empty, and what people call the place.
    pub(super) fn mark(&mut self, anchor: &str, label: &str, context: &str) {
        self.end_block();
        anchor.clone_into(&mut self.anchor);
        let mark = Mark {
            at: self.extracted.text.len(),
            anchor: anchor.to_owned(),
            label: label.to_owned(),
            context: context.to_owned(),
        };
        // A place without text is of no use.
        if self.extracted.marks.last().is_some_and(|last| last.at == mark.at) {
            self.extracted.marks.pop();
        }
        self.extracted.marks.push(mark);
    }

    /// A heading of `level`, from 1.
    pub(super) fn heading(&mut self, level: usize, title: &str) {
        let title = one_line(title);
        if title.is_empty() {
            return;
        }
        if title.chars().count() > MAX_TITLE_CHARS {
            self.paragraph(&title);
            return;
        }
        let level = level.clamp(1, 6);
        self.end_block();
        let at = self.extracted.text.len();
        self.push(&format!("{} {title}\n\n", "#".repeat(level)));
        if !self.is_cut {
            self.extracted.blocks.push(at);
            let anchor = self.anchor.clone();
            self.extracted.headings.push(Heading { at, level: level as u8, title, anchor });
        }
    }

    /// A paragraph; white space runs are one space, but for tabs, which part cells.
    pub(super) fn paragraph(&mut self, text: &str) {
        let text = clean(text);
        if !text.is_empty() {
            self.block(&escaped(&text));
        }
    }

    /// An item of a list, `depth` lists inside others.
    pub(super) fn item(&mut self, depth: usize, text: &str) {
        let text = clean(text);
        if !text.is_empty() {
            self.line(Open::List, &format!("{}- {}", "  ".repeat(depth.min(8)), escaped(&text)));
        }
    }

    /// Lines that are kept as they are.
    pub(super) fn code(&mut self, text: &str) {
        let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        let text = text.trim_matches('\n').trim_end();
        if !text.is_empty() {
            let fence = fence(text);
            self.block(&format!("{fence}\n{text}\n{fence}"));
        }
    }

    /// A row of a table; empty cells at its end are left out.
    pub(super) fn row<S: AsRef<str>>(&mut self, cells: &[S]) {
        let mut cells: Vec<String> = cells.iter().map(|cell| clean(cell.as_ref()).replace('|', "\\|")).collect();
        while cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        if cells.iter().any(|cell| !cell.is_empty()) {
            self.line(Open::Table, &format!("| {} |", cells.join(" | ")));
        }
    }

    /// Appends to the paragraph that was written last: it went on after something else.
    pub(super) fn append(&mut self, text: &str) {
        let text = clean(text);
        let end = self.extracted.text.trim_end_matches('\n').len();
        if end == 0 || text.is_empty() {
            self.paragraph(&text);
            return;
        }
        self.extracted.text.truncate(end);
        // A mark after the paragraph is inside it now.
        for mark in self.extracted.marks.iter_mut().rev().take_while(|mark| mark.at > end) {
            mark.at = end;
        }
        self.push(&format!(" {text}\n\n"));
    }

    /// Text that was made elsewhere, with its headings, blocks and marks: a chapter, an attachment.
    pub(super) fn embed(&mut self, part: &Extracted) {
        self.end_block();
        let at = self.extracted.text.len();
        self.push(part.text.trim_end());
        if self.is_cut {
            return;
        }
        self.push("\n\n");
        self.extracted.blocks.extend(part.blocks.iter().map(|block| at + block));
        let moved = part.headings.iter().cloned();
        self.extracted.headings.extend(moved.map(|heading| Heading { at: at + heading.at, ..heading }));
        for mark in &part.marks {
            self.extracted.marks.pop_if(|last| last.at == at + mark.at);
            self.extracted.marks.push(Mark { at: at + mark.at, ..mark.clone() });
        }
    }

    /// The document, with `notes` on what could not be read of it.
    pub(super) fn finish(mut self, notes: Vec<String>) -> Extracted {
        self.end_block();
        let mut extracted = self.extracted;
        let length = extracted.text.trim_end().len();
        extracted.text.truncate(length);
        if length > 0 {
            extracted.text.push('\n');
        }
        extracted.marks.retain(|mark| mark.at < length);
        extracted.notes = notes;
        if self.is_cut {
            extracted.notes.push(format!("only its first {} MB of text were read", MAX_TEXT_BYTES >> 20));
        }
        extracted
    }

    fn block(&mut self, text: &str) {
        self.end_block();
        let at = self.extracted.text.len();
        self.push(&format!("{text}\n\n"));
        if !self.is_cut {
            self.extracted.blocks.push(at);
        }
    }

    /// A line of a list or table. Each begins a block: long ones are cut between lines.
    fn line(&mut self, kind: Open, text: &str) {
        if self.open != Some(kind) {
            self.end_block();
        }
        let at = self.extracted.text.len();
        self.push(&format!("{text}\n"));
        if !self.is_cut {
            self.extracted.blocks.push(at);
            self.open = Some(kind);
        }
    }

    fn end_block(&mut self) {
        if self.open.take().is_some() {
            self.push("\n");
        }
    }

    fn push(&mut self, text: &str) {
        if self.extracted.text.len() + text.len() > MAX_TEXT_BYTES {
            self.is_cut = true;
        }
        if !self.is_cut {
            self.extracted.text.push_str(text);
        }
    }
}

/// Without control characters; white space runs to one space, or to one tab where there is one.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = None;
    for c in text.chars() {
        if c.is_whitespace() {
            space = if c == '\t' || space == Some('\t') { Some('\t') } else { Some(' ') };
        } else if !c.is_control() && c != '\u{fffd}' && c != '\u{feff}' {
            if let Some(space) = space.take().filter(|_| !out.is_empty()) {
                out.push(space);
            }
            out.push(c);
        }
    }
    out
}

/// Keeps a paragraph from being read as a heading, a fence or a rule of Markdown.
fn escaped(text: &str) -> String {
    let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
    let is_heading = (1..=6).contains(&hashes) && text[hashes..].chars().next().is_none_or(char::is_whitespace);
    if is_heading || text.starts_with("```") || text.starts_with("~~~") { format!("\\{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown;
    use proptest::prelude::*;

    #[test]
    fn blocks_are_markdown() {
        let mut writer = DocumentWriter::default();
        writer.mark("page=1", "", "");
        writer.heading(1, " A\n title ");
        writer.paragraph("# no heading\u{1}");
        writer.item(0, "one");
        writer.item(1, "two");
        writer.row(&["a|b", "", "c", ""]);
        writer.mark("page=2", "p. ii", "");
        writer.heading(2, "More");
        writer.paragraph("It goes");
        writer.mark("page=3", "", "");
        writer.append("on here.");
        let extracted = writer.finish(Vec::new());
        let text = "# A title\n\n\\# no heading\n\n- one\n  - two\n\n| a\\|b |  | c |\n\n## More\n\nIt goes on here.\n";
        assert_eq!(extracted.text, text);
        let at = |mark: &Mark| extracted.text[mark.at..].trim_start().split('\n').next().unwrap().to_owned();
        let marks: Vec<_> = extracted.marks.iter().map(|mark| (mark.anchor.as_str(), at(mark))).collect();
        assert_eq!(
            marks,
            [("page=1", "# A title".into()), ("page=2", "## More".into()), ("page=3", "on here.".into())]
        );
        assert_eq!(extracted.headings[1].anchor, "page=2");
    }

    proptest! {
        #[test]
        fn headings_are_those_that_were_written(texts in prop::collection::vec("[#`~|\\- a-c\t\n]{0,12}", 0..8)) {
            let mut writer = DocumentWriter::default();
            writer.heading(2, "Only");
            for text in &texts {
                writer.paragraph(text);
                writer.row(&[text]);
            }
            let extracted = writer.finish(Vec::new());
            prop_assert!(extracted.blocks.is_sorted());
            prop_assert!(extracted.blocks.iter().all(|at| extracted.text.is_char_boundary(*at)));
            prop_assert_eq!(extracted.headings.len(), 1);
            let as_page = markdown::structure(&extracted.text);
            let titles: Vec<_> = as_page.headings.iter().map(|heading| heading.title.as_str()).collect();
            prop_assert!(titles.first() == Some(&"Only"));
        }
    }
}
