//! Writes a document's text as Markdown, with the positions of headings, blocks and marks.
//!
//! The text of documents is hostile, so a paragraph that begins like a heading or a fence is escaped.

use crate::extracted::{Extracted, Heading, Mark};
use crate::words::{fence, one_line};
use std::collections::BTreeSet;

/// Maximum length of a document's text in bytes.
const MAX_TEXT_BYTES: usize = 32 << 20;
/// Minimum number of columns in a table with column names. A table with fewer columns is understandable without names,
/// and is often a form.
const MIN_NAMED_COLUMNS: usize = 3;
/// Maximum number of characters in a column name.
const MAX_NAME_CHARS: usize = 60;
/// Maximum number of characters in a heading. Longer headings are paragraphs in large type.
const MAX_TITLE_CHARS: usize = 200;

/// Writes a document.
#[derive(Debug, Default)]
pub(super) struct DocumentWriter {
    extracted: Extracted,
    /// Anchor of the current place, which its headings get.
    anchor: String,
    /// The open table or list, if the last block is a row or an item. The next row or item follows without an empty
    /// line.
    open: Option<Open>,
    /// Number of columns that the last row names, or 0 if it does not name columns.
    named: usize,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    List,
    Table,
}

impl DocumentWriter {
    /// Whether the document is full, so that further text is dropped.
    pub(super) const fn is_full(&self) -> bool {
        self.is_cut
    }

    /// Begins another place in the document. `anchor` is its address in a viewer, which may be empty, and `label` is
    /// its name for people. `context` is stored with the text of the place.
    pub(super) fn mark(&mut self, anchor: &str, label: &str, context: &str) {
        self.end_block();
        self.mark_here(anchor, label, context);
    }

    /// Begins another place in a table, which continues.
    pub(super) fn mark_rows(&mut self, label: &str, context: &str) {
        self.mark_here("", label, context);
    }

    fn mark_here(&mut self, anchor: &str, label: &str, context: &str) {
        anchor.clone_into(&mut self.anchor);
        let mark = Mark {
            at: self.extracted.text.len(),
            anchor: anchor.to_owned(),
            label: one_line(&clean(label)),
            context: one_line(&clean(context)),
        };
        // A place without text is dropped.
        if self.extracted.marks.last().is_some_and(|last| last.at == mark.at) {
            self.extracted.marks.pop();
        }
        self.extracted.marks.push(mark);
    }

