//! The run that makes a bundle from sources.

mod changes;
mod corpus;
mod draft;
mod estimate;
mod formats;
mod hnsw_build;
mod inventory;
mod known_rows;
mod languages;
mod meaning;
mod memory;
mod options;
mod outcome;
mod pipeline;
mod plan;
mod reading;
mod rotation;
mod scan;
mod shares;
mod shares_folder;
mod soon;
mod titles;
mod versions;
mod word_meaning;
mod written;
pub mod written_cache;

pub use changes::ProjectChanges;
pub use corpus::{ChunkSize, Chunked, Corpus, ProjectReport, chunk_corpus};
pub use estimate::{Amount, Estimate};
pub use hnsw_build::{LINKS as GRAPH_LINKS, candidates as graph_candidates};
pub use hnsw_build::{WALKED_CANDIDATES, build_graph, build_graph_with};
pub use inventory::{Inventory, InventoryFile, inventory};
pub use memory::IndexMemory;
pub use options::IndexOptions;
pub use outcome::{IndexRun, Plan, Report};
pub use pipeline::{index, index_again, is_for_now};
pub use plan::{estimate, plan};
pub use rotation::principal_rotation;
pub use scan::Failure;
pub use shares::{Share, ShareReport, is_share_name, make_share};
pub use shares_folder::SharesFolder;
pub use written::WritingEstimate;

use nearfind_base::remark;

/// Warns about a damaged cache. Losing its content only costs time.
pub(super) fn warn_of_damage(damage: Option<String>) {
    if let Some(damage) = damage {
        remark!("warning: {damage}; lost results are computed again");
    }
}
