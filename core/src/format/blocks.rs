//! A part is a series of blocks. Each block is compressed and has its own checksum, so that it can be fetched and
//! decoded separately.
//!
//! A stored block consists of the uncompressed length as a varint (0 if the bytes are not compressed), the bytes as a
//! raw deflate stream or uncompressed, and a checksum of four bytes. The checksum is seeded with the part's identity
//! and the block's number. It thus detects a block from another generation, an error page that a server sends instead,
//! and a download that was cut off. A table needs only the stored sizes.

use super::bytes::Cursor;
use super::proof::CHECK_BYTES;
#[cfg(feature = "write")]
use super::proof::{PartHash, PartHasher};
use super::{FormatError, FormatErrorKind, Part};
use std::sync::OnceLock;
use xxhash_rust::xxh64::xxh64;

/// Largest uncompressed size of a block. A reader allocates no more than this for a block, whatever its bytes say.
pub const MAX_BLOCK_BYTES: u32 = 16 << 20;
const SIZE: &str = "stored size of a block";

/// A block of a part.
///
/// [`PartWriter`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId {
    /// The part.
    pub part: Part,
    /// Number of the block in its part, starting at 0.
    pub block: u32,
}

/// The location of a block's stored bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRange {
    /// Number of the file among the files of the part.
    pub file: u32,
    /// First byte in the file.
    pub start: u64,
    /// Number of bytes.
    pub bytes: u32,
}

/// A table that grows with the site has two levels if it has at least this number of blocks.
pub const TWO_LEVELS: u32 = 4096;
/// Number of blocks in a group of a table with two levels.
pub const GROUP_BLOCKS: u32 = 256;
/// Maximum number of blocks in a table with two levels, because a reader allocates some bytes for each group.
const MAX_BLOCKS: u32 = 1 << 24;

/// The blocks of a part, and their locations in the part's files.
///
/// ```
/// use nearfind_core::format::Part;
/// use nearfind_core::format::blocks::BlockTable;
///
/// // With a limit of 100 bytes, the third block begins another file.
/// let table = BlockTable::new(Part::Pages, 7, &[40, 50, 30], 100)?;
/// assert_eq!(table.files(), 2);
/// let third = table.place(2).unwrap();
/// assert_eq!((third.file, third.start, third.bytes), (1, 0, 30));
/// assert_eq!(table.place(3), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockTable {
    identity: u64,
    blocks: u32,
    /// Number of blocks in each group but the last one.
    group_blocks: u32,
    groups: Vec<Group>,
    file_lengths: Vec<u64>,
    file_limit: u32,
}

/// A group of consecutive blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Group {
    /// The earliest location where the first block may begin.
    file: u32,
    start: u64,
    /// The locations of the blocks, once the group is loaded.
    places: OnceLock<Vec<StoredRange>>,
}

impl BlockTable {
    /// Lays out blocks with these stored `sizes` one after the other. If `file_limit` is not 0, a block that would make
    /// a file longer than the limit begins the next file.
    pub fn new(part: Part, identity: u64, sizes: &[u32], file_limit: u32) -> Result<Self, FormatError> {
        let places = laid_out(part, (0, 0), sizes, file_limit)?;
        let mut file_lengths = Vec::new();
        for place in &places {
            file_lengths.resize(place.file as usize + 1, 0);
            file_lengths[place.file as usize] = place.start + u64::from(place.bytes);
        }
        let blocks = places.len() as u32;
        let group = Group { file: 0, start: 0, places: OnceLock::from(places) };
        let groups = if blocks == 0 { Vec::new() } else { vec![group] };
        Ok(Self { identity, blocks, group_blocks: blocks, groups, file_lengths, file_limit })
    }

    /// Reads a table: the varint number of blocks, followed by a varint for the stored size of each block.
    pub fn read(cursor: &mut Cursor<'_>, part: Part, identity: u64, file_limit: u32) -> Result<Self, FormatError> {
        let count = cursor.varint("number of blocks")? as usize;
        Self::new(part, identity, &cursor.varints(count, SIZE)?, file_limit)
    }

