//! Search by meaning: stored codes, the exact scan over them, and the proximity graph.

pub mod ans;
pub mod cells;
#[cfg(feature = "write")]
mod clusters;
pub mod codes;
#[cfg(feature = "write")]
mod document_codes;
mod dot;
pub mod exact_scan;
#[cfg(feature = "write")]
pub mod floats;
pub mod graph;
pub mod graph_search;
pub mod query_codes;
pub mod rotation;
pub mod stored;

pub use dot::{dot_coarse, dot_fine};

pub use crate::format::vocabulary::MAX_DIMENSIONS;

/// Maximum number of codes per document.
pub const MAX_CELLS: u8 = 4;

/// A chunk with its similarity to the query as an exact integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Chunk number.
    pub chunk: u32,
    /// Dot product of the codes. Higher is nearer.
    pub score: i32,
}

/// Orders neighbors nearest first, and equal scores by chunk number. Every list of neighbors has this order, on every
/// host.
impl Ord for Neighbour {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.score.cmp(&self.score).then(self.chunk.cmp(&other.chunk))
    }
}

impl PartialOrd for Neighbour {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
