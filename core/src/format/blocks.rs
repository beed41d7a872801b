//! A part is a row of blocks; each block is compressed and checked for itself and is fetched and decoded alone.
//!
//! Stored block: varint raw length (0: stored as it is), the bytes, raw deflate or as they are, and a checksum of four
//! bytes. The checksum is seeded with the part's identity and the block's number: a block of another generation, a page
//! that a server sends in its place and a cut download are all noticed. A table needs the stored sizes alone.

use super::bytes::Cursor;
use super::{FormatError, Part};
use xxhash_rust::xxh64::xxh64;

/// Largest raw size of one block. A reader allocates no more than this for a block, whatever its bytes say.
pub const MAX_BLOCK_BYTES: u32 = 16 << 20;
/// Bytes of a block's checksum.
const CHECK_BYTES: usize = 4;

/// One block of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId {
    /// The part.
    pub part: Part,
    /// Number of the block in its part, from 0.
    pub block: u32,
}

/// Where the stored bytes of a block are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRange {
    /// Number of the file among those of the part.
    pub file: u32,
    /// First byte in the file.
    pub start: u64,
    /// Number of bytes.
    pub bytes: u32,
}

/// The blocks of one part and the files they lie in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockTable {
    identity: u64,
    places: Vec<StoredRange>,
}

impl BlockTable {
    /// Lays out blocks of the stored `sizes` one after the other. With a `file_limit` above 0, a block that would take a
    /// file beyond it begins the next file.
    pub fn new(part: Part, identity: u64, sizes: &[u32], file_limit: u32) -> Result<Self, FormatError> {
        let mut places = Vec::with_capacity(sizes.len());
        let mut next = StoredRange { file: 0, start: 0, bytes: 0 };
        for &bytes in sizes {
            if bytes as usize <= CHECK_BYTES || bytes > MAX_BLOCK_BYTES {
                return Err(FormatError::corrupt(part.name(), "stored size of a block"));
            }
            if file_limit > 0 && next.start > 0 && next.start + u64::from(bytes) > u64::from(file_limit) {
                next = StoredRange { file: next.file + 1, start: 0, bytes: 0 };
            }
            places.push(StoredRange { bytes, ..next });
            next.start += u64::from(bytes);
        }
        Ok(Self { identity, places })
    }

    /// Reads a table: varint count, then a varint for each block's stored size.
    pub fn read(cursor: &mut Cursor<'_>, part: Part, identity: u64, file_limit: u32) -> Result<Self, FormatError> {
        let count = cursor.count(1, "number of blocks")?;
        let sizes: Vec<u32> = (0..count).map(|_| cursor.varint("size of a block")).collect::<Result<_, _>>()?;
        Self::new(part, identity, &sizes, file_limit)
    }

    /// Number of blocks.
    pub fn len(&self) -> u32 {
        self.places.len() as u32
    }

    /// Whether the part has no block.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Hash of the part's content: the name of its files, and the seed of its checksums.
    pub const fn identity(&self) -> u64 {
        self.identity
    }

    /// Where block `block` is, if there is one.
    pub fn place(&self, block: u32) -> Option<StoredRange> {
        self.places.get(block as usize).copied()
    }

    /// Number of files.
    pub fn files(&self) -> u32 {
        self.places.last().map_or(0, |last| last.file + 1)
    }

    /// Length of a file.
    pub fn file_bytes(&self, file: u32) -> u64 {
        let last = self.places.partition_point(|place| place.file <= file).checked_sub(1);
        let last = last.map(|at| self.places[at]).filter(|place| place.file == file);
        last.map_or(0, |place| place.start + u64::from(place.bytes))
    }

    /// Stored bytes of all blocks.
    pub fn stored_total(&self) -> u64 {
        self.places.iter().map(|place| u64::from(place.bytes)).sum()
    }

    /// Checks and decompresses the stored bytes of one block.
    #[cfg(feature = "inflate")]
    pub fn decode(&self, id: BlockId, stored: &[u8]) -> Result<Vec<u8>, FormatError> {
        self.unseal(id, stored)?.inflate()
    }

    /// Checks the stored bytes of one block; what they hold is to be decompressed.
    pub fn unseal<'a>(&self, id: BlockId, stored: &'a [u8]) -> Result<Sealed<'a>, FormatError> {
        let place = self.place(id.block).ok_or(FormatError::corrupt(id.part.name(), "block number"))?;
        unseal(id, self.identity, place.bytes, stored)
    }
}

