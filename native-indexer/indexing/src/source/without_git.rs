//! Replaces [`super::repository`] in builds without the feature `network`.

use super::git_place::GitPlace;
use super::tree::FileTree;
use anyhow::{Result, bail};
use nearfind_base::progress::Progress;
use std::path::Path;
use std::time::Duration;

const REFUSED: &str = "this build of nearfind reads no repositories: build it with the feature `network`";

/// Refuses: there is nothing to fetch with.
pub fn fetch(_: &GitPlace, _: &Path, _: Duration, _: Progress) -> Result<()> {
    bail!(REFUSED)
}

pub(crate) fn open_fetched(_: &GitPlace, _: &Path) -> Result<(Box<dyn FileTree>, String)> {
    bail!(REFUSED)
}