    /// Reads a table that has two levels if it has at least [`TWO_LEVELS`] blocks. It begins with the varint number of
    /// blocks, the varint number of files, and a varint for the length of each file. Then, each group of
    /// [`GROUP_BLOCKS`] blocks has two varints: the file of its first block, as the difference from the file of the
    /// previous group, and the earliest byte offset in that file where the block may begin. The sizes of the group's
    /// blocks are elsewhere: see [`BlockTable::provide_group`].
    pub fn read_levels(
        cursor: &mut Cursor<'_>,
        part: Part,
        identity: u64,
        file_limit: u32,
    ) -> Result<Self, FormatError> {
        let blocks = cursor.varint("number of blocks")?;
        if blocks < TWO_LEVELS {
            return Self::new(part, identity, &cursor.varints(blocks as usize, SIZE)?, file_limit);
        }
        if blocks > MAX_BLOCKS {
            let (limit, got) = (u64::from(MAX_BLOCKS), u64::from(blocks));
            return Err(FormatErrorKind::TooLarge { part: part.name(), what: "number of blocks", limit, got }.into());
        }
        let mut table = Self { identity, blocks, group_blocks: GROUP_BLOCKS, file_limit, ..Self::default() };
        // The blocks cannot have more bytes than this, so sums of lengths and starts cannot overflow.
        let mut left = u64::from(blocks) * u64::from(MAX_BLOCK_BYTES);
        for _ in 0..cursor.count(1, "number of files")? {
            let length = cursor.varint64("length of a file")?;
            left = left.checked_sub(length).ok_or(FormatError::corrupt(part.name(), "length of a file"))?;
            table.file_lengths.push(length);
        }
        let mut file = 0u32;
        for _ in 0..blocks.div_ceil(GROUP_BLOCKS) {
            let next = file.checked_add(cursor.varint("file of a group")?);
            file = next.filter(|&next| table.file_bytes(next) > 0).ok_or(FormatError::corrupt(part.name(), "file"))?;
            let start = cursor.varint64("start of a group")?;
            if start > table.file_bytes(file) {
                return Err(FormatError::corrupt(part.name(), "start of a group"));
            }
            table.groups.push(Group { file, start, places: OnceLock::new() });
        }
        Ok(table)
    }

    /// Adds the sizes of a group's blocks, one varint per block. The group may already be loaded.
    pub fn provide_group(&self, part: Part, group: u32, raw: &[u8]) -> Result<(), FormatError> {
        let unknown = FormatError::corrupt(part.name(), "group of a table");
        let of_group = self.groups.get(group as usize).ok_or(unknown)?;
        let count = (self.blocks - group * self.group_blocks).min(self.group_blocks);
        let mut cursor = Cursor::new(part.name(), raw);
        let sizes = cursor.varints(count as usize, SIZE)?;
        cursor.finish("bytes after the sizes of blocks")?;
        let places = laid_out(part, (of_group.file, of_group.start), &sizes, self.file_limit)?;
        if places.iter().any(|place| place.start + u64::from(place.bytes) > self.file_bytes(place.file)) {
            return Err(FormatError::corrupt(part.name(), SIZE));
        }
        of_group.places.get_or_init(|| places);
        Ok(())
    }

    /// Returns the number of groups whose sizes are elsewhere, or 0 for a table with one level.
    pub fn groups_elsewhere(&self) -> u32 {
        if self.group_blocks == self.blocks { 0 } else { self.groups.len() as u32 }
    }

    /// Returns the number of the group that must be loaded before the location of block `block` is known, or `None` if
    /// the group is loaded.
    pub fn unknown_group(&self, block: u32) -> Option<u32> {
        let group = block.checked_div(self.group_blocks)?;
        self.groups.get(group as usize).filter(|known| known.places.get().is_none()).map(|_| group)
    }

    /// Returns the number of blocks.
    pub const fn len(&self) -> u32 {
        self.blocks
    }

    /// Returns whether the part has no blocks.
    pub const fn is_empty(&self) -> bool {
        self.blocks == 0
    }

    /// Returns the hash of the part's content, which names its files and seeds its checksums.
    pub const fn identity(&self) -> u64 {
        self.identity
    }

    /// Returns the location of block `block`, if the block exists and its group is loaded.
    pub fn place(&self, block: u32) -> Option<StoredRange> {
        let group = self.groups.get(block.checked_div(self.group_blocks)? as usize)?;
        group.places.get()?.get((block % self.group_blocks) as usize).copied()
    }

    /// Returns the number of files.
    pub const fn files(&self) -> u32 {
        self.file_lengths.len() as u32
    }

    /// Returns the length of a file.
    pub fn file_bytes(&self, file: u32) -> u64 {
        self.file_lengths.get(file as usize).copied().unwrap_or(0)
    }

