//! Writes a sheet as text, row by row.
//!
//! A table becomes a Markdown table with the names of its columns, below a heading if it has a label. Rows are divided
//! into groups that fit into a chunk, and marked with their numbers, which are shown with a hit. The column names are
//! written once, and also stored with each group.

use super::columns::Columns;
use super::header::{Begins, ROWS_LOOKED_AT, begins_table, context, header_row, label};
use crate::document_writer::DocumentWriter;

/// Maximum number of rows in a sheet.
pub(super) const MAX_ROWS: usize = 100_000;
/// Maximum number of cells in a row.
pub(super) const MAX_COLUMNS: usize = 1_000;
/// Maximum number of rows in a group.
const GROUP_ROWS: usize = 50;
/// Maximum length of a group in bytes. The model reads about as much at once.
const GROUP_BYTES: usize = 800;
/// Level of headings for labels of tables, below the heading of the sheet.
const LABEL_LEVEL: usize = 2;

/// A row with its number in the sheet, starting at 1.
type Row = (usize, Vec<String>);

/// Writes the rows of one sheet.
pub(super) struct RowWriter<'a> {
    writer: &'a mut DocumentWriter,
    /// The first rows, until the header is known.
    first: Vec<Row>,
    is_open: bool,
    /// Rows that may begin another table.
    held: Vec<Row>,
    /// Number of the row before the held rows.
    before_held: usize,
    names: Vec<String>,
    context: String,
    /// The columns of the rows below `names`.
    columns: Columns,
    /// Whether the group is separated from the table above it.
    is_parted: bool,
    /// The table that begins with the group: the number of its first row, and its label.
    begun: Option<(usize, Option<String>)>,
    group: Vec<Row>,
    group_bytes: usize,
    rows: usize,
}

impl<'a> RowWriter<'a> {
    pub(super) fn new(writer: &'a mut DocumentWriter) -> Self {
        Self {
            writer,
            first: Vec::new(),
            is_open: false,
            held: Vec::new(),
            before_held: 0,
            names: Vec::new(),
            context: String::new(),
            columns: Columns::default(),
            is_parted: false,
            begun: None,
            group: Vec::new(),
            group_bytes: 0,
            rows: 0,
        }
    }

