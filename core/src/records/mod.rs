//! What the index knows of documents and chunks: records read by block, and the fixed-width map from chunk to document.

mod chunk;
mod document;

pub use chunk::{CHUNK_MAP_ROW, ChunkMapRow, ChunkRecord, SectionStart};
pub use document::DocumentRecord;

use crate::format::{FormatError, bytes::Cursor};

/// Raw size after which a writer begins a new block of records.
pub const RECORD_BLOCK_BYTES: usize = 8 << 10;

/// A record that lies in blocks with its neighbours, by number.
pub trait Record: Sized {
    /// Reads one record.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, FormatError>;

    /// Appends one record; [`Record::read`] reads it.
    #[cfg(feature = "write")]
    fn write(&self, out: &mut Vec<u8>);
}

/// The block that holds record `number`, given the first record of each block.
pub fn block_of(firsts: &[u32], number: u32) -> Option<u32> {
    firsts.partition_point(|&first| first <= number).checked_sub(1).map(|block| block as u32)
}

/// Reads record `number` from a block whose first record is `first`.
pub fn find<R: Record>(part: &'static str, block: &[u8], first: u32, number: u32) -> Result<R, FormatError> {
    let mut cursor = Cursor::new(part, block);
    for _ in first..number {
        R::read(&mut cursor)?;
    }
    R::read(&mut cursor)
}

/// Every record of a block.
pub fn all<R: Record>(part: &'static str, block: &[u8]) -> Result<Vec<R>, FormatError> {
    let mut cursor = Cursor::new(part, block);
    let mut records = Vec::new();
    while cursor.remaining() > 0 {
        records.push(R::read(&mut cursor)?);
    }
    Ok(records)
}

/// Writes records into blocks; gives the part and the first record of each block.
#[cfg(feature = "write")]
pub fn write_blocks<R: Record>(records: &[R]) -> (crate::format::blocks::PartWriter, Vec<u32>) {
    let mut part = crate::format::blocks::PartWriter::default();
    let mut firsts = Vec::new();
    let mut block = Vec::new();
    for (number, record) in records.iter().enumerate() {
        if block.is_empty() {
            firsts.push(number as u32);
        }
        record.write(&mut block);
        if block.len() >= RECORD_BLOCK_BYTES {
            part.push(&block);
            block.clear();
        }
    }
    part.push(&block);
    (part, firsts)
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::{
        Part,
        blocks::{BlockId, BlockTable},
    };
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_record_is_found_in_its_block(titles in prop::collection::vec(".{0,300}", 1..120)) {
            let records: Vec<_> = titles.iter().map(|title| DocumentRecord { title: title.clone(), ..DocumentRecord::default() }).collect();
            let (part, firsts) = write_blocks(&records);
            let (file, entries) = part.finish();
            let table = BlockTable::new(Part::Documents, entries).unwrap();
            for (number, record) in records.iter().enumerate() {
                let block = block_of(&firsts, number as u32).unwrap();
                let raw = table.decode_in(BlockId { part: Part::Documents, block }, &file).unwrap();
                let found: DocumentRecord = find("documents", &raw, firsts[block as usize], number as u32).unwrap();
                prop_assert_eq!(&found, record);
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..96)) {
            let _ = all::<DocumentRecord>("documents", &bytes);
            let _ = all::<ChunkRecord>("chunks", &bytes);
        }
    }
}
