//! Documents of a source, before they are chunked.

use super::version_name::{VERSION, version_of_path};
use nearfind_bundles::bundle_folder::PassedOver;
use nearfind_core::bundle::BundleCode;
use nearfind_extract::{Date, Extracted};
use std::collections::{BTreeMap, BTreeSet};

/// A document of a source, before it is divided into chunks.
#[derive(Debug)]
pub struct SourceDocument {
    /// Path in the source, with `/`.
    pub path: String,
    /// The document's id, if the source has its own ids. By default, the id is `<project>/<path>`.
    pub id: Option<String>,
    /// The address that readers open.
    pub url: Option<String>,
    /// The document's text and structure.
    pub extracted: Extracted,
    /// Paths of pages that redirect to this document or repeat it.
    pub aliases: Vec<String>,
    /// The byte offset in the path where the part after the documentation folder begins. That part distinguishes areas
    /// of the documentation.
    pub area_at: u32,
    /// The date when the document was written or last changed, if known.
    pub date: Option<Date>,
    /// The document's facets, for filters.
    pub facets: BTreeMap<String, BTreeSet<String>>,
    /// Weight in the ranking. The usual weight is 1.
    pub weight: f32,
    /// Identifies the document's text: documents with the same value have the same text. `None` if this is unknown.
    pub content: Option<String>,
    /// The symbols and mentions of a piece of source code.
    pub code: Option<BundleCode>,
}

impl SourceDocument {
    /// Returns the version that the document declares, or else the version in its path.
    pub(crate) fn version(&self) -> Option<&str> {
        let said = self.extracted.metadata.filters.get(VERSION).and_then(|versions| versions.first());
        said.map(String::as_str).or_else(|| version_of_path(&self.path))
    }
}

/// The content of a source: documents in canonical order, and the files that were left out.
#[derive(Debug, Default)]
pub struct SourceContent {
    /// Name of the project.
    pub project: String,
    /// Documents, sorted by path.
    pub documents: Vec<SourceDocument>,
    /// Problems with files, such as why a file was left out.
    pub warnings: Vec<String>,
    /// Number of files that are not documentation pages, by reason.
    pub passed_over: PassedOver,
    /// The path of every file, and its content hash.
    pub files: BTreeMap<String, String>,
    /// The commit that was read, if the source is a repository.
    pub commit: Option<String>,
}
