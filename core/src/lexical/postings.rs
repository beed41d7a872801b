//! A posting list: the chunks that hold a term, ascending, each with the positions of the term.
//!
//! Per chunk: varint delta to the previous chunk plus one (the first counts from chunk −1), varint number of positions,
//! then varint deltas of the positions, the first from 0. A list says nothing of its own length: the dictionary does.

use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "postings";

/// One chunk that holds the term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Chunk number.
    pub chunk: u32,
    /// Positions of the term, ascending; never empty.
    pub positions: Vec<u32>,
}

/// Calls `visit(chunk, frequency)` for each of the `count` chunks of a list, without keeping positions.
pub fn for_each(bytes: &[u8], count: u32, chunks: u32, mut visit: impl FnMut(u32, u32)) -> Result<(), FormatError> {
    read(bytes, count, chunks, |chunk, frequency, cursor| {
        for _ in 0..frequency {
            cursor.varint("position")?;
        }
        visit(chunk, frequency);
        Ok(())
    })
}

/// The whole list of `count` chunks.
pub fn decode(bytes: &[u8], count: u32, chunks: u32) -> Result<Vec<Posting>, FormatError> {
    let mut postings = Vec::new();
    read(bytes, count, chunks, |chunk, frequency, cursor| {
        let mut position = 0u32;
        let positions = (0..frequency)
            .map(|_| {
                position =
                    position.checked_add(cursor.varint("position")?).ok_or(FormatError::corrupt(NAME, "position"))?;
                Ok(position)
            })
            .collect::<Result<_, FormatError>>()?;
        postings.push(Posting { chunk, positions });
        Ok(())
    })?;
    Ok(postings)
}

fn read(
    bytes: &[u8],
    count: u32,
    chunks: u32,
    mut entry: impl FnMut(u32, u32, &mut Cursor<'_>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, bytes);
    let mut next = 0u32;
    for _ in 0..count {
        let chunk = next.checked_add(cursor.varint("chunk")?).filter(|&chunk| chunk < chunks);
        let chunk = chunk.ok_or(FormatError::corrupt(NAME, "chunk number"))?;
        let frequency = cursor.count(1, "frequency")? as u32;
        if frequency == 0 {
            return Err(FormatError::corrupt(NAME, "frequency"));
        }
        entry(chunk, frequency, &mut cursor)?;
        next = chunk + 1;
    }
    cursor.finish("bytes after a list")
}

/// Appends a list to `out`.
#[cfg(feature = "write")]
pub fn encode(postings: &[Posting], out: &mut Vec<u8>) {
    use crate::format::bytes::put_varint;
    let mut next = 0u32;
    for posting in postings {
        put_varint(out, u64::from(posting.chunk - next));
        put_varint(out, posting.positions.len() as u64);
        let mut previous = 0;
        for &position in &posting.positions {
            put_varint(out, u64::from(position - previous));
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
            let mut bytes = Vec::new();
            encode(&postings, &mut bytes);
            prop_assert_eq!(&decode(&bytes, postings.len() as u32, 1000).unwrap(), &postings);
            let mut seen = Vec::new();
            for_each(&bytes, postings.len() as u32, 1000, |chunk, frequency| seen.push((chunk, frequency))).unwrap();
            let expected: Vec<_> = postings.iter().map(|posting| (posting.chunk, posting.positions.len() as u32)).collect();
            prop_assert_eq!(seen, expected);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64), count in any::<u32>()) {
            let _ = decode(&bytes, count, 1000);
        }
    }
}
