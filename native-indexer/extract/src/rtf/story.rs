//! The text of a document as it is written: paragraphs, items, rows of tables, and notes below them.

use super::letters::Letters;
use crate::document_writer::DocumentWriter;
use crate::words::one_line;

/// Wider tables are cut.
const MAX_CELLS: usize = 256;
/// Outline levels from this on are text.
const LEVEL_OF_TEXT: usize = 9;

/// What a paragraph is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Paragraph {
    pub style: Option<i32>,
    pub outline_level: Option<usize>,
    pub list_level: usize,
    pub is_in_table: bool,
}

/// What is written, and the letters that are still to be.
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
    /// A note is complete.
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

    /// A paragraph is complete, whose style is that of a heading of a level, if it is.
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
