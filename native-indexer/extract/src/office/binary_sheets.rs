//! Checks the list of sheets in a binary workbook (`.xlsb`). The workbook reader fails if the list names parts that do
//! not exist. Betas of Excel 2007 wrote such lists.

use super::package::Package;
use crate::error::ExtractError;
use std::collections::BTreeSet;

const WORKBOOK: &str = "xl/workbook.bin";
/// The type of a sheet record, which contains the sheet's state, its number, and the identifier of its part.
const SHEET: u32 = 0x9c;
/// Number of bytes in a sheet record before the length of the identifier.
const BEFORE_IDENTIFIER: usize = 8;
/// The length that stands for a missing text.
const NO_TEXT: u32 = u32::MAX;

/// Whether all sheets in the workbook have a part.
pub(crate) fn are_known(bytes: &[u8]) -> Result<bool, ExtractError> {
    let mut package = Package::open(bytes)?;
    let Some(workbook) = package.part(WORKBOOK)? else { return Ok(true) };
    let known = package.relationships(WORKBOOK)?.into_iter().map(|relationship| relationship.id);
    Ok(is_list_known(&workbook, &known.collect()))
}

fn is_list_known(workbook: &[u8], known: &BTreeSet<String>) -> bool {
    let mut rest = workbook;
    while let Some((kind, record)) = next_record(&mut rest) {
        if kind == SHEET && !is_part_known(record, known) {
            return false;
        }
    }
    true
}

/// Whether a sheet record names a part in `known`, or no part.
fn is_part_known(record: &[u8], known: &BTreeSet<String>) -> bool {
    let Some(rest) = record.get(BEFORE_IDENTIFIER..) else { return false };
    let Some((length, text)) = rest.split_first_chunk::<4>() else { return false };
    let length = u32::from_le_bytes(*length);
    if length == NO_TEXT {
        return true;
    }
    let Some(text) = usize::try_from(length).ok().and_then(|length| text.get(..length.checked_mul(2)?)) else {
        return false;
    };
    let units: Vec<u16> = text.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    known.contains(&String::from_utf16_lossy(&units))
}

/// Removes the next record from `rest`, and returns its kind and content.
fn next_record<'a>(rest: &mut &'a [u8]) -> Option<(u32, &'a [u8])> {
    let kind = number(rest, 2)?;
    let length = number(rest, 4)? as usize;
    let (record, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some((kind, record))
}

/// Removes a number with up to `most` bytes from `rest`. Each byte contains seven bits, and a mark if another byte
/// follows.
fn number(rest: &mut &[u8], most: u32) -> Option<u32> {
    let mut number = 0;
    for place in 0..most {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= u32::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a sheet record with `between` between its number and its identifier.
    fn sheet(between: &[u8], id: &str) -> Vec<u8> {
        let mut record = [&[0; BEFORE_IDENTIFIER][..], between, &(id.len() as u32).to_le_bytes()].concat();
        id.encode_utf16().for_each(|unit| record.extend(unit.to_le_bytes()));
        [&[0x9c, 0x01, record.len() as u8][..], &record].concat()
    }

    #[test]
    fn sheets_need_a_part() {
        let known = BTreeSet::from(["rId1".to_owned()]);
        let other = [0x83, 0x01, 0x01, 0x00];
        let is_known = |records: &[&[u8]]| is_list_known(&records.concat(), &known);
        assert!(is_known(&[&other, &sheet(b"", "rId1"), &other]));
        assert!(!is_known(&[&other, &sheet(b"", "rId1"), &sheet(b"", "rId2")]));
        assert!(!is_known(&[&sheet(&[1, 0, 0, 0], "rId1")]), "as betas wrote it");
        assert!(!is_known(&[&[0x9c, 0x01, 1, 0]]));
    }

    proptest! {
        #[test]
        fn any_bytes_are_checked(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            is_list_known(&bytes, &BTreeSet::new());
        }
    }
}
