//! The record of the last build of a bundle, from which the next build knows what has changed. It has paths and hashes of
//! everything that was read, so it is kept with the caches and not in the bundle's folder, which is published. Without it,
//! everything is read again.

use super::files::manifest_bytes;
use nearfind_base::cache_folder::{BUILDS, CacheFolder};
use nearfind_core::records::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// How many files were passed over, by the reason in words.
pub type PassedOver = BTreeMap<String, usize>;

/// Begins what a commit has in [`ProjectRecord::files`] in place of the hash of a file.
pub const COMMIT_HASH: &str = "commit:";

/// The record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildRecord {
    /// Hash of the manifest that this is the record of: one that was damaged or brought from elsewhere has none.
    pub manifest_hash: String,
    /// Hash of all that the bundle depends on: the same is the same bundle. Empty if the last build was taken back.
    pub fingerprint: String,
    /// Hash of what it depends on besides the documents: settings, model, program.
    pub settings_hash: String,
    /// By name.
    pub projects: BTreeMap<String, ProjectRecord>,
    /// Bundles whose files are still there, for readers that opened them and for `rollback`: the current one first.
    pub kept: Vec<KeptGeneration>,
}

/// Where the record of the bundle in `folder` is kept, if anything is.
pub(super) fn record_file(folder: &Path, cache: &CacheFolder) -> Option<PathBuf> {
    let place = std::fs::canonicalize(folder).or_else(|_| std::path::absolute(folder)).ok()?;
    let name = blake3::hash(place.as_os_str().as_encoded_bytes()).to_hex();
    Some(cache.of(BUILDS)?.join(format!("{}.json", &name[..16])))
}

/// The record at `path`, of whatever bundle.
pub(super) fn read_record(path: &Path) -> Option<BuildRecord> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// What tells manifests apart.
pub(super) fn hash_of(manifest: &[u8]) -> String {
    blake3::hash(manifest).to_hex().to_string()
}

impl BuildRecord {
    /// The record of the bundle in `folder`, if `cache` has one and it is of this bundle.
    pub fn read(folder: &Path, cache: &CacheFolder) -> Option<Self> {
        let record = read_record(&record_file(folder, cache)?)?;
        (hash_of(&manifest_bytes(folder).ok()?) == record.manifest_hash).then_some(record)
    }
}

/// What one project was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRecord {
    /// The commit, if it is a repository.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub commit: Option<String>,
    /// When its source was looked at last, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub checked: Option<u64>,
    /// The folder that it was read from, if it is one of this machine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub folder: Option<PathBuf>,
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

impl ProjectRecord {
    /// How long ago its source was looked at, where that is known.
    pub fn age(&self) -> Option<Duration> {
        UNIX_EPOCH.checked_add(Duration::from_secs(self.checked?))?.elapsed().ok()
    }
}

/// A bundle that was replaced, or the current one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptGeneration {
    /// Its generation.
    pub generation: String,
    /// Names of its files.
    pub files: Vec<String>,
    /// Its manifest.
    pub manifest: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_no_clock_has_is_no_age() {
        let age = |checked| ProjectRecord { checked, ..ProjectRecord::default() }.age();
        assert!(age(Some(0)).is_some_and(|age| age.as_secs() > 0));
        // Damaged records may say anything.
        assert_eq!([age(None), age(Some(u64::MAX))], [None, None]);
    }
}
