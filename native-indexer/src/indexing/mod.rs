//! Sources to a bundle.

mod changes;
mod corpus;
mod embed_all;
mod estimate;
mod formats;
mod hnsw_build;
mod inventory;
mod languages;
mod pipeline;
mod rotation;
mod scan;
mod shares;
mod versions;
mod word_meaning;
mod written;

pub use changes::ProjectChanges;
pub use corpus::{ChunkSize, Chunked, Corpus, ProjectReport, chunk_corpus};
pub(crate) use embed_all::embed_all;
pub use estimate::{Amount, Estimate};
pub(crate) use hnsw_build::{LINKS as GRAPH_LINKS, candidates as graph_candidates};
pub use hnsw_build::{WALKED_CANDIDATES, build_graph, build_graph_with};
pub use inventory::{Inventory, InventoryFile, inventory};
pub use pipeline::{IndexOptions, Outcome, Plan, Report, estimate, index, plan};
pub use rotation::principal_rotation;
pub use scan::Failure;
pub(crate) use scan::program;
pub use shares::{Share, ShareReport, SharesFolder, is_share_name, make_share};
pub use written::WritingEstimate;
