//! Writes a document's text: paragraphs, items and table rows, with notes below them.

use super::letters::Letters;
use crate::document_writer::DocumentWriter;
use crate::words::one_line;

/// Maximum number of cells in a row. Further cells are left out.
const MAX_CELLS: usize = 256;
/// The outline level of text. Lower levels are headings.
const LEVEL_OF_TEXT: usize = 9;

/// The properties of a paragraph.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Paragraph {
    pub style: Option<i32>,
    pub outline_level: Option<usize>,
    pub list_level: usize,
    pub is_in_table: bool,
}

/// The document so far, and the letters that are not written yet.
#[derive(Debug, Default)]
pub(super) struct Story {
    pub writer: DocumentWriter,
    pub text: Letters,
    /// The number or bullet of an item.
    pub mark: Letters,
    pub note: Letters,
    notes: Vec<String>,
    cells: Vec<String>,
}

impl Story {
    /// Ends a note.
    pub(super) fn end_note(&mut self) {
        let note = self.note.take();
        self.notes.push(note);
    }

    pub(super) fn end_cell(&mut self) {
        let text = self.text.take();
        let mark = self.mark.take();
        if self.cells.len() < MAX_CELLS {
            self.cells.push(one_line(&format!("{mark} {text}")));
        }
    }

    pub(super) fn end_row(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        self.writer.row(&cells);
        self.write_notes();
    }

    /// Ends a paragraph. `of_style` is the heading level if the paragraph's style is a heading style.
    pub(super) fn end_paragraph(&mut self, paragraph: Paragraph, of_style: Option<usize>) {
        if !self.cells.is_empty() {
            self.end_row();
        }
        let text = self.text.take();
        let mark = one_line(&self.mark.take());
        let is_number = mark.chars().any(char::is_alphanumeric);
        let numbered = if is_number { format!("{mark} {text}") } else { text };
        let of_outline = paragraph.outline_level.filter(|level| *level < LEVEL_OF_TEXT).map(|level| level + 1);
        match of_style.or(of_outline) {
            Some(level) => self.writer.heading(level, &numbered),
            None if !mark.is_empty() => self.writer.item(paragraph.list_level, &numbered),
            None => self.writer.paragraph(&numbered),
        }
        self.write_notes();
    }

    fn write_notes(&mut self) {
        for note in std::mem::take(&mut self.notes) {
            self.writer.paragraph(&note);
        }
    }
}