    /// Adds the row with this number, starting at 1. Returns whether more rows are accepted.
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
            self.hold((number, cells));
        } else {
            self.first.push((number, cells));
            if self.first.len() == ROWS_LOOKED_AT {
                self.open();
            }
        }
        true
    }

    /// Writes all pending rows, and returns the number of rows.
    pub(super) fn finish(mut self) -> usize {
        self.open();
        let is_apart = self.held.first().is_some_and(|(number, _)| *number > self.before_held + 1);
        if is_apart && self.held.iter().any(|(_, cells)| self.columns.differ(cells, &self.names)) {
            self.end_table();
        }
        for row in std::mem::take(&mut self.held) {
            self.group(row);
        }
        self.end_group();
        self.rows
    }

    /// Writes the first rows, once there are enough to find the header.
    fn open(&mut self) {
        if std::mem::replace(&mut self.is_open, true) {
            return;
        }
        let mut first = std::mem::take(&mut self.first);
        let cells: Vec<Vec<String>> = first.iter().map(|(_, cells)| cells.clone()).collect();
        let first_number = first.first().map_or(0, |(number, _)| *number);
        if let Some(header) = header_row(&cells) {
            let mut above: Vec<Row> = first.drain(..=header).collect();
            let Some(names) = above.pop() else { return };
            let is_near = |(number, _): &Row| *number == first_number || number + 1 == names.0;
            let title = above.pop_if(|row| label(&row.1, &names.1).is_some() && is_near(row));
            above.into_iter().for_each(|row| self.group(row));
            self.begin_table(title, names);
        }
        first.into_iter().for_each(|row| self.hold(row));
    }

    /// Adds a row that may begin another table.
    fn hold(&mut self, row: Row) {
        self.held.push(row);
        while let Some((number, _)) = self.held.first() {
            let is_apart = *number > self.before_held + 1;
            match begins_table(&self.held, is_apart, &self.names, &self.columns) {
                Begins::Perhaps => return,
                begins @ (Begins::No | Begins::Unsure) => {
                    if begins == Begins::Unsure {
                        self.end_table();
                    }
                    let row = self.held.remove(0);
                    self.group(row);
                }
                Begins::Yes { is_labelled } => {
                    let title = is_labelled.then(|| self.held.remove(0));
                    let names = self.held.remove(0);
                    self.begin_table(title, names);
                }
            }
        }
    }

    /// Begins a table with these column names, below a row that may be its label.
    fn begin_table(&mut self, title: Option<Row>, (number, names): Row) {
        self.end_group();
        let first = title.as_ref().map_or(number, |(first, _)| *first);
        self.begun = Some((first, title.and_then(|(_, cells)| label(&cells, &names))));
        self.context = context(&names);
        self.names.clone_from(&names);
        self.group((number, names));
        self.columns = Columns::default();
    }

    /// Ends a table, because its names may not apply to the following rows.
    fn end_table(&mut self) {
        self.end_group();
        self.names.clear();
        self.context.clear();
        self.columns = Columns::default();
        self.is_parted = true;
    }

    fn group(&mut self, (number, cells): Row) {
        self.before_held = number;
        let bytes: usize = cells.iter().map(|cell| cell.len() + 3).sum();
        if self.group.len() == GROUP_ROWS || (self.group_bytes + bytes > GROUP_BYTES && !self.group.is_empty()) {
            self.end_group();
        }
        self.group_bytes += bytes;
        self.columns.take(&cells);
        self.group.push((number, cells));
    }

    fn end_group(&mut self) {
        let group = std::mem::take(&mut self.group);
        self.group_bytes = 0;
        let (Some((first, _)), Some((last, _))) = (group.first(), group.last()) else { return };
        let is_parted = std::mem::take(&mut self.is_parted);
        let Some((first, title)) = self.begun.take() else {
            let place = place(*first, *last);
            if is_parted {
                self.writer.mark("", &place, &self.context);
            } else {
                self.writer.mark_rows(&place, &self.context);
            }
            group.iter().for_each(|(_, cells)| self.writer.row(cells));
            return;
        };
        self.writer.mark("", &place(first, *last), &self.context);
        if let Some(title) = title {
            self.writer.heading(LABEL_LEVEL, &title);
        }
        self.writer.names(&self.names);
        group.iter().skip(1).for_each(|(_, cells)| self.writer.row(cells));
    }
}

