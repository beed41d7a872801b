//! An open bundle, with the blocks loaded so far.

use super::block_request::BlockRequest;
use crate::collection::SortedSet;
use crate::format::blocks::{BlockId, BlockTable};
use crate::format::{FormatError, Part, Root};
use crate::records::{Catalog, ChunkMap, Directory};
use crate::vector::cells::{Cells, Cluster};
use crate::vector::codes::CodeTables;
use crate::vector::graph::Graph;
use crate::vector::rotation::Rotation;
use crate::vector::stored::{FineRows, read_codes};
use std::ops::Range;
use std::sync::OnceLock;

/// An open bundle: its root, and the blocks that the host has provided so far.
///
/// ```
/// use nearfind_core::reader::BundleReader;
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = BundleReader::new(bundle.manifest.root()?);
/// assert!(!reader.has(BundleReader::MAP));
///
/// // A host reads this range of this file.
/// let wanted = reader.request(BundleReader::MAP)?;
/// let file = bundle.parts.iter().find(|file| file.name == wanted.file).unwrap();
/// reader.provide(BundleReader::MAP, &file.bytes[wanted.start as usize..][..wanted.bytes as usize])?;
/// assert!(reader.has(BundleReader::MAP));
/// assert_eq!(reader.chunks_of(1)?, 1..2);
///
/// // Damaged bytes do not pass the checksum.
/// let mut another = BundleReader::new(bundle.manifest.root()?);
/// assert!(another.provide(BundleReader::MAP, b"damaged").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BundleReader {
    root: Root,
    /// The blocks, by part and number. Blocks of `codes` are decoded immediately, because many queries compare them
    /// again.
    blocks: [Vec<Option<Vec<u8>>>; Part::ALL.len()],
    codes: Vec<Option<Vec<i8>>>,
    tables: CodeTables,
    map: OnceLock<ChunkMap>,
    catalog: OnceLock<Catalog>,
    cells: OnceLock<Cells>,
    /// The clusters, by block. The entry of the first block is not used.
    clusters: Vec<OnceLock<Cluster>>,
    rotation: OnceLock<Rotation>,
    fine: OnceLock<FineRows>,
    graph: OnceLock<Graph>,
    directory: OnceLock<Directory>,
}

impl BundleReader {
    /// The block that almost all others depend on.
    pub const MAP: BlockId = BlockId { part: Part::Map, block: 0 };

    /// Creates a reader of the bundle with this `root`: see [`crate::format::manifest`].
    pub fn new(root: Root) -> Self {
        let clusters = root.table(Part::Cells).len() as usize;
        Self {
            root,
            clusters: std::iter::repeat_with(OnceLock::new).take(clusters).collect(),
            blocks: Default::default(),
            codes: Vec::new(),
            tables: CodeTables::default(),
            map: OnceLock::new(),
            catalog: OnceLock::new(),
            cells: OnceLock::new(),
            rotation: OnceLock::new(),
            fine: OnceLock::new(),
            graph: OnceLock::new(),
            directory: OnceLock::new(),
        }
    }

    /// Returns the root.
    pub const fn root(&self) -> &Root {
        &self.root
    }

    /// Whether the bundle has a query encoder, so that a query can be encoded without the model.
    pub fn has_query_encoder(&self) -> bool {
        !self.root.table(Part::Tokens).is_empty()
    }

    /// Returns the missing blocks among those that every query reads, by words and by near meaning, so that a host can
    /// fetch them before there is a query.
    pub fn always_needed(&self) -> Vec<BlockId> {
        let first = |part| BlockId { part, block: 0 };
        let parts = [Part::Map, Part::Cells, Part::Tokens].into_iter();
        parts.filter(|&part| !self.root.table(part).is_empty()).map(first).filter(|&id| !self.has(id)).collect()
    }

