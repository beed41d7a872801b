//! One sheet, row by row, as text.
//!
//! Rows are marked in groups that fit a chunk, so that a hit names them; the header goes with each group and is in the
//! text once.

use super::header::{ROWS_LOOKED_AT, context, header_row};
use crate::document_writer::DocumentWriter;

/// Rows of a sheet beyond this are not read.
pub(super) const MAX_ROWS: usize = 100_000;
/// Cells of a row beyond this are not read.
pub(super) const MAX_COLUMNS: usize = 1_000;
/// The most rows of a group.
const GROUP_ROWS: usize = 50;
/// Bytes of a group: about what the model reads at once.
const GROUP_BYTES: usize = 800;

/// Writes the rows of one sheet.
pub(super) struct RowWriter<'a> {
    writer: &'a mut DocumentWriter,
    /// The first rows, until it is known which is the header.
    first: Vec<(usize, Vec<String>)>,
    is_open: bool,
    context: String,
    group: Vec<(usize, Vec<String>)>,
    group_bytes: usize,
    rows: usize,
}

impl<'a> RowWriter<'a> {
    pub(super) const fn new(writer: &'a mut DocumentWriter) -> Self {
        Self {
            writer,
            first: Vec::new(),
            is_open: false,
            context: String::new(),
            group: Vec::new(),
            group_bytes: 0,
            rows: 0,
        }
    }

    /// Takes the row with this number, as people count; whether more are wanted.
    pub(super) fn push(&mut self, number: usize, mut cells: Vec<String>) -> bool {
        while cells.last().is_some_and(|cell| cell.trim().is_empty()) {
            cells.pop();
        }
        if cells.is_empty() {
            return true;
        }
        if self.rows == MAX_ROWS || self.writer.is_full() {
            return false;
        }
        self.rows += 1;
        if self.is_open {
            self.group(number, cells);
        } else {
            self.first.push((number, cells));
            if self.first.len() == ROWS_LOOKED_AT {
                self.open();
            }
        }
        true
    }

    /// Writes what is left; the number of rows.
    pub(super) fn finish(mut self) -> usize {
        self.open();
        self.end_group();
        self.rows
    }

    /// Writes the first rows, now that there are enough to tell the header.
    fn open(&mut self) {
        if std::mem::replace(&mut self.is_open, true) {
            return;
        }
        let first = std::mem::take(&mut self.first);
        let cells: Vec<Vec<String>> = first.iter().map(|(_, cells)| cells.clone()).collect();
        let header = header_row(&cells);
        for (place, (number, cells)) in first.into_iter().enumerate() {
            if header == Some(place) {
                // The rows above are text of their own, which the header ends.
                let context = context(&cells);
                self.group(number, cells);
                self.end_group();
                self.context = context;
            } else {
                self.group(number, cells);
            }
        }
    }

    fn group(&mut self, number: usize, cells: Vec<String>) {
        let bytes: usize = cells.iter().map(|cell| cell.len() + 3).sum();
        if self.group.len() == GROUP_ROWS || (self.group_bytes + bytes > GROUP_BYTES && !self.group.is_empty()) {
            self.end_group();
        }
        self.group_bytes += bytes;
        self.group.push((number, cells));
    }

    fn end_group(&mut self) {
        let group = std::mem::take(&mut self.group);
        self.group_bytes = 0;
        let (Some((first, _)), Some((last, _))) = (group.first(), group.last()) else { return };
        let label = if first == last { format!("row {first}") } else { format!("rows {first}–{last}") };
        self.writer.mark("", &label, &self.context);
        group.iter().for_each(|(_, cells)| self.writer.row(cells));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_the_header_with_them_and_not_in_them() {
        let mut writer = DocumentWriter::default();
        writer.heading(1, "Values");
        let mut rows = RowWriter::new(&mut writer);
        rows.push(1, vec!["Registry".into()]);
        rows.push(3, vec!["Name".into(), "Meaning".into()]);
        for number in 4..120 {
            rows.push(number, vec![format!("value{number}"), "a meaning that is long".into(), String::new()]);
        }
        assert_eq!(rows.finish(), 118);
        let extracted = writer.finish(Vec::new());
        let places: Vec<_> = extracted.marks.iter().map(|mark| (mark.label.as_str(), mark.context.as_str())).collect();
        assert_eq!(places[0], ("rows 1–3", ""));
        assert_eq!(places[1].1, "Name, Meaning");
        assert!(places[1].0.starts_with("rows 4–"), "{places:?}");
        assert_eq!(extracted.text.matches("Meaning").count(), 1);
    }

    #[test]
    fn more_rows_than_are_read_are_refused() {
        let mut writer = DocumentWriter::default();
        let mut rows = RowWriter::new(&mut writer);
        let taken = (0..MAX_ROWS + 5).take_while(|number| rows.push(*number, vec!["x".into()])).count();
        assert_eq!(taken, MAX_ROWS);
    }
}
