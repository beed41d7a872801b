//! Documents of a source, before they are chunked.

use super::version_name::{VERSION, version_of_path};
use nearfind_bundles::bundle_folder::PassedOver;
use nearfind_core::bundle::BundleCode;
use nearfind_extract::{Date, Extracted};
use std::collections::{BTreeMap, BTreeSet};

/// A document as its source gives it, before chunking.
#[derive(Debug)]
pub struct SourceDocument {
    /// Path inside the source, with `/`.
    pub path: String,
    /// Id if the source has its own; else `<project>/<path>` is used.
    pub id: Option<String>,
    /// Where readers find it.
    pub url: Option<String>,
    /// Its text and structure.
    pub extracted: Extracted,
    /// Paths of pages that only lead here or repeat it.
    pub aliases: Vec<String>,
    /// Byte of the path at which the part begins that tells areas apart: after the folder of the documentation.
    pub area_at: u32,
    /// When it was written or last changed, if that is known.
    pub date: Option<Date>,
    /// What it can be filtered by.
    pub facets: BTreeMap<String, BTreeSet<String>>,
    /// How much it counts: 1 is as much as others.
    pub weight: f32,
    /// What its text is known by; the same is the same text. `None` if that is not known.
    pub content: Option<String>,
    /// What a piece of source code has beside its text.
    pub code: Option<BundleCode>,
}

impl SourceDocument {
    /// The version that it is of: what it says itself, else what its path does.
    pub(crate) fn version(&self) -> Option<&str> {
        let said = self.extracted.metadata.filters.get(VERSION).and_then(|versions| versions.first());
        said.map(String::as_str).or_else(|| version_of_path(&self.path))
    }
}

/// What reading a source gave: documents in canonical order, and what was left out with the reason.
#[derive(Debug, Default)]
pub struct SourceContent {
    /// Name of the project.
    pub project: String,
    /// Documents, ascending by path.
    pub documents: Vec<SourceDocument>,
    /// One line for each file that could not be read.
    pub warnings: Vec<String>,
    /// Files that are no pages of the documentation, counted by reason.
    pub passed_over: PassedOver,
    /// Every file, with the hash of its content.
    pub files: BTreeMap<String, String>,
    /// The commit, if it is a repository.
    pub commit: Option<String>,
}
