//! A posting list: the chunks that contain a term, ascending, with the frequency in each field. Positions are stored
//! separately, in the same order, because ranking does not read them.
//!
//! Each chunk has a varint. It is the sum of sixteen times the difference from one more than the previous chunk (from 0
//! for the first chunk), 1 if the body contains the term more than once, 2 if marks follow, and four times the class of
//! the chunk's length: see [`super::length_classes`]. If marks follow, the next byte has, from the lowest bit, the
//! counts in title, path and headings (at most 3, two bits each), a bit that is set if the body lacks the term, and a
//! bit that is set if text written for the chunk contains the term. If the body contains the term more than once, a
//! varint with the frequency minus 2 follows.
//!
//! Title and path belong to the document, and are counted at its first chunk. The positions of a chunk are one varint
//! for each occurrence in the body, the difference from the previous position (from 0 for the first).

use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "terms";
/// Largest count of a field other than the body.
pub const MAX_IN_FIELD: u8 = 3;

/// The number of occurrences of a term in each field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// In the chunk's text.
    pub body: u32,
    /// In the headings of the chunk's sections, at most [`MAX_IN_FIELD`].
    pub headings: u8,
    /// In the document's title, if the chunk is its first one, at most [`MAX_IN_FIELD`].
    pub title: u8,
    /// In the document's path, if the chunk is its first one, at most [`MAX_IN_FIELD`].
    pub path: u8,
    /// Whether text that was written for the chunk contains the term.
    pub written: bool,
    /// The class of the chunk's length: see [`super::length_classes`].
    pub length: u8,
}

/// Calls `visit(chunk, occurrences)` for each chunk of a list. Every chunk must be below `chunks`.
pub fn for_each(bytes: &[u8], chunks: u32, mut visit: impl FnMut(u32, Occurrences)) -> Result<(), FormatError> {
    each(bytes, chunks, &mut visit)
}

/// This is a separate function, because a copy for each caller would enlarge every page.
fn each(bytes: &[u8], chunks: u32, visit: &mut dyn FnMut(u32, Occurrences)) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, bytes);
    let mut next = 0u32;
    while cursor.remaining() > 0 {
        let code = cursor.varint("chunk")?;
        let chunk = next.checked_add(code / 16).filter(|&chunk| chunk < chunks);
        let chunk = chunk.ok_or(FormatError::corrupt(NAME, "chunk number"))?;
        let marks = if code & 2 == 0 { 0 } else { cursor.u8("marks")? };
        let body =
            if code & 1 == 1 { cursor.varint("frequency")?.saturating_add(2) } else { u32::from(marks & 64 == 0) };
        visit(
            chunk,
            Occurrences {
                body,
                headings: marks >> 4 & 3,
                title: marks & 3,
                path: marks >> 2 & 3,
                written: marks & 128 != 0,
                length: (code >> 2 & 3) as u8,
            },
        );
        next = chunk + 1;
    }
    Ok(())
}

/// Uncompressed size of a block in the stream of positions. The last block may be shorter.
pub const POSITIONS_BLOCK_BYTES: usize = 16 << 10;

/// Calls `visit(chunk, position)` for each position of a term, ascending. Each of `chunks` comes with the frequency in
/// its body.
pub fn for_each_position(
    cursor: &mut Cursor<'_>,
    chunks: &[(u32, u32)],
    mut visit: impl FnMut(u32, u32),
) -> Result<(), FormatError> {
    for &(chunk, frequency) in chunks {
        let mut position = 0u32;
        for _ in 0..frequency {
            let next = position.checked_add(cursor.varint("position")?);
            position = next.ok_or(FormatError::corrupt(cursor.part(), "position"))?;
            visit(chunk, position);
        }
    }
    Ok(())
}

/// A chunk that contains a term.
///
/// [`PostingList`] has an example.
#[cfg(feature = "write")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posting {
    /// Chunk number.
    pub chunk: u32,
    /// Positions of the term in the body, ascending.
    pub positions: Vec<u32>,
    /// Counts in the fields. The count in the body is the number of positions.
    pub occurrences: Occurrences,
}

/// A posting list that is being written.
///
/// ```
/// use nearfind_core::lexical::postings::{Posting, PostingList, for_each};
///
/// let mut list = PostingList::default();
/// list.push(&Posting { chunk: 3, positions: vec![0, 8], ..Posting::default() });
/// list.push(&Posting { chunk: 9, positions: vec![5], ..Posting::default() });
///
/// let mut frequencies = Vec::new();
/// for_each(&list.bytes, 10, |chunk, occurrences| frequencies.push((chunk, occurrences.body)))?;
/// assert_eq!(frequencies, [(3, 2), (9, 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "write")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostingList {
    /// The encoded list.
    pub bytes: Vec<u8>,
    /// The encoded positions.
    pub positions: Vec<u8>,
    /// Number of chunks.
    pub chunks: u32,
    /// One more than the last chunk.
    next: u32,
}

