//! Merged cells in a sheet. The text is stored in the first cell of each range, and applies to all columns and rows in
//! the range.

use super::rows::MAX_COLUMNS;
use calamine::Dimensions;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of columns that repeat the text of a range.
const MAX_COPIES: usize = 100;
/// Maximum length in bytes of a text that is repeated. A longer text is not a label, and is written once.
const MAX_COPIED_BYTES: usize = 200;

/// The merged ranges of a sheet. Rows are filled while they are read, so that a range over a million rows costs
/// nothing.
#[derive(Debug, Default)]
pub(super) struct MergedCells {
    /// The last row and column of each range, by its first row and column.
    ranges: BTreeMap<(u32, u32), (u32, u32)>,
    /// Texts that continue below, by column, each with its last row.
    open: BTreeMap<usize, (u32, Rc<str>)>,
}

impl MergedCells {
    pub(super) fn of(ranges: impl IntoIterator<Item = Dimensions>) -> Self {
        let ranges = ranges.into_iter().filter(|range| range.start.0 < range.end.0 || range.start.1 < range.end.1);
        Self { ranges: ranges.map(|range| (range.start, range.end)).collect(), open: BTreeMap::new() }
    }

    /// Fills the cells that ranges cover in row `number`, starting at 0. The caller skips rows without text.
    pub(super) fn fill(&mut self, number: u32, row: &mut Vec<String>) {
        if self.ranges.is_empty() {
            return;
        }
        let own: Vec<usize> = (0..row.len()).filter(|column| !row[*column].is_empty()).collect();
        self.open.retain(|_, (last, _)| *last >= number);
        for (column, (_, text)) in &self.open {
            put(row, *column, text);
        }
        // Text that spans the whole width is a title, which is written once.
        let is_title = own == [0] && row.iter().filter(|text| !text.is_empty()).count() == 1;
        for column in own {
            let Some((last_row, last_column)) = self.ranges.get(&(number, column as u32)).copied() else { continue };
            if row[column].len() > MAX_COPIED_BYTES {
                continue;
            }
            let text: Rc<str> = row[column].as_str().into();
            let end = (last_column as usize).min(column + MAX_COPIES).min(MAX_COLUMNS - 1);
            for covered in column..=end {
                if !is_title {
                    put(row, covered, &text);
                }
                if last_row > number {
                    self.open.insert(covered, (last_row, Rc::clone(&text)));
                }
            }
        }
    }
}

/// Sets a cell to `text` if it is empty.
fn put(row: &mut Vec<String>, column: usize, text: &str) {
    if row.len() <= column {
        row.resize(column + 1, String::new());
    }
    if row[column].is_empty() {
        text.clone_into(&mut row[column]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Place = (u32, u32);

    fn merged(ranges: &[(Place, Place)]) -> MergedCells {
        MergedCells::of(ranges.iter().map(|(start, end)| Dimensions { start: *start, end: *end }))
    }

    fn filled(merged: &mut MergedCells, number: u32, row: &str) -> String {
        let mut row: Vec<String> = row.split(',').map(str::to_owned).collect();
        merged.fill(number, &mut row);
        row.join(",")
    }

    #[test]
    fn texts_are_repeated_in_all_rows_and_columns_of_their_range() {
        let mut sheet = merged(&[((0, 1), (0, 2)), ((0, 0), (1, 0)), ((2, 2), (3, 3)), ((5, 0), (5, 3))]);
        assert_eq!(filled(&mut sheet, 0, "Region,Year,,x"), "Region,Year,Year,x");
        assert_eq!(filled(&mut sheet, 1, ",Spring,Autumn"), "Region,Spring,Autumn");
        assert_eq!(filled(&mut sheet, 2, "North,1,both"), "North,1,both,both");
        assert_eq!(filled(&mut sheet, 3, "South,2"), "South,2,both,both");
        assert_eq!(filled(&mut sheet, 4, "West,3"), "West,3");
        assert_eq!(filled(&mut sheet, 5, "A title"), "A title");
    }

    #[test]
    fn a_range_over_a_whole_sheet_is_filled_only_where_rows_are_read() {
        let mut sheet = merged(&[((0, 1), (1_048_575, 16_383))]);
        assert_eq!(filled(&mut sheet, 0, "a,b").split(',').filter(|text| *text == "b").count(), MAX_COPIES + 1);
        assert_eq!(filled(&mut sheet, 700_000, "x"), filled(&mut sheet, 700_001, "x"));
        let long = "long".repeat(100);
        let mut sheet = merged(&[((0, 0), (3, 3))]);
        assert_eq!(filled(&mut sheet, 0, &format!("{long},")), format!("{long},"));
        assert_eq!(filled(&mut sheet, 1, ",x"), ",x");
    }
}
