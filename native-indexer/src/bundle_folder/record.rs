//! What the last build of a bundle was made of, beside the bundle: from it the next one knows what has changed. Readers
//! of the bundle never look at it, and without it everything is just read again.

use super::files::manifest_bytes;
use crate::extract::Date;
use crate::source::PassedOver;
use nearfind_core::format::manifest::Manifest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the record in the bundle's folder.
pub(super) const RECORD_FILE: &str = ".nearfind-build.json";

/// The record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildRecord {
    /// The generation that this is the record of.
    pub generation: String,
    /// Hash of all that the bundle depends on: the same is the same bundle.
    pub fingerprint: String,
    /// Hash of what it depends on besides the documents: settings, model, program.
    pub settings_hash: String,
    /// By name.
    pub projects: BTreeMap<String, ProjectRecord>,
    /// Bundles whose files are still there for readers that opened them, the latest first.
    pub kept: Vec<KeptGeneration>,
}

impl BuildRecord {
    /// The record of the bundle in `folder`, if there is one and it is of this bundle.
    pub fn read(folder: &Path) -> Option<Self> {
        let record: Self = serde_json::from_slice(&std::fs::read(folder.join(RECORD_FILE)).ok()?).ok()?;
        let manifest = Manifest::parse(&manifest_bytes(folder).ok()?).ok()?;
        (manifest.generation == record.generation).then_some(record)
    }
}

/// What one project was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRecord {
    /// The commit, if it is a repository.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub commit: Option<String>,
    /// Documents that it gave.
    pub documents: usize,
    /// Chunks that it gave.
    pub chunks: usize,
    /// Every file that was read, with the hash of its content.
    pub files: BTreeMap<String, String>,
    /// When files were changed last, where git knows.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub dates: BTreeMap<String, Date>,
    /// Files left out, with the reason; without the path of the project's folder, as bundles are published.
    pub skipped: Vec<String>,
    /// Files that are no pages of the documentation, counted by reason.
    #[serde(skip_serializing_if = "PassedOver::is_empty", default)]
    pub passed_over: PassedOver,
}

/// A bundle that was replaced, or the current one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptGeneration {
    /// Its generation.
    pub generation: String,
    /// Names of its files.
    pub files: Vec<String>,
}
