//! A part is a byte stream cut into blocks; each block is compressed for itself and is fetched, checked and decoded alone.
//!
//! A block is stored as raw deflate, or as it is where deflate would save less than a sixteenth (then both lengths are
//! equal). The block table lives in the root: a host can name the bytes of any block after two requests.

use super::{FormatError, Part};
use xxhash_rust::xxh3::xxh3_64;

/// Largest raw size of one block. A reader allocates no more than this for a block, whatever its bytes say.
pub const MAX_BLOCK_BYTES: u32 = 4 << 20;

/// Size, place and hash of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEntry {
    /// Bytes in the part's file.
    pub stored_bytes: u32,
    /// Bytes after decompression; equal to `stored_bytes` for a block stored as it is.
    pub raw_bytes: u32,
    /// xxh3-64 of the bytes as stored.
    pub hash: u64,
}

/// The blocks of one part, with their places in the file and in the raw stream.
#[derive(Clone, Debug, Default)]
pub struct BlockTable {
    entries: Vec<BlockEntry>,
    stored_starts: Vec<u64>,
    raw_starts: Vec<u64>,
}

/// One block of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId {
    /// The part.
    pub part: Part,
    /// Number of the block in its part, from 0.
    pub block: u32,
}

impl BlockTable {
    /// Checks the sizes and adds up the places.
    pub fn new(part: Part, entries: Vec<BlockEntry>) -> Result<Self, FormatError> {
        let (mut stored_starts, mut raw_starts) = (Vec::new(), Vec::new());
        let (mut stored, mut raw) = (0u64, 0u64);
        for entry in &entries {
            if entry.raw_bytes > MAX_BLOCK_BYTES {
                return Err(FormatError::TooLarge {
                    part: part.name(),
                    what: "block",
                    limit: u64::from(MAX_BLOCK_BYTES),
                    got: u64::from(entry.raw_bytes),
                });
            }
            if entry.stored_bytes > entry.raw_bytes || entry.stored_bytes == 0 {
                return Err(FormatError::corrupt(part.name(), "stored size of a block"));
            }
            stored_starts.push(stored);
            raw_starts.push(raw);
            stored += u64::from(entry.stored_bytes);
            raw += u64::from(entry.raw_bytes);
        }
        stored_starts.push(stored);
        raw_starts.push(raw);
        Ok(Self { entries, stored_starts, raw_starts })
    }

    /// Number of blocks.
    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Whether the part has no block.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Size and hash of block `block`, if there is one.
    pub fn entry(&self, block: u32) -> Option<&BlockEntry> {
        self.entries.get(block as usize)
    }

    /// Where block `block` starts in the part's file.
    pub fn stored_start(&self, block: u32) -> u64 {
        self.stored_starts.get(block as usize).copied().unwrap_or_default()
    }

    /// Where block `block` starts in the raw stream; for the number of blocks, where the stream ends.
    pub fn raw_start(&self, block: u32) -> u64 {
        self.raw_starts.get(block as usize).copied().unwrap_or_default()
    }

    /// Bytes of the part's file.
    pub fn stored_total(&self) -> u64 {
        self.stored_starts.last().copied().unwrap_or_default()
    }

    /// Bytes of the raw stream.
    pub fn raw_total(&self) -> u64 {
        self.raw_starts.last().copied().unwrap_or_default()
    }

    /// The blocks that hold `length` raw bytes from `start`, or `None` if the stream ends before.
    pub fn covering(&self, start: u64, length: u64) -> Option<std::ops::Range<u32>> {
        let end = start.checked_add(length)?;
        if end > self.raw_total() {
            return None;
        }
        if length == 0 {
            return Some(0..0);
        }
        let first = self.raw_starts.partition_point(|&raw| raw <= start) - 1;
        let last = self.raw_starts.partition_point(|&raw| raw < end);
        Some(first as u32..last as u32)
    }

    /// Checks and decompresses one block out of the whole file of its part.
    pub fn decode_in(&self, id: BlockId, file: &[u8]) -> Result<Vec<u8>, FormatError> {
        let (start, end) = (self.stored_start(id.block), self.stored_start(id.block + 1));
        let stored = file.get(start as usize..end as usize);
        self.decode(id, stored.ok_or(FormatError::truncated(id.part.name(), "file"))?)
    }

