//! The rows of words in a quantized pack. They follow the pack's hash in blocks, each with its own hash. A page needs
//! only a few blocks, and fetches those that a text needs when the text is encoded.

use crate::format::{FormatError, FormatErrorKind};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The name of packs in errors.
pub(super) const NAME: &str = "model pack";
/// Name of the blob with the hash of each block.
pub const ROW_HASHES_BLOB: &str = "embeddings.words.hashes";
/// Number of leading bytes of a block's BLAKE3 that are stored.
const HASH_BYTES: usize = 16;
/// Number of rows in a block. With 384 components of 8 bits, a block is about 6 KB, not much more than the overhead of
/// a request.
#[cfg(feature = "write")]
const BLOCK_ROWS: usize = 16;

/// How the rows of words are divided into blocks.
///
/// ```
/// use nearfind_core::embed::RowBlocks;
///
/// // A thousand rows of 100 bytes.
/// let (blocks, hashes) = RowBlocks::of(&vec![7; 100_000], 100);
/// assert_eq!((blocks.bytes, blocks.block % 100), (100_000, 0));
/// assert_eq!(hashes.len() as u64 % blocks.bytes.div_ceil(blocks.block), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowBlocks {
    /// Length of all rows in bytes.
    pub bytes: u64,
    /// Length of a block in bytes. A block consists of whole rows, and the last block may be shorter.
    pub block: u64,
}

impl RowBlocks {
    /// Returns the number of blocks, after checking it against the number of hashes.
    pub(super) fn count(self, hashes: &[u8]) -> Result<usize, FormatError> {
        let count = match (usize::try_from(self.bytes), usize::try_from(self.block)) {
            (Ok(bytes), Ok(block @ 1..)) => Some(bytes.div_ceil(block)),
            _ => None,
        };
        let count = count.filter(|count| count.checked_mul(HASH_BYTES) == Some(hashes.len()));
        count.ok_or(FormatError::corrupt(NAME, "hashes of the rows of words"))
    }

    /// Returns the range of block `number`, counted from the first row.
    pub(super) fn range(self, number: usize) -> Range<u64> {
        let start = (number as u64).saturating_mul(self.block);
        start..start.saturating_add(self.block).min(self.bytes)
    }

    /// Checks the block `number`, which must exist.
    pub(super) fn check(self, hashes: &[u8], number: usize, block: &[u8]) -> Result<(), FormatError> {
        let range = self.range(number);
        if range.end - range.start != block.len() as u64 {
            return Err(FormatError::truncated(NAME, "rows of words"));
        }
        let expected = &hashes[number * HASH_BYTES..][..HASH_BYTES];
        if blake3::hash(block).as_bytes()[..HASH_BYTES] != *expected {
            return Err(FormatErrorKind::Checksum { part: NAME, block: number as u32 }.into());
        }
        Ok(())
    }

    /// Checks all rows.
    pub(super) fn check_all(self, hashes: &[u8], rows: &[u8]) -> Result<(), FormatError> {
        let count = self.count(hashes)?;
        if rows.len() as u64 != self.bytes {
            return Err(FormatError::truncated(NAME, "rows of words"));
        }
        let mut blocks = rows.chunks(self.block as usize);
        (0..count).try_for_each(|number| self.check(hashes, number, blocks.next().unwrap_or_default()))
    }

    /// Divides `rows` of `row_bytes` bytes each into blocks, and returns the hash of each block.
    #[cfg(feature = "write")]
    pub fn of(rows: &[u8], row_bytes: usize) -> (Self, Vec<u8>) {
        let block = (row_bytes * BLOCK_ROWS).max(1);
        let hashes = rows.chunks(block).flat_map(|block| blake3::hash(block).as_bytes()[..HASH_BYTES].to_vec());
        (Self { bytes: rows.len() as u64, block: block as u64 }, hashes.collect())
    }
}
