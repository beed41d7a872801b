//! The root: what a reader must know before it can name the first block. Fetched whole, right after the manifest.

use super::blocks::{BlockEntry, BlockTable};
use super::bytes::Cursor;
use super::{FORMAT_VERSION, FormatError, Part};
use crate::vector::MAX_DIMENSIONS;

const NAME: &str = "root";
const MAGIC: &[u8; 8] = b"nearfind";

/// Counts, statistics, block tables and the first key of each block.
#[derive(Clone, Debug)]
pub struct Root {
    /// Number of documents.
    pub documents: u32,
    /// Number of chunks.
    pub chunks: u32,
    /// Tokens of all chunks, for the mean length in BM25.
    pub tokens: u64,
    /// Length of a vector.
    pub dimensions: u32,
    /// Value of one code step: a component is `code * vector_step`.
    pub vector_step: f32,
    /// The chunk at which a walk of the graph starts.
    pub graph_entry: u32,
    /// First term of each dictionary block, ascending.
    pub first_terms: Vec<String>,
    /// First document number of each block of document records, ascending from 0.
    pub first_documents: Vec<u32>,
    /// First chunk number of each block of chunk records, ascending from 0.
    pub first_chunks: Vec<u32>,
    tables: Vec<BlockTable>,
}

impl Root {
    /// The block table of `part`.
    pub fn table(&self, part: Part) -> &BlockTable {
        &self.tables[part.index()]
    }

    /// Rows in each block of a part with fixed-width rows, the last block aside.
    pub fn rows_per_block(&self, part: Part, row_bytes: u64) -> u32 {
        (self.table(part).raw_start(1) / row_bytes).max(1) as u32
    }

