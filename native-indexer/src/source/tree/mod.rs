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

use super::passed_over::{PassedOver, unread_ending, unread_words};
use crate::extract::{Date, FileKind, kind_of};
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;

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
            *self.passed_over.entry(unread_words(ending)).or_default() += 1;
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

/// The most bytes that the file at `path` may have; larger ones are left out.
fn max_bytes(path: &str) -> u64 {
    kind_of(Path::new(path)).map_or(0, FileKind::max_bytes)
}

fn too_large(path: &str) -> String {
    format!("larger than {} MB", max_bytes(path) >> 20)
}
