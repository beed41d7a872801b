//! Sources to a bundle.

mod embed_all;
mod hnsw_build;
mod pipeline;

pub use hnsw_build::build_graph;
pub use pipeline::{IndexOptions, ProjectReport, Report, index};