/// Checks the stored bytes of a block, of which there are `bytes`, in a part of this identity.
pub fn unseal(id: BlockId, identity: u64, bytes: u32, stored: &[u8]) -> Result<Sealed<'_>, FormatError> {
    let part = id.part.name();
    if stored.len() != bytes as usize || stored.len() < CHECK_BYTES {
        return Err(FormatError::truncated(part, "block"));
    }
    let (body, check) = stored.split_at(stored.len() - CHECK_BYTES);
    if check != checksum(identity, id.block, body) {
        return Err(FormatError::Checksum { part, block: id.block });
    }
    Sealed::read(part, body)
}

/// Bytes that were checked and wait for decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed<'a> {
    part: &'static str,
    /// Size that they decompress to, exactly, at most [`MAX_BLOCK_BYTES`]; 0 for bytes that stand as they are.
    pub raw_bytes: u32,
    /// A raw deflate stream, or the bytes as they are.
    pub body: &'a [u8],
}

impl<'a> Sealed<'a> {
    /// Reads varint raw size and body.
    pub(super) fn read(part: &'static str, stored: &'a [u8]) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(part, stored);
        let raw_bytes = cursor.varint("raw size")?;
        if raw_bytes > MAX_BLOCK_BYTES {
            let (limit, got) = (u64::from(MAX_BLOCK_BYTES), u64::from(raw_bytes));
            return Err(FormatError::TooLarge { part, what: "block", limit, got });
        }
        Ok(Self { part, raw_bytes, body: cursor.take(cursor.remaining(), "body")? })
    }

    /// The raw bytes.
    #[cfg(feature = "inflate")]
    pub fn inflate(self) -> Result<Vec<u8>, FormatError> {
        if self.raw_bytes == 0 { Ok(self.body.to_vec()) } else { inflate(self.part, self.body, self.raw_bytes) }
    }
}

/// Inflates to exactly `raw_bytes`.
#[cfg(feature = "inflate")]
fn inflate(part: &'static str, deflated: &[u8], raw_bytes: u32) -> Result<Vec<u8>, FormatError> {
    let mut raw = vec![0; raw_bytes as usize];
    let mut inflater = miniz_oxide::inflate::core::DecompressorOxide::new();
    let flags = miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, read, written) = miniz_oxide::inflate::core::decompress(&mut inflater, deflated, &mut raw, 0, flags);
    if status != miniz_oxide::inflate::TINFLStatus::Done || read != deflated.len() || written != raw.len() {
        return Err(FormatError::corrupt(part, "deflate stream"));
    }
    Ok(raw)
}

/// The checksum of a block's stored bytes, seeded with the part's identity and the block's number.
pub fn checksum(identity: u64, block: u32, body: &[u8]) -> [u8; CHECK_BYTES] {
    (xxh64(body, identity ^ u64::from(block)) as u32).to_le_bytes()
}

/// Compresses raw blocks into the files of one part.
#[cfg(feature = "write")]
#[derive(Clone, Debug, Default)]
pub struct PartWriter {
    bodies: Vec<Vec<u8>>,
}

/// A part ready to be stored.
#[cfg(feature = "write")]
#[derive(Debug)]
pub struct WrittenPart {
    /// The bytes of each of its files.
    pub files: Vec<Vec<u8>>,
    /// Its blocks.
    pub table: BlockTable,
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
        assert!(raw.len() < MAX_BLOCK_BYTES as usize - 64, "a writer cuts its blocks below the limit");
        let deflated = deflate(raw);
        let mut body = Vec::new();
        if deflated.len() < raw.len() {
            super::bytes::put_varint(&mut body, raw.len() as u64);
            body.extend(deflated);
        } else {
            body.push(0);
            body.extend_from_slice(raw);
        }
        self.bodies.push(body);
    }

    /// Appends a stream as blocks of `block_bytes`, the last one shorter.
    pub fn push_stream(&mut self, raw: &[u8], block_bytes: usize) {
        for block in raw.chunks(block_bytes) {
            self.push(block);
        }
    }

    /// Blocks so far.
    pub fn blocks(&self) -> u32 {
        self.bodies.len() as u32
    }

    /// The part's files, of at most `file_limit` bytes where a block allows it; 0 makes one file.
    pub fn finish(self, part: Part, file_limit: u32) -> WrittenPart {
        let mut hasher = blake3::Hasher::new();
        // The same blocks in files of another size are other files.
        hasher.update(&file_limit.to_le_bytes());
        for body in &self.bodies {
            hasher.update(&(body.len() as u32).to_le_bytes());
            hasher.update(body);
        }
        let hash = hasher.finalize();
        let identity = u64::from_be_bytes(hash.as_bytes()[..8].try_into().expect("a hash is longer"));
        let sizes: Vec<u32> = self.bodies.iter().map(|body| (body.len() + CHECK_BYTES) as u32).collect();
        let table = BlockTable::new(part, identity, &sizes, file_limit).expect("a writer keeps to the limits");
        let mut files = vec![Vec::new(); table.files() as usize];
        for (number, body) in self.bodies.iter().enumerate() {
            let file = &mut files[table.places[number].file as usize];
            file.extend_from_slice(body);
            file.extend(checksum(identity, number as u32, body));
        }
        WrittenPart { files, table }
    }
}

