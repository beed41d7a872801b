//! A bundle in a folder: its files, the record of its sources, and its replacement. [`crate::library`] reads the content of the
//! files.

mod files;
mod keeping;
mod lock;
mod record;
mod search_box;
mod write;

pub use files::{BundleFiles, HowToBuild, NoBundle, is_draft};
pub(crate) use files::{each_stored_block, manifest_bytes, named_files};
pub use keeping::Keeping;
pub use record::{BuildRecord, COMMIT_HASH, KeptGeneration, PassedOver, ProjectRecord};
pub use search_box::{SCRIPT, package, place_file, write_box};
pub(crate) use write::is_part_name;
pub use write::{BundleWriter, Removed};