    /// Checks and decompresses the stored bytes of one block.
    pub fn decode(&self, id: BlockId, stored: &[u8]) -> Result<Vec<u8>, FormatError> {
        let part = id.part.name();
        let entry = self.entry(id.block).ok_or(FormatError::corrupt(part, "block number"))?;
        if stored.len() != entry.stored_bytes as usize {
            return Err(FormatError::truncated(part, "block"));
        }
        if xxh3_64(stored) != entry.hash {
            return Err(FormatError::Checksum { part, block: id.block });
        }
        if entry.stored_bytes == entry.raw_bytes {
            return Ok(stored.to_vec());
        }
        let raw = miniz_oxide::inflate::decompress_to_vec_with_limit(stored, entry.raw_bytes as usize)
            .map_err(|_| FormatError::corrupt(part, "deflate stream"))?;
        if raw.len() != entry.raw_bytes as usize {
            return Err(FormatError::corrupt(part, "raw size of a block"));
        }
        Ok(raw)
    }
}

/// Compresses raw blocks into the bytes of one part.
#[cfg(feature = "write")]
#[derive(Debug, Default)]
pub struct PartWriter {
    file: Vec<u8>,
    entries: Vec<BlockEntry>,
    raw_total: u64,
}

#[cfg(feature = "write")]
impl PartWriter {
    /// Deflate level: the densest that still indexes thousands of pages in seconds.
    const LEVEL: u8 = 9;

    /// Appends one block. Empty blocks are not written.
    ///
    /// # Panics
    /// If `raw` is larger than [`MAX_BLOCK_BYTES`].
    pub fn push(&mut self, raw: &[u8]) {
        if raw.is_empty() {
            return;
        }
        assert!(raw.len() <= MAX_BLOCK_BYTES as usize, "a writer cuts its blocks below the limit");
        let deflated = miniz_oxide::deflate::compress_to_vec(raw, Self::LEVEL);
        let stored = if deflated.len() < raw.len() - raw.len() / 16 { &deflated } else { raw };
        self.entries.push(BlockEntry {
            stored_bytes: stored.len() as u32,
            raw_bytes: raw.len() as u32,
            hash: xxh3_64(stored),
        });
        self.raw_total += raw.len() as u64;
        self.file.extend_from_slice(stored);
    }

    /// Appends a stream as blocks of `block_bytes`, the last one shorter.
    pub fn push_stream(&mut self, raw: &[u8], block_bytes: usize) {
        for block in raw.chunks(block_bytes) {
            self.push(block);
        }
    }

    /// Blocks so far.
    pub fn blocks(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Raw bytes so far.
    pub fn raw_total(&self) -> u64 {
        self.raw_total
    }

    /// The part's file and its block entries.
    pub fn finish(self) -> (Vec<u8>, Vec<BlockEntry>) {
        (self.file, self.entries)
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(stream: &[u8], block_bytes: usize) -> (Vec<u8>, BlockTable) {
        let mut writer = PartWriter::default();
        writer.push_stream(stream, block_bytes);
        let (file, entries) = writer.finish();
        (file, BlockTable::new(Part::Text, entries).unwrap())
    }

    proptest! {
        #[test]
        fn every_range_is_found_in_its_blocks(stream in prop::collection::vec(0u8..4, 1..400), block_bytes in 1usize..64, a in 0usize..400, b in 0usize..400) {
            let (start, end) = (a.min(b).min(stream.len()), a.max(b).min(stream.len()));
            let (file, table) = table(&stream, block_bytes);
            let blocks = table.covering(start as u64, (end - start) as u64).unwrap();
            let first_raw = table.raw_start(blocks.start) as usize;
            let mut joined = Vec::new();
            for block in blocks {
                joined.extend(table.decode_in(BlockId { part: Part::Text, block }, &file).unwrap());
            }
            if start < end {
                prop_assert_eq!(&joined[start - first_raw..end - first_raw], &stream[start..end]);
            }
            prop_assert!(table.covering(start as u64, stream.len() as u64 + 1).is_none());
        }

        #[test]
        fn a_flipped_bit_is_noticed(stream in prop::collection::vec(0u8..4, 1..200), at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let (mut file, table) = table(&stream, 1 << 10);
            let at = at.index(file.len());
            file[at] ^= 1 << bit;
            let refused = table.decode(BlockId { part: Part::Text, block: 0 }, &file);
            prop_assert_eq!(refused, Err(FormatError::Checksum { part: "text", block: 0 }));
        }
    }

    #[test]
    fn a_block_that_inflates_beyond_its_declared_size_is_refused() {
        let bomb = miniz_oxide::deflate::compress_to_vec(&vec![0u8; 1 << 20], 9);
        let entry =
            BlockEntry { stored_bytes: bomb.len() as u32, raw_bytes: bomb.len() as u32 + 1, hash: xxh3_64(&bomb) };
        let table = BlockTable::new(Part::Text, vec![entry]).unwrap();
        let refused = table.decode(BlockId { part: Part::Text, block: 0 }, &bomb);
        assert_eq!(refused, Err(FormatError::corrupt("text", "deflate stream")));
    }
}
