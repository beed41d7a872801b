//! Replaces [`super::repository`] in builds without the `network` feature.

use super::git_place::GitPlace;
use super::tree::FileTree;
use crate::page_cache::CachedPage;
use anyhow::{Result, bail};
use nearfind_base::progress::Progress;
use nearfind_bundles::library::{LastChange, LinesOfFile};
use nearfind_extract::apart::Readers;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const REFUSED: &str = "this build of nearfind cannot read repositories: build it with the `network` feature";

/// Returns an error, because this build cannot fetch repositories.
pub fn fetch(_: &GitPlace, _: &Path, _: Duration, _: Progress) -> Result<()> {
    bail!(REFUSED)
}

pub(crate) fn open_fetched(_: &GitPlace, _: &Path) -> Result<(Box<dyn FileTree>, String)> {
    bail!(REFUSED)
}

/// Replaces the history of a repository. The type has no values.
pub(super) enum History {}

/// Replaces the commits to search.
#[derive(Default)]
pub(super) struct ListedCommits {
    pub commits: BTreeMap<String, String>,
    pub notes: Vec<String>,
}

impl History {
    pub(super) fn of_clone(_: &GitPlace, _: &Path) -> Result<Self> {
        bail!(REFUSED)
    }

    pub(super) fn of_folder(_: &Path) -> Result<Self> {
        bail!(REFUSED)
    }

    pub(super) fn list(&self, _: u32) -> ListedCommits {
        match *self {}
    }

    pub(super) fn read(&self, _: &str, _: &Readers, _: &dyn Fn(&str) -> bool) -> (CachedPage, bool) {
        match *self {}
    }
}

/// Returns an error for all lines, because this build cannot read repositories.
pub fn last_changes(_: &Path, wanted: &[LinesOfFile]) -> Vec<Result<Option<LastChange>, String>> {
    vec![Err(REFUSED.to_owned()); wanted.len()]
}
