//! Sources to a bundle.

mod embed_all;
mod embedding_cache;
mod hnsw_build;
mod pipeline;
mod rotation;

pub(crate) use embed_all::embed_all;
pub(crate) use embedding_cache::EmbeddingCache;
pub use hnsw_build::build_graph;
pub use pipeline::{IndexOptions, ProjectReport, Report, index};
