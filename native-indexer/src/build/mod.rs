//! Sources to a bundle.

mod corpus;
mod embed_all;
mod embedding_cache;
mod hnsw_build;
mod pipeline;
mod rotation;
mod versions;

pub use corpus::{Corpus, ProjectReport, read_corpus};
pub(crate) use embed_all::{Role, embed_all};
pub use embedding_cache::EmbeddingCache;
pub use hnsw_build::build_graph;
pub use pipeline::{IndexOptions, Report, index};
pub use rotation::principal_rotation;
