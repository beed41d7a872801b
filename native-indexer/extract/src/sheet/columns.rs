//! The columns of a table as its rows so far have them, to tell whether a row below an empty one is one of them.

use super::cell_text::is_number;

/// How far the rows of a table go, and of which kinds their cells are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    kinds: Vec<Kinds>,
    /// The fewest and most cells of a row, if there is one that has more than a remark.
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

    /// Whether nothing of one is in the other; `None` if one has none.
    fn differ(self, other: Self) -> Option<bool> {
        let is_known = |kinds: Self| kinds.has_numbers || kinds.has_texts;
        let has_common = self.has_numbers && other.has_numbers || self.has_texts && other.has_texts;
        (is_known(self) && is_known(other)).then_some(!has_common)
    }
}

impl Columns {
    /// Takes a row of the table.
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

    /// Whether `row` is hardly one of this table, whose columns have these `names`: it is wider or narrower than any, or half
    /// of its cells are texts below numbers or the other way round.
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

    /// Whether no row but remarks was taken.
    pub(super) const fn is_empty(&self) -> bool {
        self.widths.is_none()
    }
}

/// A row of one cell is a remark or a label, of any table.
fn is_remark(row: &[String]) -> bool {
    row.iter().filter(|cell| !cell.trim().is_empty()).nth(1).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_widths_or_kinds_are_of_another_table() {
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
