//! The bundle's bytes: manifest, root, parts cut into blocks. `core/FORMAT.md` is the normative description.

pub mod blocks;
pub mod bytes;
mod error;
pub mod manifest;
pub mod root;

pub use error::FormatError;

/// Version of the bundle format. A reader refuses every other version: 0 is free to change until the first release.
pub const FORMAT_VERSION: u32 = 0;

/// The parts of a bundle, in the order in which the root lists their blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Term dictionary: sorted terms, front-coded inside each block.
    Terms,
    /// Posting lists with positions.
    Postings,
    /// Fixed-width rows: the document and the token count of each chunk.
    ChunkMap,
    /// Document records.
    Documents,
    /// Chunk records: text range and sections.
    Chunks,
    /// Text of all documents, one after the other.
    Text,
    /// Quantized vectors, one row a chunk.
    Vectors,
    /// Neighbour lists of the proximity graph.
    Graph,
}

impl Part {
    /// Every part, in root order.
    pub const ALL: [Self; 8] = [
        Self::Terms,
        Self::Postings,
        Self::ChunkMap,
        Self::Documents,
        Self::Chunks,
        Self::Text,
        Self::Vectors,
        Self::Graph,
    ];

    /// The part's name in the manifest, in file names and in error messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terms => "terms",
            Self::Postings => "postings",
            Self::ChunkMap => "chunk-map",
            Self::Documents => "documents",
            Self::Chunks => "chunks",
            Self::Text => "text",
            Self::Vectors => "vectors",
            Self::Graph => "graph",
        }
    }

    /// Position in [`Part::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The part called `name`, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }
}