#[cfg(feature = "write")]
impl PostingList {
    /// Appends a chunk. Its number must be higher than all previous ones.
    pub fn push(&mut self, posting: &Posting) {
        use crate::format::bytes::put_varint;
        self.put(posting.chunk, Occurrences { body: posting.positions.len() as u32, ..posting.occurrences });
        let mut previous = 0;
        for &position in &posting.positions {
            put_varint(&mut self.positions, u64::from(position - previous));
            previous = position;
        }
    }

    /// Appends a chunk without its positions.
    pub(super) fn put(&mut self, chunk: u32, occurrences: Occurrences) {
        use crate::format::bytes::put_varint;
        let Occurrences { body, headings, title, path, written, length } = occurrences;
        let marks = title | path << 2 | headings << 4 | u8::from(body == 0) << 6 | u8::from(written) << 7;
        let flags = u64::from(length) * 4 + u64::from(marks != 0) * 2 + u64::from(body > 1);
        let code = u64::from(chunk - self.next) * 16 + flags;
        put_varint(&mut self.bytes, code);
        if marks != 0 {
            self.bytes.push(marks);
        }
        if body > 1 {
            put_varint(&mut self.bytes, u64::from(body) - 2);
        }
        self.next = chunk + 1;
        self.chunks += 1;
    }

    /// Returns the chunks of the list.
    pub(super) fn to_vec(&self) -> Vec<(u32, Occurrences)> {
        let mut postings = Vec::with_capacity(self.chunks as usize);
        each(&self.bytes, u32::MAX, &mut |chunk, occurrences| postings.push((chunk, occurrences)))
            .expect("it was written by `put`");
        postings
    }

    /// Returns the same list without positions, with the class of each chunk's length from `classes`.
    pub(super) fn with_lengths(&self, classes: &[u8]) -> Self {
        let mut list = Self::default();
        for (chunk, occurrences) in self.to_vec() {
            list.put(chunk, Occurrences { length: classes[chunk as usize], ..occurrences });
        }
        list
    }

    /// Appends the chunks of another list. Their numbers must all be higher.
    pub fn append(&mut self, later: &Self) {
        use crate::format::bytes::put_varint;
        if later.chunks == 0 {
            return;
        }
        let mut cursor = Cursor::new(NAME, &later.bytes);
        let code = cursor.varint64("chunk").expect("it was written by `push`");
        let first = later.bytes.len() - cursor.remaining();
        // The first chunk is encoded relative to the previous one.
        put_varint(&mut self.bytes, code - u64::from(self.next) * 16);
        self.bytes.extend_from_slice(&later.bytes[first..]);
        self.positions.extend_from_slice(&later.positions);
        self.chunks += later.chunks;
        self.next = later.next;
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn lists_round_trip(lists in prop::collection::btree_map(0u32..1000, (prop::collection::btree_set(0u32..5000, 0..6), 0u8..4, 0u8..4, 0u8..4, any::<bool>()), 0..40)) {
            let lists: BTreeMap<u32, (BTreeSet<u32>, u8, u8, u8, bool)> = lists;
            let posting = |(chunk, (positions, headings, title, path, written)): (u32, (BTreeSet<u32>, u8, u8, u8, bool))| {
                let body = positions.len() as u32;
                Posting { chunk, positions: positions.into_iter().collect(), occurrences: Occurrences { body, headings, title, path, written, length: 0 } }
            };
            let postings: Vec<Posting> = lists.into_iter().map(posting).collect();
            let mut written = PostingList::default();
            postings.iter().for_each(|posting| written.push(posting));
            // A list that is joined from parts equals the whole list.
            let mut joined = PostingList::default();
            for part in postings.chunks(7) {
                let mut list = PostingList::default();
                part.iter().for_each(|posting| list.push(posting));
                joined.append(&list);
            }
            prop_assert_eq!(&joined, &written);
            let classes: Vec<u8> = (0..1000).map(|chunk| (chunk % 7 % 4) as u8).collect();
            let list = written.with_lengths(&classes).bytes;
            let places = written.positions;
            let mut seen = Vec::new();
            for_each(&list, 1000, |chunk, occurrences| seen.push((chunk, occurrences))).unwrap();
            let with_length = |posting: &Posting| Occurrences { length: classes[posting.chunk as usize], ..posting.occurrences };
            let expected: Vec<_> = postings.iter().map(|posting| (posting.chunk, with_length(posting))).collect();
            prop_assert_eq!(&seen, &expected);
            let chunks: Vec<_> = seen.into_iter().map(|(chunk, occurrences)| (chunk, occurrences.body)).collect();
            let mut cursor = Cursor::new("test", &places);
            let mut read = Vec::new();
            for_each_position(&mut cursor, &chunks, |chunk, position| read.push((chunk, position))).unwrap();
            cursor.finish("end").unwrap();
            let place = |posting: Posting| posting.positions.into_iter().map(move |position| (posting.chunk, position));
            prop_assert_eq!(read, postings.into_iter().flat_map(place).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64), frequencies in prop::collection::vec(any::<u32>(), 0..4)) {
            let _ = for_each(&bytes, 1000, |chunk, _| assert!(chunk < 1000));
            let chunks: Vec<_> = (0..).zip(frequencies).collect();
            let _ = for_each_position(&mut Cursor::new("test", &bytes), &chunks, |_, _| {});
        }
    }
}
