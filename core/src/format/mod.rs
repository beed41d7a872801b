//! The bytes of a bundle: the manifest, the root, and parts divided into blocks. `core/FORMAT.md` is the normative
//! description.

pub mod blocks;
pub mod bytes;
pub mod components;
mod error;
mod language;
pub mod manifest;
pub mod proof;
pub mod root;
pub mod vocabulary;

pub use error::{FormatError, FormatErrorKind};
pub use language::Language;
pub use root::Root;

/// The version of the bundle format that this crate writes. Version 0 is free to change until the first release.
pub const FORMAT_VERSION: u32 = 0;
/// The oldest version of the format that can be read. From version 1 on, every released version can be read.
pub const OLDEST_FORMAT_VERSION: u32 = 0;

/// Whether bundles of this version of the format can be read.
pub(crate) const fn is_readable(version: u64) -> bool {
    version >= OLDEST_FORMAT_VERSION as u64 && version <= FORMAT_VERSION as u64
}

/// The parts of a bundle, in the order in which their identities are in the root.
///
/// ```
/// use nearfind_core::format::Part;
///
/// assert_eq!(Part::from_index(Part::Terms.index() as u32), Some(Part::Terms));
/// assert_eq!(Part::Terms.name(), "terms");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Data of all chunks that every query needs: documents, lengths, and the tables of `pages` and `codes`.
    Map,
    /// Sorted terms, each with its posting list.
    Terms,
    /// Positions of the terms in the chunks.
    Positions,
    /// Words by first letter and length, for correcting mistyped words.
    Spelling,
    /// Documents: records, sections and text, in blocks of a few kilobytes.
    Pages,
    /// Paths, dates and aliases of documents, for filters and for lookup by name.
    Catalog,
    /// The table of the query encoder: words and pieces of words with their vectors.
    Tokens,
    /// The rotation that concentrates the variance of the model's vectors in the first components.
    Rotation,
    /// Coarse codes of documents.
    Cells,
    /// Coarse codes of chunks, with a block for each document.
    Codes,
    /// The difference between coarse and fine codes of chunks.
    Fine,
    /// Neighbor lists of the proximity graph.
    Graph,
    /// The tables of `symbols` and `trigrams`, and the first keys of their blocks.
    Directory,
    /// Definitions and mentions in source code, by document and by name.
    Symbols,
    /// The blocks of pages that contain each sequence of three bytes.
    Trigrams,
}

impl Part {
    /// Every part, in root order.
    pub const ALL: [Self; 15] = [
        Self::Map,
        Self::Terms,
        Self::Positions,
        Self::Spelling,
        Self::Pages,
        Self::Catalog,
        Self::Tokens,
        Self::Rotation,
        Self::Cells,
        Self::Codes,
        Self::Fine,
        Self::Graph,
        Self::Directory,
        Self::Symbols,
        Self::Trigrams,
    ];

    /// Returns the name of the part in file names and in error messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Terms => "terms",
            Self::Positions => "positions",
            Self::Spelling => "spelling",
            Self::Pages => "pages",
            Self::Catalog => "catalog",
            Self::Tokens => "tokens",
            Self::Rotation => "rotation",
            Self::Cells => "cells",
            Self::Codes => "codes",
            Self::Fine => "fine",
            Self::Graph => "graph",
            Self::Directory => "directory",
            Self::Symbols => "symbols",
            Self::Trigrams => "trigrams",
        }
    }

    /// Returns the position in [`Part::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the part at `index` of [`Part::ALL`], if there is one.
    pub fn from_index(index: u32) -> Option<Self> {
        Self::ALL.get(index as usize).copied()
    }

    /// Whether a query fetches single blocks of the part. Other parts are read whole, by hosts that have the bundle.
    pub const fn is_read_by_block(self) -> bool {
        !matches!(self, Self::Catalog | Self::Rotation | Self::Fine | Self::Graph | Self::Directory)
    }
}
