//! From two ranked lists to one.

mod fusion;
mod relevance;

pub use fusion::{Fused, LIST_DOCUMENTS, Standards, TIE_MARGIN, fuse};
pub use relevance::relevance;