/// Returns the label for a range of rows.
fn place(first: usize, last: usize) -> String {
    if first == last { format!("row {first}") } else { format!("rows {first}–{last}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_the_header_as_context_but_not_in_their_text() {
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
        assert!(places[0].0.starts_with("rows 1–") && places[1].0.starts_with("rows 2"), "{places:?}");
        assert!(places.iter().all(|(_, names)| *names == "Name, Meaning"));
        assert!(extracted.text.starts_with("# Values\n\n## Registry\n\n| Name | Meaning |\n| --- | --- |\n| value4 |"));
        assert_eq!(extracted.text.matches("\n\n").count(), 2, "one table: {}", extracted.text);
    }

    #[test]
    fn each_table_of_a_sheet_has_its_label_and_names() {
        let mut writer = DocumentWriter::default();
        writer.heading(1, "Results");
        let mut rows = RowWriter::new(&mut writer);
        let sheet = [
            (1, "Analyses"),
            (2, "In millions|||June 2023"),
            (3, "|Sales|Profit|Loss|Tax"),
            (4, "Europe|9467|1570|3|1"),
            (5, "Asia|9060|2068|4|1"),
            (6, "In millions|||June 2022"),
            (7, "|Sales|Profit|Loss|Tax"),
            (8, "Europe|9283|1606|5|1"),
            (9, "(a) A remark"),
            (12, "Zone|Staff|Offices"),
            (13, "Europe|12|3"),
        ];
        for (number, cells) in sheet {
            rows.push(number, cells.split('|').map(str::to_owned).collect());
        }
        rows.finish();
        let extracted = writer.finish(Vec::new());
        assert_eq!(
            extracted.text,
            "# Results\n\n| Analyses |\n\n## In millions, June 2023\n\n|  | Sales | Profit | Loss | Tax |\n| --- | --- | --- | --- | --- |\n| Europe | 9467 | 1570 | 3 | 1 |\n| Asia | 9060 | 2068 | 4 | 1 |\n\n## In millions, June 2022\n\n|  | Sales | Profit | Loss | Tax |\n| --- | --- | --- | --- | --- |\n| Europe | 9283 | 1606 | 5 | 1 |\n| (a) A remark |\n\n| Zone | Staff | Offices |\n| --- | --- | --- |\n| Europe | 12 | 3 |\n"
        );
        let labels: Vec<_> = extracted.marks.iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!(labels, ["row 1", "rows 2–5", "rows 6–9", "rows 12–13"]);
    }

    /// Returns the text of a sheet, and the column names that are stored with each group.
    fn written(sheet: &[(usize, &str)]) -> (String, Vec<String>) {
        let mut writer = DocumentWriter::default();
        let mut rows = RowWriter::new(&mut writer);
        for (number, cells) in sheet {
            rows.push(*number, cells.split('|').map(str::to_owned).collect());
        }
        rows.finish();
        let extracted = writer.finish(Vec::new());
        (extracted.text, extracted.marks.into_iter().map(|mark| mark.context).collect())
    }

    #[test]
    fn a_lower_table_of_texts_has_its_own_names() {
        let sheet = [
            (1, "Region|Q1|Q2"),
            (2, "North|1|2"),
            (3, "South|3|4"),
            (5, "Staff"),
            (6, "Person|Role|City"),
            (7, "Ada|Boss|Rome"),
            (8, "Bob|Clerk|Oslo"),
        ];
        let (text, names) = written(&sheet);
        assert_eq!(names, ["Region, Q1, Q2", "Person, Role, City"]);
        assert!(text.ends_with(
            "\n\n## Staff\n\n| Person | Role | City |\n| --- | --- | --- |\n| Ada | Boss | Rome |\n| Bob | Clerk | Oslo |\n"
        ));
    }

    #[test]
    fn rows_that_differ_from_a_table_do_not_get_its_names() {
        let table = [(1, "Region|Q1|Q2"), (2, "North|1|2"), (3, "South|3|4")];
        let with = |lower: &[(usize, &str)]| written(&[table.as_slice(), lower].concat());
        let (text, names) = with(&[(5, "Person|Role|City"), (6, "Ada|Boss|Rome"), (7, "Bob|Clerk|Oslo")]);
        assert_eq!(names, ["Region, Q1, Q2", ""]);
        assert!(text.ends_with(
            "| South | 3 | 4 |\n\n| Person | Role | City |\n| Ada | Boss | Rome |\n| Bob | Clerk | Oslo |\n"
        ));
        assert_eq!(with(&[(5, "Staff"), (6, "Person|Role|City")]).1, ["Region, Q1, Q2", ""], "at the end");
        assert_eq!(with(&[(5, "Total|4|6"), (6, "A remark")]).1, ["Region, Q1, Q2"]);
        assert_eq!(with(&[(4, "Closed|n/a|soon")]).1, ["Region, Q1, Q2"], "no empty row");
    }

    #[test]
    fn more_rows_than_are_read_are_refused() {
        let mut writer = DocumentWriter::default();
        let mut rows = RowWriter::new(&mut writer);
        let taken = (0..MAX_ROWS + 5).take_while(|number| rows.push(*number, vec!["x".into()])).count();
        assert_eq!(taken, MAX_ROWS);
    }
}
