//! Sorted terms with their posting lists, in blocks that are fetched one by one. The root contains a separator for each
//! block.
//!
//! A term with a long list has its own block, so that its neighbors stay cheap to fetch. A block begins with a varint,
//! the start of its first term's positions in the stream of positions. Each entry has the varint length of the prefix
//! shared with the previous term (0 for the first), the rest as a string, the varint number of chunks, the varint
//! length of the positions, the varint length of the list, and the list.

use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "terms";

/// The entry of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermEntry<'a> {
    /// Number of chunks that contain the term.
    pub chunks: u32,
    /// The term's posting list: see [`super::postings`].
    pub postings: &'a [u8],
    /// Start of the term's positions in the stream of positions.
    pub positions_start: u64,
    /// Length of the term's positions in bytes.
    pub positions_bytes: u32,
}

/// Returns the block that would contain `term`, given a separator for each block. A separator is above all terms of the
/// previous blocks, and not above the first term of its block.
pub fn block_of(separators: &[String], term: &str) -> Option<u32> {
    let after = separators.partition_point(|separator| separator.as_str() <= term);
    after.checked_sub(1).map(|block| block as u32)
}

/// Looks up `term` in its block.
pub fn find<'a>(block: &'a [u8], term: &str) -> Result<Option<TermEntry<'a>>, FormatError> {
    let mut found = None;
    for_each(block, |candidate, entry| {
        if candidate == term.as_bytes() {
            found = Some(entry);
        }
        candidate < term.as_bytes()
    })?;
    Ok(found)
}

/// Calls `visit(term, entry)` in order until it returns `false` or the block ends.
pub fn for_each<'a>(block: &'a [u8], mut visit: impl FnMut(&[u8], TermEntry<'a>) -> bool) -> Result<(), FormatError> {
    each(block, &mut visit)
}

/// This is a separate function, because a copy for each caller would enlarge every page.
fn each<'a>(block: &'a [u8], visit: &mut dyn FnMut(&[u8], TermEntry<'a>) -> bool) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, block);
    let mut positions_start = cursor.varint64("start of positions")?;
    let mut term: Vec<u8> = Vec::new();
    while cursor.remaining() > 0 {
        cursor.shared_prefix(&mut term)?;
        let chunks = cursor.varint("number of chunks")?;
        let positions_bytes = cursor.varint("length of positions")?;
        let length = cursor.count(1, "length of a list")?;
        let postings = cursor.take(length, "list")?;
        if !visit(&term, TermEntry { chunks, postings, positions_start, positions_bytes }) {
            break;
        }
        let next = positions_start.checked_add(u64::from(positions_bytes));
        positions_start = next.ok_or(FormatError::corrupt(NAME, "length of positions"))?;
    }
    Ok(())
}

#[cfg(feature = "write")]
pub use writer::{TermDictionaryWriter, separator};

#[cfg(feature = "write")]
mod writer {
    use crate::format::blocks::PartWriter;
    use crate::format::bytes::{put_shared_prefix, put_varint};

    /// Uncompressed size that ends a block.
    const BLOCK_BYTES: usize = 6 << 10;
    /// Maximum length in bytes of a list that shares a block with others.
    const LONG_LIST_BYTES: usize = 2 << 10;

    /// Writes the dictionary: its blocks, and a separator for each.
    ///
    /// ```
    /// use nearfind_core::format::Part;
    /// use nearfind_core::format::blocks::BlockId;
    /// use nearfind_core::lexical::term_dictionary::{TermDictionaryWriter, block_of, find};
    ///
    /// let mut writer = TermDictionaryWriter::default();
    /// writer.push("commit", 2, &[1, 2, 3], 4);
    /// writer.push("undo", 1, &[7], 1);
    /// let (part, separators) = writer.finish();
    ///
    /// let block = block_of(&separators, "undo").unwrap();
    /// let terms = part.finish(Part::Terms, 0).decode(BlockId { part: Part::Terms, block })?;
    /// let undo = find(&terms, "undo")?.unwrap();
    /// assert_eq!((undo.chunks, undo.postings, undo.positions_start), (1, &[7][..], 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Debug, Default)]
    pub struct TermDictionaryWriter {
        part: PartWriter,
        separators: Vec<String>,
        block: Vec<u8>,
        previous: String,
        block_is_full: bool,
        positions: u64,
    }

    impl TermDictionaryWriter {
        /// Appends a term with its encoded list. Terms must be in ascending byte order.
        pub fn push(&mut self, term: &str, chunks: u32, list: &[u8], positions_bytes: u32) {
            let long = list.len() > LONG_LIST_BYTES;
            if self.block_is_full || (long && !self.block.is_empty()) {
                self.part.push(&self.block);
                self.block.clear();
            }
            if self.block.is_empty() {
                let first = self.separators.is_empty();
                self.separators.push(if first { String::new() } else { separator(&self.previous, term).to_owned() });
                put_varint(&mut self.block, self.positions);
                put_shared_prefix(&mut self.block, "", term);
            } else {
                put_shared_prefix(&mut self.block, &self.previous, term);
            }
            put_varint(&mut self.block, u64::from(chunks));
            put_varint(&mut self.block, u64::from(positions_bytes));
            put_varint(&mut self.block, list.len() as u64);
            self.block.extend_from_slice(list);
            self.positions += u64::from(positions_bytes);
            self.block_is_full = long || self.block.len() >= BLOCK_BYTES;
            term.clone_into(&mut self.previous);
        }

        /// Returns the part, and the separator of each block.
        pub fn finish(mut self) -> (PartWriter, Vec<String>) {
            self.part.push(&self.block);
            (self.part, self.separators)
        }
    }

    /// Returns the shortest start of `next` that is above `previous`.
    pub fn separator<'a>(previous: &str, next: &'a str) -> &'a str {
        let ends = next.char_indices().map(|(at, c)| at + c.len_utf8());
        ends.map(|end| &next[..end]).find(|start| *start > previous).unwrap_or(next)
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::{Part, blocks::BlockId};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// The oracle is a `BTreeMap`.
        #[test]
        fn every_term_is_found_and_no_other(terms in prop::collection::btree_map("[a-dé]{1,6}", (1u32..99, prop_oneof![0usize..40, 2000usize..3000]), 1..120), absent in "[a-eé]{1,6}") {
            let terms: BTreeMap<String, (u32, usize)> = terms;
            let mut writer = TermDictionaryWriter::default();
            for (term, (chunks, length)) in &terms {
                writer.push(term, *chunks, &vec![7; *length], *chunks);
            }
            let (part, separators) = writer.finish();
            let part = part.finish(Part::Terms, 0);
            let look_up = |term: &str| {
                let block = block_of(&separators, term)?;
                let raw = part.decode(BlockId { part: Part::Terms, block }).unwrap();
                find(&raw, term).unwrap().map(|entry| (entry.chunks, entry.postings.len(), entry.positions_start))
            };
            let mut positions = 0;
            for (term, (chunks, length)) in &terms {
                prop_assert_eq!(look_up(term), Some((*chunks, *length, positions)));
                positions += u64::from(*chunks);
            }
            prop_assert_eq!(look_up(&absent).is_some(), terms.contains_key(&absent));
        }

        #[test]
        fn separators_separate(a in "[a-cé]{0,6}", b in "[a-cé]{1,6}") {
            if a < b {
                let separator = separator(&a, &b);
                prop_assert!(a.as_str() < separator && separator <= b.as_str());
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = find(&bytes, "term");
        }
    }
}