    /// Returns the stored size of all blocks.
    pub fn stored_total(&self) -> u64 {
        self.file_lengths.iter().sum()
    }

    /// Checks and decompresses the stored bytes of a block.
    #[cfg(feature = "inflate")]
    pub fn decode(&self, id: BlockId, stored: &[u8]) -> Result<Vec<u8>, FormatError> {
        self.unseal(id, stored)?.inflate()
    }

    /// Checks the stored bytes of a block. The caller must then decompress the content.
    pub fn unseal<'a>(&self, id: BlockId, stored: &'a [u8]) -> Result<Sealed<'a>, FormatError> {
        let place = self.place(id.block).ok_or(FormatError::corrupt(id.part.name(), "block number"))?;
        unseal(id, self.identity, place.bytes, stored)
    }
}

/// Returns the locations of blocks with these stored `sizes`. The first block is at `start` in `file`, or begins the
/// next file.
fn laid_out(
    part: Part,
    (file, start): (u32, u64),
    sizes: &[u32],
    file_limit: u32,
) -> Result<Vec<StoredRange>, FormatError> {
    let mut places = Vec::with_capacity(sizes.len());
    let mut next = StoredRange { file, start, bytes: 0 };
    for &bytes in sizes {
        if bytes as usize <= CHECK_BYTES || bytes > MAX_BLOCK_BYTES {
            return Err(FormatError::corrupt(part.name(), SIZE));
        }
        if file_limit > 0 && next.start > 0 && next.start + u64::from(bytes) > u64::from(file_limit) {
            next = StoredRange { file: next.file + 1, start: 0, bytes: 0 };
        }
        places.push(StoredRange { bytes, ..next });
        next.start += u64::from(bytes);
    }
    Ok(places)
}

/// Checks the stored bytes of a block that must have `bytes` bytes, in the part with this identity.
pub fn unseal(id: BlockId, identity: u64, bytes: u32, stored: &[u8]) -> Result<Sealed<'_>, FormatError> {
    let part = id.part.name();
    if stored.len() != bytes as usize || stored.len() < CHECK_BYTES {
        return Err(FormatError::truncated(part, "block"));
    }
    let (body, check) = stored.split_at(stored.len() - CHECK_BYTES);
    if check != checksum(identity, id.block, body) {
        return Err(FormatErrorKind::Checksum { part, block: id.block }.into());
    }
    Sealed::read(part, body)
}

/// The content of a block after its checksum was verified and before it is decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed<'a> {
    part: &'static str,
    /// Exact size after decompression, at most [`MAX_BLOCK_BYTES`]. 0 for bytes that are not compressed.
    pub raw_bytes: u32,
    /// A raw deflate stream, or uncompressed bytes.
    pub body: &'a [u8],
}

impl<'a> Sealed<'a> {
    /// Reads the uncompressed size, a varint, and the body.
    pub(super) fn read(part: &'static str, stored: &'a [u8]) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(part, stored);
        let raw_bytes = cursor.varint("raw size")?;
        if raw_bytes > MAX_BLOCK_BYTES {
            let (limit, got) = (u64::from(MAX_BLOCK_BYTES), u64::from(raw_bytes));
            return Err(FormatErrorKind::TooLarge { part, what: "block", limit, got }.into());
        }
        Ok(Self { part, raw_bytes, body: cursor.take(cursor.remaining(), "body")? })
    }

    /// Returns the uncompressed bytes.
    #[cfg(feature = "inflate")]
    pub fn inflate(self) -> Result<Vec<u8>, FormatError> {
        if self.raw_bytes == 0 { Ok(self.body.to_vec()) } else { inflate(self.part, self.body, self.raw_bytes) }
    }
}

/// Inflates a stream to exactly `raw_bytes`.
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

/// Returns the checksum of a block's stored bytes, seeded with the part's identity and the block's number.
pub fn checksum(identity: u64, block: u32, body: &[u8]) -> [u8; CHECK_BYTES] {
    (xxh64(body, identity ^ u64::from(block)) as u32).to_le_bytes()
}