#[cfg(feature = "write")]
impl WrittenPart {
    /// Checks and decompresses one block, for tests and measurements.
    pub fn decode(&self, id: BlockId) -> Result<Vec<u8>, FormatError> {
        let place = self.table.place(id.block).ok_or(FormatError::corrupt(id.part.name(), "block number"))?;
        let file = &self.files[place.file as usize];
        self.table.decode(id, &file[place.start as usize..][..place.bytes as usize])
    }
}

#[cfg(feature = "write")]
impl BlockTable {
    /// Appends the table; [`BlockTable::read`] reads it.
    pub fn write(&self, out: &mut Vec<u8>) {
        super::bytes::put_varint(out, u64::from(self.len()));
        for place in &self.places {
            super::bytes::put_varint(out, u64::from(place.bytes));
        }
    }
}

/// Raw deflate at the densest level.
#[cfg(feature = "write")]
pub(crate) fn deflate(raw: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(raw, PartWriter::LEVEL)
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PART: Part = Part::Pages;

    proptest! {
        #[test]
        fn every_block_comes_back_from_files_of_any_limit(blocks in prop::collection::vec(prop::collection::vec(0u8..4, 1..300), 0..20), limit in 0u32..400) {
            let mut writer = PartWriter::default();
            for block in &blocks {
                writer.push(block);
            }
            let part = writer.finish(PART, limit);
            let mut table = Vec::new();
            part.table.write(&mut table);
            let read = BlockTable::read(&mut Cursor::new("test", &table), PART, part.table.identity(), limit).unwrap();
            prop_assert_eq!(&read, &part.table);
            for (number, block) in blocks.iter().enumerate() {
                prop_assert_eq!(&part.decode(BlockId { part: PART, block: number as u32 }).unwrap(), block);
            }
            for (number, file) in part.files.iter().enumerate() {
                prop_assert_eq!(file.len() as u64, part.table.file_bytes(number as u32));
                let alone = part.table.places.iter().filter(|place| place.file == number as u32).count() == 1;
                prop_assert!(limit == 0 || alone || file.len() <= limit as usize);
            }
        }

        #[test]
        fn a_flipped_bit_is_noticed(raw in prop::collection::vec(0u8..4, 1..200), at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let mut writer = PartWriter::default();
            writer.push(&raw);
            let mut part = writer.finish(PART, 0);
            let at = at.index(part.files[0].len());
            part.files[0][at] ^= 1 << bit;
            let refused = part.decode(BlockId { part: PART, block: 0 });
            prop_assert_eq!(refused, Err(FormatError::Checksum { part: PART.name(), block: 0 }));
        }
    }

    #[test]
    fn a_block_of_another_place_or_generation_is_noticed() {
        let write = |first: &[u8]| {
            let mut writer = PartWriter::default();
            writer.push(first);
            writer.push(b"the same second block");
            writer.push(b"the same second block");
            writer.finish(PART, 0)
        };
        let (old, new) = (write(b"old"), write(b"new"));
        let stored = |part: &WrittenPart, block: u32| {
            let place = part.table.place(block).unwrap();
            part.files[0][place.start as usize..][..place.bytes as usize].to_vec()
        };
        let id = BlockId { part: PART, block: 1 };
        assert!(new.table.decode(id, &stored(&new, 1)).is_ok());
        let refused = Err(FormatError::Checksum { part: PART.name(), block: 1 });
        assert_eq!(new.table.decode(id, &stored(&old, 1)), refused);
        assert_eq!(new.table.decode(id, &stored(&new, 2)), refused);
    }

    #[test]
    fn a_block_that_inflates_beyond_its_declared_size_is_refused() {
        let bomb = deflate(&vec![0u8; 1 << 20]);
        assert!(inflate("test", &bomb, 1 << 20).is_ok());
        assert_eq!(inflate("test", &bomb, 1 << 10), Err(FormatError::corrupt("test", "deflate stream")));
        let mut sealed = Vec::new();
        crate::format::bytes::put_varint(&mut sealed, u64::from(u32::MAX));
        assert!(matches!(Sealed::read("test", &sealed), Err(FormatError::TooLarge { .. })));
    }
}