    /// Returns the block table of `part`. The tables of `pages` and `codes` are in the map, and the tables of `symbols`
    /// and `trigrams` are in the directory. For these, the map or the directory must be loaded.
    pub fn table(&self, part: Part) -> Result<&BlockTable, FormatError> {
        Ok(match part {
            Part::Pages => self.map()?.pages(),
            Part::Codes => self.map()?.codes(),
            Part::Symbols => self.directory()?.map_or(self.root.table(part), |directory| &directory.symbols),
            Part::Trigrams => self.directory()?.map_or(self.root.table(part), |directory| &directory.trigrams),
            part => self.root.table(part),
        })
    }

    /// Returns the location of a block.
    pub fn request(&self, id: BlockId) -> Result<BlockRequest, FormatError> {
        let table = self.table(id.part)?;
        let place = table.place(id.block).ok_or(FormatError::corrupt(id.part.name(), "block number"))?;
        Ok(BlockRequest {
            id,
            file: self.root.file_name(id.part, place.file),
            file_bytes: table.file_bytes(place.file),
            start: place.start,
            bytes: place.bytes,
            identity: table.identity(),
        })
    }

    /// Adds a block, after checking and decompressing its stored bytes.
    #[cfg(feature = "inflate")]
    pub fn provide(&mut self, id: BlockId, stored: &[u8]) -> Result<(), FormatError> {
        if self.has(id) { Ok(()) } else { self.provide_raw(id, self.table(id.part)?.decode(id, stored)?) }
    }

    /// Adds a block that the host has decompressed: see [`BlockTable::unseal`].
    pub fn provide_raw(&mut self, id: BlockId, raw: Vec<u8>) -> Result<(), FormatError> {
        if self.table(id.part)?.place(id.block).is_some() && !self.has(id) {
            // The table knows the block, so its number is bounded.
            if id.part == Part::Map && id.block > 0 {
                self.map()?.provide_group(id.block, &raw)?;
                put(&mut self.blocks[Part::Map.index()], id.block, Vec::new());
            } else if id.part == Part::Codes {
                let chunks = self.map()?.chunks_of(id.block).len();
                put(&mut self.codes, id.block, read_codes(&raw, chunks, &self.root, &self.tables)?);
            } else {
                put(&mut self.blocks[id.part.index()], id.block, raw);
            }
        }
        Ok(())
    }

    /// Returns the blocks that contain tables of other parts, in the order in which to load them.
    pub fn blocks_with_tables(&self) -> impl Iterator<Item = BlockId> + use<> {
        let blocks = |part| (0..self.root.table(part).len()).map(move |block| BlockId { part, block });
        blocks(Part::Map).chain(blocks(Part::Directory))
    }

    /// Returns `ids`, but replaces each block whose location is not known yet with the block that contains its
    /// location. The map must be loaded if it contains the table of a block's part.
    pub fn known_first(&self, ids: impl IntoIterator<Item = BlockId>) -> Result<SortedSet<BlockId>, FormatError> {
        let mut first = SortedSet::default();
        for id in ids {
            let table = match id.part {
                Part::Pages | Part::Codes => self.map()?.unknown_table(id.part, id.block),
                _ => None,
            };
            first.insert(table.map_or(id, |block| BlockId { part: Part::Map, block }));
        }
        Ok(first)
    }

    /// Whether the block is loaded.
    pub fn has(&self, id: BlockId) -> bool {
        match id.part {
            Part::Codes => self.codes.get(id.block as usize).is_some_and(Option::is_some),
            part => self.get(part, id.block).is_some(),
        }
    }

    /// Adds `blocks` to `needed`, and returns whether all of them are loaded.
    pub(crate) fn has_all(&self, blocks: &SortedSet<BlockId>, needed: &mut SortedSet<BlockId>) -> bool {
        needed.extend(blocks.as_slice().iter().copied());
        blocks.as_slice().iter().all(|&id| self.has(id))
    }

    /// Returns the coarse codes of the chunks of `document`, row-major. Their block must be loaded.
    pub(crate) fn codes_of(&self, document: u32) -> Result<&[i8], FormatError> {
        let codes = self.codes.get(document as usize).and_then(Option::as_deref);
        codes.ok_or(FormatError::truncated(Part::Codes.name(), "a block was not provided"))
    }