/// Compresses blocks into the files of a part.
///
/// ```
/// use nearfind_core::format::Part;
/// use nearfind_core::format::blocks::{BlockId, PartWriter};
///
/// let mut writer = PartWriter::default();
/// writer.push(b"the first block");
/// writer.push(b"the second block");
/// let part = writer.finish(Part::Pages, 0);
///
/// let second = BlockId { part: Part::Pages, block: 1 };
/// assert_eq!(part.decode(second)?, b"the second block");
/// // Both blocks are in one file, one after the other.
/// let place = part.table.place(1).unwrap();
/// assert_eq!((part.files.len(), place.file), (1, 0));
/// assert_eq!(place.start, u64::from(part.table.place(0).unwrap().bytes));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "write")]
#[derive(Clone, Debug, Default)]
pub struct PartWriter {
    bodies: Vec<Vec<u8>>,
}

/// A part that is ready to be stored.
#[cfg(feature = "write")]
#[derive(Debug)]
pub struct WrittenPart {
    /// The bytes of each file.
    pub files: Vec<Vec<u8>>,
    /// The block table.
    pub table: BlockTable,
    /// The hash of the part's content.
    pub hash: PartHash,
}

#[cfg(feature = "write")]
impl PartWriter {
    /// Deflate level. It is the densest level that still indexes thousands of pages in seconds.
    const LEVEL: u8 = 9;

    /// Appends a block. Empty blocks are not written.
    ///
    /// # Panics
    /// Panics if `raw` is larger than [`MAX_BLOCK_BYTES`].
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

    /// Appends a stream as blocks of `block_bytes`. The last one may be shorter.
    pub fn push_stream(&mut self, raw: &[u8], block_bytes: usize) {
        for block in raw.chunks(block_bytes) {
            self.push(block);
        }
    }

    /// Returns the number of blocks written so far.
    pub fn blocks(&self) -> u32 {
        self.bodies.len() as u32
    }

    /// Returns the part, with files of at most `file_limit` bytes unless a single block is larger. A limit of 0 means a
    /// single file.
    pub fn finish(self, part: Part, file_limit: u32) -> WrittenPart {
        let mut hasher = PartHasher::new(file_limit);
        self.bodies.iter().for_each(|body| hasher.add(body));
        let hash = hasher.finish();
        let identity = hash.identity();
        let sizes: Vec<u32> = self.bodies.iter().map(|body| (body.len() + CHECK_BYTES) as u32).collect();
        let table = BlockTable::new(part, identity, &sizes, file_limit).expect("a writer keeps to the limits");
        let mut files = vec![Vec::new(); table.files() as usize];
        for (number, body) in self.bodies.iter().enumerate() {
            let file = &mut files[table.place(number as u32).map_or(0, |place| place.file) as usize];
            file.extend_from_slice(body);
            file.extend(checksum(identity, number as u32, body));
        }
        WrittenPart { files, table, hash }
    }
}

#[cfg(feature = "write")]
impl WrittenPart {
    /// Checks and decompresses a block, for tests and measurements.
    pub fn decode(&self, id: BlockId) -> Result<Vec<u8>, FormatError> {
        let place = self.table.place(id.block).ok_or(FormatError::corrupt(id.part.name(), "block number"))?;
        let file = &self.files[place.file as usize];
        self.table.decode(id, &file[place.start as usize..][..place.bytes as usize])
    }
}

#[cfg(feature = "write")]
impl BlockTable {
    /// Appends the table, which [`BlockTable::read`] reads.
    pub fn write(&self, out: &mut Vec<u8>) {
        super::bytes::put_varint(out, u64::from(self.len()));
        self.write_sizes(0..self.len(), out);
    }

    /// Appends the table, which [`BlockTable::read_levels`] reads. With at least [`TWO_LEVELS`] blocks, the table has
    /// two levels, and the uncompressed bytes of each group are returned.
    pub fn write_levels(&self, out: &mut Vec<u8>) -> Vec<Vec<u8>> {
        use super::bytes::put_varint;
        if self.len() < TWO_LEVELS {
            self.write(out);
            return Vec::new();
        }
        put_varint(out, u64::from(self.len()));
        put_varint(out, u64::from(self.files()));
        self.file_lengths.iter().for_each(|&length| put_varint(out, length));
        let mut groups = Vec::new();
        let mut file = 0;
        for first in (0..self.len()).step_by(GROUP_BLOCKS as usize) {
            let place = self.place(first).unwrap_or(StoredRange { file, start: 0, bytes: 0 });
            put_varint(out, u64::from(place.file - file));
            put_varint(out, place.start);
            file = place.file;
            let mut sizes = Vec::new();
            self.write_sizes(first..(first + GROUP_BLOCKS).min(self.len()), &mut sizes);
            groups.push(sizes);
        }
        groups
    }

