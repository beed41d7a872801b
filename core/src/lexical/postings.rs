//! A posting list: the chunks that hold a term, ascending, each with its frequency. Positions lie apart, in the same
//! order: ranking does not read them.
//!
//! Per chunk: varint of twice the difference to the number after the previous chunk (0 before the first), plus one if
//! the term occurs more than once; then varint frequency − 2. Positions per chunk: as many varints as the frequency,
//! each the difference to the position before (0 before the first).

use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "terms";

/// Calls `visit(chunk, frequency)` for each chunk of a list; every chunk is below `chunks`.
pub fn for_each(bytes: &[u8], chunks: u32, mut visit: impl FnMut(u32, u32)) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, bytes);
    let mut next = 0u32;
    while cursor.remaining() > 0 {
        let code = cursor.varint("chunk")?;
        let chunk = next.checked_add(code / 2).filter(|&chunk| chunk < chunks);
        let chunk = chunk.ok_or(FormatError::corrupt(NAME, "chunk number"))?;
        let frequency = if code % 2 == 0 { 1 } else { cursor.varint("frequency")?.saturating_add(2) };
        visit(chunk, frequency);
        next = chunk + 1;
    }
    Ok(())
}

/// The positions of a term: for each of its frequencies, ascending positions.
pub fn positions(cursor: &mut Cursor<'_>, frequencies: &[u32]) -> Result<Vec<Vec<u32>>, FormatError> {
    let mut lists = Vec::with_capacity(frequencies.len());
    for &frequency in frequencies {
        if frequency as usize > cursor.remaining() {
            return Err(FormatError::truncated(cursor.part(), "positions"));
        }
        let mut position = 0u32;
        let mut list = Vec::with_capacity(frequency as usize);
        for _ in 0..frequency {
            let next = position.checked_add(cursor.varint("position")?);
            position = next.ok_or(FormatError::corrupt(cursor.part(), "position"))?;
            list.push(position);
        }
        lists.push(list);
    }
    Ok(lists)
}

/// One chunk that holds a term.
#[cfg(feature = "write")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Chunk number.
    pub chunk: u32,
    /// Positions of the term, ascending; never empty.
    pub positions: Vec<u32>,
}

/// Appends a list to `list` and its positions to `positions`.
#[cfg(feature = "write")]
pub fn encode(postings: &[Posting], list: &mut Vec<u8>, positions: &mut Vec<u8>) {
    use crate::format::bytes::put_varint;
    let mut next = 0u32;
    for posting in postings {
        let repeated = posting.positions.len() > 1;
        put_varint(list, u64::from(posting.chunk - next) * 2 + u64::from(repeated));
        if repeated {
            put_varint(list, posting.positions.len() as u64 - 2);
        }
        let mut previous = 0;
        for &position in &posting.positions {
            put_varint(positions, u64::from(position - previous));
            previous = position;
        }
        next = posting.chunk + 1;
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn lists_round_trip(lists in prop::collection::btree_map(0u32..1000, prop::collection::btree_set(0u32..5000, 1..6), 0..40)) {
            let lists: BTreeMap<u32, BTreeSet<u32>> = lists;
            let postings: Vec<_> = lists.into_iter().map(|(chunk, positions)| Posting { chunk, positions: positions.into_iter().collect() }).collect();
            let (mut list, mut places) = (Vec::new(), Vec::new());
            encode(&postings, &mut list, &mut places);
            let mut seen = Vec::new();
            for_each(&list, 1000, |chunk, frequency| seen.push((chunk, frequency))).unwrap();
            let expected: Vec<_> = postings.iter().map(|posting| (posting.chunk, posting.positions.len() as u32)).collect();
            prop_assert_eq!(&seen, &expected);
            let frequencies: Vec<u32> = seen.into_iter().map(|(_, frequency)| frequency).collect();
            let mut cursor = Cursor::new("test", &places);
            let read = positions(&mut cursor, &frequencies).unwrap();
            cursor.finish("end").unwrap();
            prop_assert_eq!(read, postings.into_iter().map(|posting| posting.positions).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64), frequencies in prop::collection::vec(any::<u32>(), 0..4)) {
            let _ = for_each(&bytes, 1000, |chunk, _| assert!(chunk < 1000));
            let _ = positions(&mut Cursor::new("test", &bytes), &frequencies);
        }
    }
}
