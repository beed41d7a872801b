//! Where files are: a folder, or a commit of a git repository.

mod folder;
#[cfg(feature = "git")]
mod git;
#[cfg(feature = "git")]
mod git_dates;
mod recorded;

pub(crate) use folder::FolderTree;
#[cfg(feature = "git")]
pub(crate) use git::GitTree;
pub(crate) use recorded::RecordedTree;

use super::passed_over::{PassedOver, unread_ending};
use crate::extract::Date;
use anyhow::Result;
use std::collections::BTreeMap;

/// Larger files are left out: no page of documentation is that long.
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 20;

/// Files that may be documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Paths with `/`, ascending.
    pub paths: Vec<String>,
    /// One line for each entry that was left out.
    pub skipped: Vec<String>,
    /// Files that were passed over, counted by reason.
    pub passed_over: PassedOver,
}

impl Listing {
    /// Counts the file at `path`, if it is a document of a kind that is not read.
    fn pass_over(&mut self, path: &str) {
        if let Some(ending) = unread_ending(path) {
            *self.passed_over.entry(format!("of a kind that is not read (.{ending})")).or_default() += 1;
        }
    }
}

/// Files by path.
pub(crate) trait FileTree: Send + Sync {
    /// What it is called in messages.
    fn name(&self) -> String;

    /// Whether there is a folder at `path`.
    fn has_folder(&self, path: &str) -> bool;

    /// The files below `folders` that extraction knows, by their ending. `""` stands for everything.
    fn list(&self, folders: &[String]) -> Result<Listing>;

    /// A hash of the content of the file at `path`, else why it cannot be read.
    fn hash(&self, path: &str) -> Result<String, String>;

    /// When files were changed last, as far as that is known.
    fn dates(&self) -> BTreeMap<String, Date> {
        BTreeMap::new()
    }

    /// The content of the file at `path` with its hash, else why it cannot be read.
    fn read(&self, path: &str) -> Result<(Vec<u8>, String), String>;
}

fn too_large() -> String {
    format!("larger than {} MB", MAX_FILE_BYTES >> 20)
}
