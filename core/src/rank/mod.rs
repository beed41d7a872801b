//! Combines two ranked lists into one.

mod fusion;
mod relevance;
mod rerank;

pub use fusion::{EncodedBy, Fused, LIST_DOCUMENTS, Standards, TIE_MARGIN, fuse};
pub use relevance::relevance;
pub use rerank::{RERANK_WEIGHT, Reranked, rerank};