    /// Reads and checks a root.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(NAME, bytes);
        if cursor.take(MAGIC.len(), "magic")? != MAGIC {
            return Err(FormatError::corrupt(NAME, "magic"));
        }
        let version = cursor.u32("version")?;
        if version != FORMAT_VERSION {
            return Err(FormatError::Version { part: NAME, expected: FORMAT_VERSION, got: u64::from(version) });
        }
        let documents = cursor.u32("documents")?;
        let chunks = cursor.u32("chunks")?;
        let tokens = cursor.u64("tokens")?;
        let dimensions = cursor.u32("dimensions")?;
        let vector_step = cursor.finite_f32("vector step")?;
        let graph_entry = cursor.u32("graph entry")?;
        let mut tables = Vec::with_capacity(Part::ALL.len());
        for part in Part::ALL {
            let count = cursor.count(16, "block count")?;
            let mut entries = Vec::with_capacity(count);
            for _ in 0..count {
                entries.push(BlockEntry {
                    stored_bytes: cursor.u32("block table")?,
                    raw_bytes: cursor.u32("block table")?,
                    hash: cursor.u64("block table")?,
                });
            }
            tables.push(BlockTable::new(part, entries)?);
        }
        let mut first_terms = Vec::with_capacity(tables[Part::Terms.index()].len() as usize);
        for _ in 0..tables[Part::Terms.index()].len() {
            first_terms.push(cursor.string("first term")?.to_owned());
        }
        let first_documents = read_firsts(&mut cursor, tables[Part::Documents.index()].len())?;
        let first_chunks = read_firsts(&mut cursor, tables[Part::Chunks.index()].len())?;
        cursor.finish("bytes after the end")?;
        let root = Self {
            documents,
            chunks,
            tokens,
            dimensions,
            vector_step,
            graph_entry,
            first_terms,
            first_documents,
            first_chunks,
            tables,
        };
        root.validate()?;
        Ok(root)
    }

    fn validate(&self) -> Result<(), FormatError> {
        let ensure = |holds: bool, what| if holds { Ok(()) } else { Err(FormatError::corrupt(NAME, what)) };
        ensure(self.documents <= self.chunks, "more documents than chunks")?;
        ensure(self.first_terms.is_sorted_by(|a, b| a < b), "order of first terms")?;
        for (firsts, records) in [(&self.first_documents, self.documents), (&self.first_chunks, self.chunks)] {
            ensure(firsts.is_sorted_by(|a, b| a < b), "order of first records")?;
            ensure(firsts.first().is_none_or(|&first| first == 0), "number of the first record")?;
            ensure(firsts.last().is_none_or(|&last| last < records), "number of a first record")?;
            ensure(firsts.is_empty() == (records == 0), "records without blocks")?;
        }
        let rows = u64::from(self.chunks);
        ensure(
            self.table(Part::ChunkMap).raw_total() == rows * crate::records::CHUNK_MAP_ROW,
            "size of the chunk map",
        )?;
        ensure((1..=MAX_DIMENSIONS).contains(&self.dimensions), "dimensions")?;
        ensure(self.table(Part::Vectors).raw_total() == rows * u64::from(self.dimensions), "size of the vectors")?;
        ensure(self.vector_step > 0.0 || rows == 0, "vector step")?;
        ensure(self.graph_entry < self.chunks.max(1), "graph entry")?;
        for (part, row) in
            [(Part::Vectors, u64::from(self.dimensions)), (Part::ChunkMap, crate::records::CHUNK_MAP_ROW)]
        {
            let table = self.table(part);
            let block_bytes = table.raw_start(1);
            let regular = (0..table.len()).all(|block| table.raw_start(block) == u64::from(block) * block_bytes);
            ensure(regular && block_bytes.is_multiple_of(row), "rows across two blocks")?;
        }
        Ok(())
    }

    /// The bytes of the root; [`Root::parse`] reads them.
    #[cfg(feature = "write")]
    pub fn to_bytes(&self, entries: &[Vec<BlockEntry>; Part::ALL.len()]) -> Vec<u8> {
        use super::bytes::{put_string, put_varint};
        let mut out = MAGIC.to_vec();
        out.extend(FORMAT_VERSION.to_le_bytes());
        out.extend(self.documents.to_le_bytes());
        out.extend(self.chunks.to_le_bytes());
        out.extend(self.tokens.to_le_bytes());
        out.extend(self.dimensions.to_le_bytes());
        out.extend(self.vector_step.to_le_bytes());
        out.extend(self.graph_entry.to_le_bytes());
        for part in entries {
            put_varint(&mut out, part.len() as u64);
            for entry in part {
                out.extend(entry.stored_bytes.to_le_bytes());
                out.extend(entry.raw_bytes.to_le_bytes());
                out.extend(entry.hash.to_le_bytes());
            }
        }
        for term in &self.first_terms {
            put_string(&mut out, term);
        }
        for first in self.first_documents.iter().chain(&self.first_chunks) {
            put_varint(&mut out, u64::from(*first));
        }
        out
    }

    /// A root without blocks, to be filled by a writer.
    #[cfg(feature = "write")]
    pub fn empty(dimensions: u32) -> Self {
        Self {
            documents: 0,
            chunks: 0,
            tokens: 0,
            dimensions,
            vector_step: 1.0,
            graph_entry: 0,
            first_terms: Vec::new(),
            first_documents: Vec::new(),
            first_chunks: Vec::new(),
            tables: vec![BlockTable::default(); Part::ALL.len()],
        }
    }
}

fn read_firsts(cursor: &mut Cursor<'_>, count: u32) -> Result<Vec<u32>, FormatError> {
    (0..count).map(|_| cursor.varint("first record")).collect()
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_newer_version_is_named() {
        let mut bytes = Root::empty(4).to_bytes(&Default::default());
        bytes[8] = 9;
        let refused = Root::parse(&bytes).unwrap_err();
        assert_eq!(refused, FormatError::Version { part: "root", expected: FORMAT_VERSION, got: 9 });
    }

    proptest! {
        #[test]
        fn a_damaged_root_is_read_or_refused(cut in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), value in any::<u8>()) {
            let mut bytes = Root::empty(4).to_bytes(&Default::default());
            let at = at.index(bytes.len());
            bytes[at] = value;
            bytes.truncate(cut.index(bytes.len() + 1));
            let _ = Root::parse(&bytes);
        }
    }
}
