//! Sorted terms in blocks that are read one by one; the root knows the first term of each block.
//!
//! Inside a block each entry is: varint length of the prefix shared with the previous term (0 for the first), the rest
//! of the term as a string, varint number of chunks, varint start in the raw stream of postings, varint length there.

use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "terms";

/// Raw size after which a writer begins a new block.
pub const BLOCK_BYTES: usize = 8 << 10;

/// Where the postings of a term are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermEntry {
    /// Number of chunks that hold the term.
    pub chunks: u32,
    /// Start of its list in the raw stream of postings.
    pub start: u64,
    /// Length of its list in bytes.
    pub length: u32,
}

/// The block that would hold `term`, given the first term of each block.
pub fn block_of(first_terms: &[String], term: &str) -> Option<u32> {
    let after = first_terms.partition_point(|first| first.as_str() <= term);
    after.checked_sub(1).map(|block| block as u32)
}

/// Looks `term` up in the raw bytes of its block.
pub fn find(block: &[u8], term: &str) -> Result<Option<TermEntry>, FormatError> {
    let mut found = None;
    for_each(block, |candidate, entry| {
        if candidate == term.as_bytes() {
            found = Some(entry);
        }
        candidate < term.as_bytes()
    })?;
    Ok(found)
}

/// Calls `visit(term, entry)` in order until it answers `false` or the block ends.
pub fn for_each(block: &[u8], mut visit: impl FnMut(&[u8], TermEntry) -> bool) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, block);
    let mut term: Vec<u8> = Vec::new();
    while cursor.remaining() > 0 {
        let shared = cursor.varint("shared prefix")? as usize;
        if shared > term.len() {
            return Err(FormatError::corrupt(NAME, "shared prefix"));
        }
        term.truncate(shared);
        let rest = cursor.count(1, "term")?;
        term.extend_from_slice(cursor.take(rest, "term")?);
        let entry = TermEntry {
            chunks: cursor.varint("number of chunks")?,
            start: cursor.varint64("start of postings")?,
            length: cursor.varint("length of postings")?,
        };
        if !visit(&term, entry) {
            break;
        }
    }
    Ok(())
}

/// Writes the dictionary: blocks and the first term of each.
#[cfg(feature = "write")]
#[derive(Debug, Default)]
pub struct TermDictionaryWriter {
    part: crate::format::blocks::PartWriter,
    first_terms: Vec<String>,
    block: Vec<u8>,
    previous: String,
}

#[cfg(feature = "write")]
impl TermDictionaryWriter {
    /// Appends a term; terms come in ascending byte order.
    pub fn push(&mut self, term: &str, entry: TermEntry) {
        use crate::format::bytes::{put_string, put_varint};
        if self.block.len() >= BLOCK_BYTES {
            self.flush();
        }
        let shared = if self.block.is_empty() {
            self.first_terms.push(term.to_owned());
            0
        } else {
            let common = self.previous.bytes().zip(term.bytes()).take_while(|(a, b)| a == b).count();
            (0..=common).rev().find(|&end| term.is_char_boundary(end)).unwrap_or(0)
        };
        put_varint(&mut self.block, shared as u64);
        put_string(&mut self.block, &term[shared..]);
        put_varint(&mut self.block, u64::from(entry.chunks));
        put_varint(&mut self.block, entry.start);
        put_varint(&mut self.block, u64::from(entry.length));
        term.clone_into(&mut self.previous);
    }

    fn flush(&mut self) {
        self.part.push(&self.block);
        self.block.clear();
    }

    /// The part and the first term of each block.
    pub fn finish(mut self) -> (crate::format::blocks::PartWriter, Vec<String>) {
        self.flush();
        (self.part, self.first_terms)
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::{
        Part,
        blocks::{BlockId, BlockTable},
    };
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// The oracle is a `BTreeMap`.
        #[test]
        fn every_term_is_found_and_no_other(terms in prop::collection::btree_map("[a-dé]{1,6}", 1u32..99, 1..300), absent in "[a-eé]{1,6}") {
            let terms: BTreeMap<String, u32> = terms;
            let mut writer = TermDictionaryWriter::default();
            for (term, chunks) in &terms {
                writer.push(term, TermEntry { chunks: *chunks, start: u64::from(*chunks) << 33, length: 1 });
            }
            let (part, first_terms) = writer.finish();
            let (file, entries) = part.finish();
            let table = BlockTable::new(Part::Terms, entries).unwrap();
            let look_up = |term: &str| {
                let block = block_of(&first_terms, term)?;
                let raw = table.decode_in(BlockId { part: Part::Terms, block }, &file).unwrap();
                find(&raw, term).unwrap().map(|entry| entry.chunks)
            };
            for term in terms.keys().chain([&absent]) {
                prop_assert_eq!(look_up(term), terms.get(term).copied());
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = find(&bytes, "term");
        }
    }
}
