//! Counts the pages of a TIFF.

use std::collections::HashSet;

/// Maximum number of pages that are counted.
const MAX_PAGES: usize = 10_000;

/// Counts the pages of a TIFF, which are a linked list of directories. Returns 0 if `bytes` are not a TIFF. A circular
/// list is an error, because Tesseract would read its pages without end.
pub(super) fn pages(bytes: &[u8]) -> Result<usize, &'static str> {
    count(bytes).unwrap_or(Ok(0))
}

fn count(bytes: &[u8]) -> Option<Result<usize, &'static str>> {
    let is_little = match bytes.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let two: [u8; 2] = bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(usize::from(if is_little { u16::from_le_bytes(two) } else { u16::from_be_bytes(two) }))
    };
    let long = |at: usize| {
        let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if is_little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) } as usize)
    };
    let (mut seen, mut at) = (HashSet::new(), long(4)?);
    while at != 0 && seen.len() < MAX_PAGES {
        let Some(entries) = short(at) else { break };
        if !seen.insert(at) {
            return Some(Err("its list of pages leads back to itself"));
        }
        at = long(at + 2 + entries * 12).unwrap_or(0);
    }
    Some(Ok(seen.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn directories_are_counted() {
        // Two empty directories. The second ends the list.
        let little = b"II*\0\x08\0\0\0\0\0\x0e\0\0\0\0\0\0\0\0\0";
        assert_eq!(pages(little), Ok(2));
        assert_eq!(pages(b"MM\0*\0\0\0\x08\0\0\0\0\0\0"), Ok(1));
        assert!(pages(b"II*\0\x08\0\0\0\0\0\x08\0\0\0").is_err(), "a list that leads back");
        assert_eq!(pages(b"\x89PNG"), Ok(0));
    }

    proptest! {
        #[test]
        fn any_bytes_are_counted(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let all = [b"II*\0".as_slice(), &bytes].concat();
            prop_assert!(pages(&all).unwrap_or(0) <= all.len());
        }
    }
}