    /// Returns the decompressed bytes of a block, if it is loaded.
    pub(crate) fn get(&self, part: Part, block: u32) -> Option<&[u8]> {
        self.blocks[part.index()].get(block as usize)?.as_deref()
    }

    /// Returns the decompressed bytes of a block, which must be loaded.
    pub(crate) fn block(&self, part: Part, block: u32) -> Result<&[u8], FormatError> {
        self.get(part, block).ok_or(FormatError::truncated(part.name(), "a block was not provided"))
    }

    /// Returns every block of `part` in order. All must be loaded.
    pub(crate) fn all_blocks(&self, part: Part) -> Result<Vec<&[u8]>, FormatError> {
        (0..self.table(part)?.len()).map(|block| self.block(part, block)).collect()
    }

    /// Returns the map. Its first block must be loaded.
    pub(crate) fn map(&self) -> Result<&ChunkMap, FormatError> {
        read_once(&self.map, || ChunkMap::parse(self.block(Part::Map, 0)?, &self.root))
    }

    /// Returns the documents of the file that `document` belongs to. The map must be loaded.
    pub fn file_of_document(&self, document: u32) -> Result<Range<u32>, FormatError> {
        let map = self.map()?;
        let file = map.file_of(document);
        let is_of = |other: &u32| map.file_of(*other) == file;
        let start = (0..document).rev().take_while(is_of).last().unwrap_or(document);
        let end = (document + 1..self.root.documents).take_while(is_of).last().unwrap_or(document);
        Ok(start..end + 1)
    }

    /// Returns the number of the file that `document` belongs to. The map must be loaded.
    pub fn file_number(&self, document: u32) -> Result<u32, FormatError> {
        self.map().map(|map| map.file_of(document))
    }

    /// Returns the documents of file number `file`, or `None` if there is no such file. A file is a single document, or
    /// all pieces of a source file. The map must be loaded.
    pub fn documents_of_file(&self, file: u32) -> Result<Option<Range<u32>>, FormatError> {
        let first = self.map()?.first_of_file(file);
        first.map(|first| self.file_of_document(first)).transpose()
    }

    /// Returns the document of `chunk`. The map must be loaded.
    pub fn document_of(&self, chunk: u32) -> Result<u32, FormatError> {
        self.map().map(|map| map.document_of(chunk))
    }

    /// Returns the chunks of `document`. The map must be loaded.
    pub fn chunks_of(&self, document: u32) -> Result<Range<u32>, FormatError> {
        self.map().map(|map| map.chunks_of(document))
    }

    /// Returns the weight of `document` as its logarithm to base 2 in eighths. The map must be loaded.
    pub fn weight_of(&self, document: u32) -> Result<i8, FormatError> {
        self.map().map(|map| map.weight_of(document))
    }

    /// Returns the block of pages that contains `chunk`, and the chunk's number in it. The map must be loaded.
    pub fn page_of(&self, chunk: u32) -> Result<(BlockId, u32), FormatError> {
        self.map().map(|map| map.page_of(chunk))
    }

    /// Returns the chunks in a block of pages. The map must be loaded.
    pub fn chunks_of_page(&self, block: u32) -> Result<Range<u32>, FormatError> {
        self.map().map(|map| map.chunks_of_page(block))
    }

    /// Returns the decompressed bytes of a block, which must be loaded.
    pub fn raw(&self, id: BlockId) -> Result<&[u8], FormatError> {
        self.block(id.part, id.block)
    }

    /// Returns the directory, or `None` if the bundle has none. Its block must be loaded.
    pub(crate) fn directory(&self) -> Result<Option<&Directory>, FormatError> {
        if self.root.table(Part::Directory).is_empty() {
            return Ok(None);
        }
        read_once(&self.directory, || Directory::parse(self.block(Part::Directory, 0)?, &self.root)).map(Some)
    }

