use crate::analysis::ANALYZER;
use crate::format::blocks::BlockId;
use crate::format::manifest::Manifest;
use crate::format::root::Root;
use crate::format::{FormatError, Part};
use crate::vector::graph::Graph;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

/// An open bundle: manifest, root and the blocks that were brought so far.
#[derive(Debug)]
pub struct Searcher {
    manifest: Manifest,
    root: Root,
    blocks: BTreeMap<BlockId, Vec<u8>>,
    graph: OnceLock<Graph>,
}

/// Where the bytes of a block are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRequest {
    /// The block.
    pub id: BlockId,
    /// File name in the bundle's folder.
    pub file: String,
    /// First byte in the file.
    pub start: u64,
    /// Number of bytes.
    pub bytes: u32,
}

impl Searcher {
    /// Opens a bundle from the bytes of its manifest and of the root file that the manifest names.
    pub fn open(manifest: &[u8], root: &[u8]) -> Result<Self, FormatError> {
        let manifest = Manifest::parse(manifest)?;
        let root_file = manifest.part("root")?;
        if !root_file.matches(root) {
            return Err(FormatError::Checksum { part: "root", block: 0 });
        }
        let root = Root::parse(root)?;
        if manifest.analyzer != ANALYZER {
            return Err(FormatError::Manifest(format!(
                "terms were made by analyzer {:?}, this program has {ANALYZER:?}; rebuild the bundle",
                manifest.analyzer
            )));
        }
        for part in Part::ALL {
            if manifest.part(part.name())?.bytes != root.table(part).stored_total() {
                return Err(FormatError::Corrupt { part: part.name(), what: "size of the file" });
            }
        }
        let counts = (manifest.documents, manifest.chunks, manifest.model.dimensions);
        if counts != (root.documents, root.chunks, root.dimensions) {
            return Err(FormatError::Manifest("its counts are not those of its root".into()));
        }
        Ok(Self { manifest, root, blocks: BTreeMap::new(), graph: OnceLock::new() })
    }

    /// The manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The root.
    pub const fn root(&self) -> &Root {
        &self.root
    }

    /// Where the bytes of `id` are.
    pub fn request(&self, id: BlockId) -> Result<BlockRequest, FormatError> {
        let table = self.root.table(id.part);
        let entry = table.entry(id.block).ok_or(FormatError::Corrupt { part: id.part.name(), what: "block number" })?;
        Ok(BlockRequest {
            id,
            file: self.manifest.part(id.part.name())?.file.clone(),
            start: table.stored_start(id.block),
            bytes: entry.stored_bytes,
        })
    }

    /// Takes the stored bytes of a block: checks and decompresses them.
    pub fn provide(&mut self, id: BlockId, stored: &[u8]) -> Result<(), FormatError> {
        if let std::collections::btree_map::Entry::Vacant(entry) = self.blocks.entry(id) {
            entry.insert(self.root.table(id.part).decode(id, stored)?);
        }
        Ok(())
    }

    /// Whether the block was brought.
    pub(super) fn has(&self, id: BlockId) -> bool {
        self.blocks.contains_key(&id)
    }

    /// Raw bytes of a block that was brought.
    pub(super) fn block(&self, part: Part, block: u32) -> Result<&[u8], FormatError> {
        let found = self.blocks.get(&BlockId { part, block });
        found.map(Vec::as_slice).ok_or(FormatError::Truncated { part: part.name(), what: "a block was not provided" })
    }

    /// Every block of `part`, in order.
    pub(super) fn all_blocks(&self, part: Part) -> Result<Vec<&[u8]>, FormatError> {
        (0..self.root.table(part).len()).map(|block| self.block(part, block)).collect()
    }

    /// Blocks that hold `length` raw bytes from `start` of `part`.
    pub(super) fn covering(&self, part: Part, start: u64, length: u64) -> Result<Range<u32>, FormatError> {
        let blocks = self.root.table(part).covering(start, length);
        blocks.ok_or(FormatError::Truncated { part: part.name(), what: "a range outside of the part" })
    }

    /// `length` raw bytes from `start` of `part`; their blocks were brought.
    pub(super) fn raw(&self, part: Part, start: u64, length: u64) -> Result<Vec<u8>, FormatError> {
        let blocks = self.covering(part, start, length)?;
        let skip = start.saturating_sub(self.root.table(part).raw_start(blocks.start)) as usize;
        let mut joined = Vec::new();
        for block in blocks {
            joined.extend_from_slice(self.block(part, block)?);
        }
        let range = skip..skip + length as usize;
        let found = joined.get(range).ok_or(FormatError::Truncated { part: part.name(), what: "a range" })?;
        Ok(found.to_vec())
    }

    /// The graph, read once from its blocks.
    pub(super) fn graph(&self) -> Result<&Graph, FormatError> {
        if let Some(graph) = self.graph.get() {
            return Ok(graph);
        }
        let graph = Graph::parse(&self.all_blocks(Part::Graph)?.concat(), self.root.chunks)?;
        Ok(self.graph.get_or_init(|| graph))
    }
}