    /// Writes a heading of `level`, starting at 1.
    pub(super) fn heading(&mut self, level: usize, title: &str) {
        let title = one_line(&clean(title));
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

    /// Continues the section of an earlier heading.
    #[cfg(feature = "formats")]
    pub(super) fn resume(&mut self, level: usize, title: &str) {
        self.end_block();
        if !self.is_cut {
            let (at, anchor) = (self.extracted.text.len(), self.anchor.clone());
            let level = level.clamp(1, 6) as u8;
            self.extracted.headings.push(Heading { at, level, title: one_line(&clean(title)), anchor });
        }
    }

    /// Writes a paragraph. White space is reduced as in [`clean`].
    pub(super) fn paragraph(&mut self, text: &str) {
        let text = clean(text);
        if !text.is_empty() {
            self.block(&escaped(&text));
        }
    }

    /// Writes a list item. `depth` is the number of lists around its list.
    pub(super) fn item(&mut self, depth: usize, text: &str) {
        let text = clean(text);
        if !text.is_empty() {
            self.line(Open::List, &format!("{}- {}", "  ".repeat(depth.min(8)), escaped(&text)));
        }
    }

    /// Writes an item in a numbered list with its `number`, such as `3.`, `3.a` or `§ 3`.
    pub(super) fn numbered_item(&mut self, depth: usize, number: &str, text: &str) {
        let number = clean(number);
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        if number.is_empty() || clean(text).is_empty() {
            self.item(depth, text);
        } else if (1..10).contains(&digits) && matches!(&number[digits..], "." | ")") {
            self.line(Open::List, &format!("{}{number} {}", "  ".repeat(depth.min(8)), clean(text)));
        } else {
            // Markdown does not recognize other numbers, so they are part of the text.
            self.item(depth, &format!("{number} {text}"));
        }
    }

    /// Writes a code block.
    pub(super) fn code(&mut self, text: &str) {
        let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        let text = text.trim_matches('\n').trim_end();
        if !text.is_empty() {
            let fence = fence(text);
            self.block(&format!("{fence}\n{text}\n{fence}"));
        }
    }

    /// Writes a table row without empty cells at its end.
    pub(super) fn row<S: AsRef<str>>(&mut self, cells: &[S]) {
        let (row, _) = row_text(cells);
        if !row.is_empty() {
            self.line(Open::Table, &row);
        }
    }

    /// Writes a table row. If the table's first row looks like column names, it becomes the header.
    pub(super) fn table_row<S: AsRef<str>>(&mut self, cells: &[S]) {
        if self.open != Some(Open::Table) {
            let may_name = cells.len() >= MIN_NAMED_COLUMNS && are_names(cells);
            self.row(cells);
            self.named = if may_name { cells.len() } else { 0 };
            return;
        }
        let columns = std::mem::take(&mut self.named);
        let filled = cells.iter().filter(|cell| !cell.as_ref().trim().is_empty()).count();
        if columns > 0 && filled * 2 >= columns {
            self.push(&format!("|{}\n", " --- |".repeat(columns)));
        }
        self.row(cells);
    }

    /// Begins a table with a header row, which names the columns.
    pub(super) fn names<S: AsRef<str>>(&mut self, cells: &[S]) {
        self.end_block();
        let (row, columns) = row_text(cells);
        if !row.is_empty() {
            self.line(Open::Table, &format!("{row}\n|{}", " --- |".repeat(columns)));
        }
    }

    /// Ends the table, so that the next row begins another table.
    pub(super) fn end_table(&mut self) {
        self.end_block();
    }

    /// Returns the document's title according to its headings so far: see [`Extracted::first_heading`].
    #[cfg(feature = "formats")]
    pub(super) fn first_heading(&self) -> String {
        self.extracted.first_heading()
    }

    /// Whether only headings were written so far.
    pub(super) fn has_headings_alone(&self) -> bool {
        self.extracted.blocks.len() == self.extracted.headings.len()
    }

    /// Appends to the last paragraph, which continues after a mark.
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

    /// Embeds another document with its headings, blocks and marks, such as a chapter or an attachment.
    pub(super) fn embed(&mut self, part: &Extracted) {
        self.end_block();
        let at = self.extracted.text.len();
        self.push(part.text.trim_end());
        // The text may have been cut.
        let length = self.extracted.text.len() - at;
        self.push("\n\n");
        self.extracted.blocks.extend(part.blocks.iter().filter(|block| **block < length).map(|block| at + block));
        let headings = part.headings.iter().filter(|heading| heading.at < length).cloned();
        self.extracted.headings.extend(headings.map(|heading| Heading { at: at + heading.at, ..heading }));
        for mark in part.marks.iter().filter(|mark| mark.at < length) {
            self.extracted.marks.pop_if(|last| last.at == at + mark.at);
            self.extracted.marks.push(Mark { at: at + mark.at, ..mark.clone() });
        }
    }

    /// Returns the document with `notes` for a report on the parts that could not be read.
    pub(super) fn finish(mut self, notes: Vec<String>) -> Extracted {
        self.end_block();
        let mut extracted = self.extracted;
        let length = extracted.text.trim_end().len();
        extracted.text.truncate(length);
        if length > 0 {
            extracted.text.push('\n');
        }
        extracted.marks.retain(|mark| mark.at < length);
        extracted.headings.retain(|heading| heading.at < length);
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
        if self.extracted.text.len() > at {
            self.extracted.blocks.push(at);
        }
    }

    /// Writes a list item or a table row on a line. Each line begins a block, so that long lists and tables can be cut
    /// between lines.
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

    /// Appends `text`, or the part of it that does not exceed the limit.
    fn push(&mut self, text: &str) {
        if self.is_cut {
            return;
        }
        let room = MAX_TEXT_BYTES.saturating_sub(self.extracted.text.len());
        self.is_cut = text.len() > room;
        self.extracted.text.push_str(&text[..text.floor_char_boundary(room)]);
    }
}

/// Whether all `cells` may name columns: they are short and distinct, and neither numbers nor form labels.
fn are_names<S: AsRef<str>>(cells: &[S]) -> bool {
    let texts: BTreeSet<&str> = cells.iter().map(|cell| cell.as_ref().trim()).collect();
    let is_name = |text: &&str| {
        text.contains(char::is_alphabetic) && !text.ends_with(':') && text.chars().count() <= MAX_NAME_CHARS
    };
    texts.len() == cells.len() && texts.iter().all(is_name)
}

/// Returns a row as Markdown, and its number of columns. The text is empty if all cells are empty.
fn row_text<S: AsRef<str>>(cells: &[S]) -> (String, usize) {
    let mut cells: Vec<String> = cells.iter().map(|cell| clean(cell.as_ref()).replace('|', "\\|")).collect();
    while cells.last().is_some_and(String::is_empty) {
        cells.pop();
    }
    let row = if cells.is_empty() { String::new() } else { format!("| {} |", cells.join(" | ")) };
    (row, cells.len())
}

/// Removes control characters, and reduces each run of white space to one space, or to one tab if it contains a tab.
pub(super) fn clean(text: &str) -> String {
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

/// Escapes a paragraph that would be a heading or a fence in Markdown.
fn escaped(text: &str) -> String {
    if is_markup(text) { format!("\\{text}") } else { text.to_owned() }
}

/// Whether a line that begins with `text` is a heading or a fence in Markdown.
pub(super) fn is_markup(text: &str) -> bool {
    let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
    let is_heading = (1..=6).contains(&hashes) && text[hashes..].chars().next().is_none_or(char::is_whitespace);
    is_heading || text.starts_with("```") || text.starts_with("~~~")
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
        writer.heading(1, " A\n \u{1b}title\u{0} ");
        writer.paragraph("# no heading\u{1}");
        writer.item(0, "one");
        writer.item(1, "two");
        writer.numbered_item(0, "3.", "three");
        writer.numbered_item(1, "3.a", "four");
        writer.numbered_item(0, "#", "five");
        writer.numbered_item(0, "4.", " ");
        writer.row(&["a|b", "", "c", ""]);
        writer.mark("page=2", "p.\u{1b} ii", "\u{7}in");
        writer.heading(2, "More");
        writer.paragraph("It goes");
        writer.mark("page=3", "", "");
        writer.append("on here.");
        let extracted = writer.finish(Vec::new());
        let text = "# A title\n\n\\# no heading\n\n- one\n  - two\n3. three\n  - 3.a four\n- \\# five\n\n| a\\|b |  | c |\n\n## More\n\nIt goes on here.\n";
        assert_eq!(extracted.text, text);
        let at = |mark: &Mark| extracted.text[mark.at..].trim_start().split('\n').next().unwrap().to_owned();
        let marks: Vec<_> = extracted.marks.iter().map(|mark| (mark.anchor.as_str(), at(mark))).collect();
        assert_eq!(
            marks,
            [("page=1", "# A title".into()), ("page=2", "## More".into()), ("page=3", "on here.".into())]
        );
        assert_eq!(extracted.headings[1].anchor, "page=2");
        assert_eq!(extracted.headings[0].title, "A title");
        assert_eq!((extracted.marks[1].label.as_str(), extracted.marks[1].context.as_str()), ("p. ii", "in"));
    }

    #[test]
    fn the_first_row_of_a_table_names_its_columns_if_it_may() {
        let text = |rows: &[&str]| {
            let mut writer = DocumentWriter::default();
            for row in rows {
                writer.table_row(&row.split(',').collect::<Vec<_>>());
            }
            writer.finish(Vec::new()).text
        };
        assert_eq!(
            text(&["Name,Size,Color", "a,1,red", "b,2,blue"]),
            "| Name | Size | Color |\n| --- | --- | --- |\n| a | 1 | red |\n| b | 2 | blue |\n"
        );
        for form in
            [["Name,Jane", "Age,42"], ["Name:,Jane,Age:", "City:,Rome,Job:"], ["a,1,2", "b,3,4"], ["x,x,y", "1,2,3"]]
        {
            assert!(!text(&form).contains("---"), "{form:?}");
        }
        assert!(!text(&["Name,Size,Color", "a remark"]).contains("---"));
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
