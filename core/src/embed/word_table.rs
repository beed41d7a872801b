//! The rows of words. Some of them may not be loaded.

use super::model_pack::{BertShape, ModelPack, QuantizedTable};
use super::row_blocks::NAME;
use super::row_blocks::{ROW_HASHES_BLOB, RowBlocks};
use crate::format::FormatError;
use nearfind_kernels::{GroupRows, RowBits, SharedBytes};
use std::ops::Range;
use std::sync::OnceLock;

/// A table with a row for each piece of the vocabulary. The blocks come with the pack, or are provided later when texts
/// need them.
#[derive(Debug)]
pub(super) struct WordTable {
    blocks: Box<[OnceLock<GroupRows>]>,
    cut: RowBlocks,
    hashes: SharedBytes,
    /// The offset of the rows in the pack's file.
    start: u64,
    bits: RowBits,
    width: usize,
    group: usize,
    row_bytes: usize,
}

impl WordTable {
    /// Reads the table of a pack, whose rows may be missing.
    pub(super) fn of_pack(
        pack: &ModelPack<SharedBytes>,
        shape: &BertShape,
        table: QuantizedTable,
    ) -> Result<Self, FormatError> {
        let corrupt = || FormatError::corrupt(NAME, "table of words");
        let (width, group) = (shape.hidden as usize, table.group as usize);
        let bits = RowBits::of(table.bits).ok_or_else(corrupt)?;
        let row_bytes = GroupRows::row_bytes(bits, width, group).ok_or_else(corrupt)?;
        let cut = pack.header().rows.ok_or_else(corrupt)?;
        let all = (row_bytes as u64).checked_mul(u64::from(shape.vocabulary));
        if all != Some(cut.bytes) || !cut.block.is_multiple_of(row_bytes as u64) {
            return Err(corrupt());
        }
        let hashes = pack.shared_blob(ROW_HASHES_BLOB)?;
        let blocks = (0..cut.count(&hashes)?).map(|_| OnceLock::new()).collect();
        let start = pack.start_bytes() as u64;
        let words = Self { blocks, cut, hashes, start, bits, width, group, row_bytes };
        if let Some(rows) = pack.shared_rows() {
            for number in 0..words.blocks.len() {
                let Range { start, end } = cut.range(number);
                let block = rows.slice(start as usize..end as usize).ok_or_else(corrupt)?;
                words.put(number, block)?;
            }
        }
        Ok(words)
    }

    /// Writes row `row` to `out`, which must have the length of a row.
    pub(super) fn read(&self, row: usize, out: &mut [f32]) -> Result<(), FormatError> {
        let per_block = self.cut.block as usize / self.row_bytes;
        let block = self.blocks.get(row / per_block).and_then(OnceLock::get);
        let block = block.ok_or(FormatError::corrupt(NAME, "the row of a word is missing"))?;
        block.read(row % per_block, out).map_err(|_| FormatError::corrupt(NAME, "row of a word"))
    }

    /// Returns the byte ranges of the pack's file to fetch before these rows can be read.
    pub(super) fn missing(&self, rows: &[u32]) -> Vec<Range<u64>> {
        let per_block = self.cut.block / self.row_bytes as u64;
        let block_of = |&row: &u32| (u64::from(row) / per_block) as usize;
        let is_missing = |number: &usize| self.blocks.get(*number).is_some_and(|block| block.get().is_none());
        let mut blocks: Vec<usize> = rows.iter().map(block_of).filter(is_missing).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let neighbors = blocks.chunk_by(|a, b| a + 1 == *b);
        let range_of = |blocks: &[usize]| {
            let (first, last) = (self.cut.range(blocks[0]), self.cut.range(blocks[blocks.len() - 1]));
            self.start + first.start..self.start + last.end
        };
        neighbors.map(range_of).collect()
    }

    /// Adds the bytes of a range that [`WordTable::missing`] returned. The range begins at `start` in the pack's file.
    pub(super) fn provide(&self, start: u64, bytes: &[u8]) -> Result<(), FormatError> {
        let at = start.checked_sub(self.start).filter(|at| at.is_multiple_of(self.cut.block));
        let first = at.ok_or(FormatError::corrupt(NAME, "no block of rows begins there"))? / self.cut.block;
        for (number, block) in (first as usize..).zip(bytes.chunks(self.cut.block as usize)) {
            if number >= self.blocks.len() {
                return Err(FormatError::corrupt(NAME, "more rows than words"));
            }
            self.cut.check(&self.hashes, number, block)?;
            self.put(number, SharedBytes::new(block.to_vec()))?;
        }
        Ok(())
    }

    fn put(&self, number: usize, block: SharedBytes) -> Result<(), FormatError> {
        let rows = block.len() / self.row_bytes;
        let rows = GroupRows::new(block, self.bits, rows, self.width, self.group);
        // A block that is provided twice has the same content both times.
        let _ = self.blocks[number].set(rows.map_err(|_| FormatError::corrupt(NAME, "block of rows"))?);
        Ok(())
    }
}
