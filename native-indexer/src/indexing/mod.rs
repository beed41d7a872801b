//! Sources to a bundle.

mod changes;
mod corpus;
mod embed_all;
mod formats;
mod hnsw_build;
mod languages;
mod pipeline;
mod rotation;
mod scan;
mod versions;

pub use changes::ProjectChanges;
pub use corpus::{ChunkSize, Corpus, ProjectReport, read_corpus};
pub(crate) use embed_all::{Role, embed_all};
pub use hnsw_build::build_graph;
pub(crate) use hnsw_build::{CANDIDATES as GRAPH_CANDIDATES, LINKS as GRAPH_LINKS};
pub use pipeline::{IndexOptions, Outcome, Plan, Report, index, plan};
pub use rotation::principal_rotation;
pub use scan::Failure;
pub(crate) use scan::program;