    /// Returns the value of `document` in the facet `name`, if it has one, or the first of several. The map must be
    /// loaded.
    pub fn facet_of(&self, name: &str, document: u32) -> Result<Option<&str>, FormatError> {
        let map = self.map()?;
        let facet = self.root.facets.iter().enumerate().find(|(_, facet)| facet.name == name);
        let value =
            facet.and_then(|(number, facet)| facet.values.get(*map.facet_of(number, document).first()? as usize));
        Ok(value.map(String::as_str))
    }

    /// Drops the blocks of pages, which contain the texts. A block that is needed later must be provided again.
    pub fn forget_pages(&mut self) {
        self.blocks[Part::Pages.index()].clear();
    }

    /// Returns the missing blocks of `parts`. The map must be loaded.
    pub(crate) fn missing_of(&self, parts: &[Part]) -> Result<Vec<BlockId>, FormatError> {
        let mut missing = Vec::new();
        for &part in parts {
            let blocks = (0..self.table(part)?.len()).map(|block| BlockId { part, block });
            missing.extend(blocks.filter(|&id| !self.has(id)));
        }
        Ok(self.known_first(missing)?.into_vec())
    }

    /// Returns the total size of the loaded blocks of pages in decompressed bytes.
    pub fn held_page_bytes(&self) -> usize {
        self.blocks[Part::Pages.index()].iter().flatten().map(Vec::len).sum()
    }

    /// Returns the blocks of the catalog.
    pub fn catalog_blocks(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.root.table(Part::Catalog).len()).map(|block| BlockId { part: Part::Catalog, block })
    }

    /// Returns the catalog. Its blocks must be loaded.
    pub fn catalog(&self) -> Result<&Catalog, FormatError> {
        read_once(&self.catalog, || Catalog::parse(&self.all_blocks(Part::Catalog)?.concat(), &self.root))
    }

    /// Returns the codes of documents, or the centers of their clusters. The first block must be loaded.
    pub(crate) fn cells(&self) -> Result<&Cells, FormatError> {
        read_once(&self.cells, || Cells::parse(self.block(Part::Cells, 0)?, &self.root, &self.tables))
    }

    /// Returns the codes of the cluster in block `block`. This block and the first one must be loaded.
    pub(crate) fn cluster(&self, block: u32) -> Result<&Cluster, FormatError> {
        let cluster =
            self.clusters.get(block as usize).ok_or(FormatError::corrupt(Part::Cells.name(), "block number"))?;
        let parse = |raw| self.cells()?.parse_cluster(raw, self.root.documents, &self.tables);
        read_once(cluster, || parse(self.block(Part::Cells, block)?))
    }

    /// Returns the rotation. Its block must be loaded.
    pub(crate) fn rotation(&self) -> Result<&Rotation, FormatError> {
        read_once(&self.rotation, || Rotation::parse(self.block(Part::Rotation, 0)?, self.root.vectors.dimensions))
    }

    /// Returns the fine codes of all chunks. All blocks of `codes` and `fine` must be loaded.
    pub(crate) fn fine(&self) -> Result<&FineRows, FormatError> {
        read_once(&self.fine, || {
            let coarse: Vec<&[i8]> =
                (0..self.root.documents).map(|document| self.codes_of(document)).collect::<Result<_, _>>()?;
            FineRows::decode(&coarse.concat(), &self.all_blocks(Part::Fine)?, &self.root, &self.tables)
        })
    }

    /// Returns the graph. Its blocks must be loaded.
    pub(crate) fn graph(&self) -> Result<&Graph, FormatError> {
        read_once(&self.graph, || Graph::parse(&self.all_blocks(Part::Graph)?.concat(), self.root.chunks))
    }
}

/// Sets entry `number`, growing the list if necessary.
fn put<T: Clone>(entries: &mut Vec<Option<T>>, number: u32, value: T) {
    if entries.len() <= number as usize {
        entries.resize(number as usize + 1, None);
    }
    entries[number as usize] = Some(value);
}

/// Returns the content of `cell`, after reading it if the cell is empty.
fn read_once<T>(cell: &OnceLock<T>, read: impl FnOnce() -> Result<T, FormatError>) -> Result<&T, FormatError> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = read()?;
    Ok(cell.get_or_init(|| value))
}