    fn write_sizes(&self, blocks: std::ops::Range<u32>, out: &mut Vec<u8>) {
        let sizes = blocks.filter_map(|block| self.place(block)).map(|place| place.bytes);
        sizes.for_each(|bytes| super::bytes::put_varint(out, u64::from(bytes)));
    }
}

/// Compresses to raw deflate at the densest level.
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
                let alone = (0..part.table.len()).filter_map(|block| part.table.place(block)).filter(|place| place.file == number as u32).count() == 1;
                prop_assert!(limit == 0 || alone || file.len() <= limit as usize);
            }
        }

        /// The oracle is the table with one level.
        #[test]
        fn two_levels_say_what_one_says(sizes in prop::collection::vec(5u32..999, 4000..4800), limit in prop_oneof![Just(0u32), 1000u32..99_999], asked in any::<prop::sample::Index>()) {
            let table = BlockTable::new(PART, 7, &sizes, limit).unwrap();
            let mut raw = Vec::new();
            let groups = table.write_levels(&mut raw);
            let mut cursor = Cursor::new("test", &raw);
            let read = BlockTable::read_levels(&mut cursor, PART, 7, limit).unwrap();
            cursor.finish("end").unwrap();
            prop_assert_eq!(read.groups_elsewhere() as usize, groups.len());
            prop_assert_eq!(groups.is_empty(), sizes.len() < TWO_LEVELS as usize);
            let block = asked.index(sizes.len()) as u32;
            if let Some(group) = read.unknown_group(block) {
                prop_assert_eq!(read.place(block), None);
                read.provide_group(PART, group, &groups[group as usize]).unwrap();
            }
            prop_assert_eq!(read.unknown_group(block), None);
            prop_assert_eq!(read.place(block), table.place(block));
            for (number, group) in (0..).zip(&groups) {
                read.provide_group(PART, number, group).unwrap();
            }
            prop_assert!((0..=table.len()).all(|block| read.place(block) == table.place(block)));
            prop_assert!((0..=table.files()).all(|file| read.file_bytes(file) == table.file_bytes(file)));
            prop_assert_eq!((read.len(), read.files(), read.stored_total()), (table.len(), table.files(), table.stored_total()));
        }

        #[test]
        fn lengths_and_starts_beyond_all_measure_are_refused(blocks in TWO_LEVELS..u32::MAX, length in 1u64 << 57.., start: u64, size in 5u32..MAX_BLOCK_BYTES) {
            let mut raw = Vec::new();
            for value in [u64::from(blocks), 1, length, 0, start] {
                crate::format::bytes::put_varint(&mut raw, value);
            }
            prop_assert!(BlockTable::read_levels(&mut Cursor::new("test", &raw), PART, 7, size).is_err());
        }

        #[test]
        fn a_group_that_leaves_its_file_is_refused(sizes in prop::collection::vec(5u32..999, 4096..4200), at in 0usize..256, more in 1u32..999) {
            let table = BlockTable::new(PART, 7, &sizes, 0).unwrap();
            let mut raw = Vec::new();
            let groups = table.write_levels(&mut raw).len() as u32;
            let read = BlockTable::read_levels(&mut Cursor::new("test", &raw), PART, 7, 0).unwrap();
            let mut last = sizes[(groups as usize - 1) * GROUP_BLOCKS as usize..].to_vec();
            let at = at % last.len();
            last[at] += more;
            let mut hostile = Vec::new();
            last.iter().for_each(|&size| crate::format::bytes::put_varint(&mut hostile, u64::from(size)));
            prop_assert!(read.provide_group(PART, groups - 1, &hostile).is_err());
            prop_assert!(read.provide_group(PART, groups, &hostile).is_err());
        }

        #[test]
        fn a_flipped_bit_is_noticed(raw in prop::collection::vec(0u8..4, 1..200), at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let mut writer = PartWriter::default();
            writer.push(&raw);
            let mut part = writer.finish(PART, 0);
            let at = at.index(part.files[0].len());
            part.files[0][at] ^= 1 << bit;
            let refused = part.decode(BlockId { part: PART, block: 0 });
            prop_assert_eq!(refused, Err(FormatErrorKind::Checksum { part: PART.name(), block: 0 }.into()));
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
        let refused = Err(FormatErrorKind::Checksum { part: PART.name(), block: 1 }.into());
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
        assert!(matches!(Sealed::read("test", &sealed).unwrap_err().kind(), FormatErrorKind::TooLarge { .. }));
    }
}
