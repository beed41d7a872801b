//! Tracks a table's columns while its rows are read, to decide whether a row after an empty row belongs to the table.

use super::cell_text::is_number;

/// The numbers of cells in a table's rows, and the types of cells in its columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    kinds: Vec<Kinds>,
    /// The minimum and maximum number of cells in a row, ignoring remarks, if there are other rows.
    widths: Option<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kinds {
    has_numbers: bool,
    has_texts: bool,
}

impl Kinds {
    fn of(cell: &str) -> Self {
        let has_numbers = is_number(cell);
        Self { has_numbers, has_texts: !has_numbers && cell.chars().any(char::is_alphabetic) }
    }

    /// Returns whether two columns have no type of cells in common, or `None` if the type of either is unknown.
    fn differ(self, other: Self) -> Option<bool> {
        let is_known = |kinds: Self| kinds.has_numbers || kinds.has_texts;
        let has_common = self.has_numbers && other.has_numbers || self.has_texts && other.has_texts;
        (is_known(self) && is_known(other)).then_some(!has_common)
    }
}

impl Columns {
    /// Adds a row of the table.
    pub(super) fn take(&mut self, row: &[String]) {
        if is_remark(row) {
            return;
        }
        let (fewest, most) = self.widths.unwrap_or((row.len(), row.len()));
        self.widths = Some((fewest.min(row.len()), most.max(row.len())));
        if self.kinds.len() < row.len() {
            self.kinds.resize(row.len(), Kinds::default());
        }
        for (kinds, cell) in self.kinds.iter_mut().zip(row) {
            let of_cell = Kinds::of(cell);
            kinds.has_numbers |= of_cell.has_numbers;
            kinds.has_texts |= of_cell.has_texts;
        }
    }

    /// Whether `row` hardly belongs to this table with columns called `names`. Such a row is wider or narrower than all
    /// rows of the table, or half of its cells have types that differ from those of their columns.
    pub(super) fn differ(&self, row: &[String], names: &[String]) -> bool {
        let Some((fewest, most)) = self.widths.filter(|_| !is_remark(row)) else { return false };
        if !(fewest..=most.max(names.len())).contains(&row.len()) {
            return true;
        }
        let compared: Vec<bool> =
            self.kinds.iter().zip(row).filter_map(|(kinds, cell)| kinds.differ(Kinds::of(cell))).collect();
        let different = compared.iter().filter(|is_different| **is_different).count();
        different > 0 && different * 2 >= compared.len()
    }

    /// Whether only remarks were added.
    pub(super) const fn is_empty(&self) -> bool {
        self.widths.is_none()
    }
}

/// Whether a row is a remark or a label, which is a single cell.
fn is_remark(row: &[String]) -> bool {
    row.iter().filter(|cell| !cell.trim().is_empty()).nth(1).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_widths_or_types_are_in_another_table() {
        let row = |row: &str| row.split('|').map(str::to_owned).collect::<Vec<_>>();
        let names = row("Region|Q1|Q2|Note");
        let mut columns = Columns::default();
        assert!(columns.is_empty() && !columns.differ(&row("Person|Role|City"), &names));
        columns.take(&row("North|1|2"));
        columns.take(&row("A remark"));
        for other in ["Person|Role|City", "Person|Role", "a|1|2|x|y", "1|2|3|4|5"] {
            assert!(columns.differ(&row(other), &names), "{other}");
        }
        for own in ["Total|3|4", "Total||4", "South|n/a|4", "South|-|4|closed", "Another remark"] {
            assert!(!columns.differ(&row(own), &names), "{own}");
        }
    }
}
