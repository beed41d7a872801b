//! How many pages a TIFF has.

/// Pages beyond this are not counted.
const MAX_PAGES: usize = 10_000;

/// The pages of a TIFF, as its directories tell, which form a list; 0 if `bytes` are none.
pub(super) fn pages(bytes: &[u8]) -> usize {
    count(bytes).unwrap_or(0)
}

fn count(bytes: &[u8]) -> Option<usize> {
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
    let (mut pages, mut at) = (0, long(4)?);
    // A list that leads back ends at the limit.
    while at != 0 && pages < MAX_PAGES {
        let Some(entries) = short(at) else { break };
        pages += 1;
        at = long(at + 2 + entries * 12).unwrap_or(0);
    }
    Some(pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn directories_are_counted() {
        // Two empty directories, the second of which ends the list.
        let little = b"II*\0\x08\0\0\0\0\0\x0e\0\0\0\0\0\0\0\0\0";
        assert_eq!(pages(little), 2);
        assert_eq!(pages(b"MM\0*\0\0\0\x08\0\0\0\0\0\0"), 1);
        assert_eq!(pages(b"II*\0\x08\0\0\0\0\0\x08\0\0\0"), MAX_PAGES, "a list that leads back");
        assert_eq!(pages(b"\x89PNG"), 0);
    }

    proptest! {
        #[test]
        fn any_bytes_are_counted(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let all = [b"II*\0".as_slice(), &bytes].concat();
            prop_assert!(pages(&all) <= MAX_PAGES);
        }
    }
}
