//! Reads archives like folders: one file after another, within limits.
//!
//! Nothing is written to disk. Links, encrypted files, and names that would point outside a folder are refused, and the
//! other files are read.

mod budget;
mod entry;
mod format;
mod inner_path;
mod tar_files;
mod unpacking;
mod warc_files;
mod web_answer;
mod zip_files;

pub use format::{ArchiveFormat, MAX_ARCHIVE_BYTES};
pub use unpacking::{Contents, Problem, unpack};
