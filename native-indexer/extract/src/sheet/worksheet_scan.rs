//! Scans the XML of worksheets, without parsing it, for information that the cell reader ignores.

use crate::error::ExtractError;
use crate::office::Package;
use memchr::memmem;

/// Maximum number of bytes before a formula to search for the beginning of its cell.
const MAX_CELL_START: usize = 300;

/// The results for all worksheets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WorksheetScan {
    /// Whether any worksheet contains merged cells. Reading them requires parsing all worksheets once more.
    pub has_merged_cells: bool,
    /// Number of formulas without a computed value.
    pub formulas_without_values: usize,
}

impl WorksheetScan {
    pub(super) fn of(bytes: &[u8]) -> Result<Self, ExtractError> {
        let mut package = Package::open(bytes)?;
        let mut found = Self::default();
        for name in package.names("worksheets/") {
            let Some(sheet) = package.text(&name)? else { continue };
            let after = sheet.rfind("sheetData").unwrap_or(0);
            found.has_merged_cells |= sheet[after..].contains("mergeCell ");
            found.formulas_without_values += formulas_without_values(sheet.as_bytes());
        }
        Ok(found)
    }

    /// Returns a note about missing values.
    pub(super) fn note(self) -> Option<String> {
        let (formulas, have) = match self.formulas_without_values {
            0 => return None,
            1 => ("1 formula".to_owned(), "has no value"),
            number => (format!("{number} formulas"), "have no values"),
        };
        Some(format!("{formulas} {have}: open and save the file in Excel or LibreOffice"))
    }
}

/// Counts formulas without a value in their cell. Text cells may be empty.
fn formulas_without_values(sheet: &[u8]) -> usize {
    let (mut number, mut at) = (0, 0);
    while let Some(found) = memmem::find(&sheet[at..], b"<f").map(|found| at + found) {
        at = found + 2;
        if !matches!(sheet.get(at), Some(b'>' | b' ' | b'/')) {
            continue;
        }
        // A truncated sheet does not contain further complete cells.
        let Some(end) = memmem::find(&sheet[at..], b"</c>").map(|end| at + end) else { break };
        let start = found.saturating_sub(MAX_CELL_START);
        let start = memmem::rfind(&sheet[start..found], b"<c ").map_or(found, |back| start + back);
        let is_text = memmem::find(&sheet[start..found], br#"t="str""#).is_some();
        number += usize::from(!is_text && !has_value(&sheet[at..end]));
        at = end;
    }
    number
}

/// Whether a cell has a value, given its content after the beginning of its formula.
fn has_value(cell: &[u8]) -> bool {
    let Some(value) = memmem::find(cell, b"<v").map(|at| &cell[at + 2..]) else { return false };
    match memchr::memchr(b'>', value) {
        Some(end) => !value[..end].ends_with(b"/") && !value[end + 1..].starts_with(b"</"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_that_were_never_computed_are_counted() {
        let count = |cells: &str| formulas_without_values(cells.as_bytes());
        assert_eq!(count(r#"<c r="A1"><f>SUM(B1)</f><v>3</v></c><c r="A2"><f>1+1</f><v></v></c>"#), 1);
        assert_eq!(
            count(r#"<c r="A1"><f>1</f></c><c r="A2"><f t="shared" si="0"/><v/></c><c r="A3"><f/><v /></c>"#),
            3
        );
        assert_eq!(count(r#"<c r="A1" t="str"><f>IF(B1,"")</f><v></v></c><c r="B1"><v>1</v></c>"#), 0);
        assert_eq!(count("<f>not closed"), 0);
        assert_eq!(count(&"<f ".repeat(100_000)), 0);
    }

    #[test]
    fn the_note_explains_what_to_do() {
        let note =
            |formulas_without_values| WorksheetScan { formulas_without_values, ..WorksheetScan::default() }.note();
        assert_eq!(note(0), None);
        assert_eq!(note(1).unwrap(), "1 formula has no value: open and save the file in Excel or LibreOffice");
        assert_eq!(note(12).unwrap(), "12 formulas have no values: open and save the file in Excel or LibreOffice");
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_number_of_formulas(bytes in "(<f>|<f/>|<c |</c>|<v>|<v/>|</v>|t=\"str\"|[a-z<>/]){0,30}") {
            let _ = formulas_without_values(bytes.as_bytes());
        }
    }
}
