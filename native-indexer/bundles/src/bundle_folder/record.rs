//! The record of the last build of a bundle. It tells the next build what has changed. It contains the paths and hashes
//! of everything that was read. It is therefore kept with the caches and not in the bundle's folder, which is
//! published. Without the record, everything is read again.

use super::files::manifest_bytes;
use nearfind_base::cache_folder::{BUILDS, CacheFolder};
use nearfind_base::real_path::real_path;
use nearfind_core::records::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// The number of files that were passed over, by reason.
pub type PassedOver = BTreeMap<String, usize>;

/// The prefix of commits in [`ProjectRecord::files`], where files have their hash.
pub const COMMIT_HASH: &str = "commit:";

/// The record of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildRecord {
    /// Hash of the manifest that the build wrote. It does not match a manifest that was damaged or comes from
    /// elsewhere.
    pub manifest_hash: String,
    /// Hash of everything that the bundle depends on. Equal fingerprints mean equal bundles. Empty if the last build
    /// was rolled back.
    pub fingerprint: String,
    /// Hash of everything that the bundle depends on other than the documents: settings, model and program.
    pub settings_hash: String,
    /// The projects by name.
    pub projects: BTreeMap<String, ProjectRecord>,
    /// Bundles whose files are kept for readers that have opened them and for `rollback`. The current bundle is the
    /// first.
    pub kept: Vec<KeptGeneration>,
}

/// Returns the path of the record of the bundle in `folder`, if anything is cached.
pub(super) fn record_file(folder: &Path, cache: &CacheFolder) -> Option<PathBuf> {
    let place = real_path(folder).or_else(|_| std::path::absolute(folder)).ok()?;
    let name = blake3::hash(place.as_os_str().as_encoded_bytes()).to_hex();
    Some(cache.of(BUILDS)?.join(format!("{}.json", &name[..16])))
}

/// Reads the record at `path`, whichever bundle it is about.
pub(super) fn read_record(path: &Path) -> Option<BuildRecord> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Returns the hash that identifies a manifest.
pub(super) fn hash_of(manifest: &[u8]) -> String {
    blake3::hash(manifest).to_hex().to_string()
}

impl BuildRecord {
    /// Returns the record of the bundle in `folder`, if `cache` has one and it matches the bundle.
    pub fn read(folder: &Path, cache: &CacheFolder) -> Option<Self> {
        let record = read_record(&record_file(folder, cache)?)?;
        (hash_of(&manifest_bytes(folder).ok()?) == record.manifest_hash).then_some(record)
    }
}

/// The sources of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRecord {
    /// The commit, if the source is a repository.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub commit: Option<String>,
    /// The time when the source was last checked, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub checked: Option<u64>,
    /// The folder that the project was read from, if the folder is on this machine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub folder: Option<PathBuf>,
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Every file that was read, with its content hash.
    pub files: BTreeMap<String, String>,
    /// The dates when files were last changed, if git knows them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub dates: BTreeMap<String, Date>,
    /// Files that were left out, with the reason. Their paths do not include the path of the project's folder, because
    /// bundles are published.
    pub skipped: Vec<String>,
    /// Numbers of files that are not documentation pages, by reason.
    #[serde(skip_serializing_if = "PassedOver::is_empty", default)]
    pub passed_over: PassedOver,
}

impl ProjectRecord {
    /// Returns how long ago the project's source was checked, if known.
    pub fn age(&self) -> Option<Duration> {
        UNIX_EPOCH.checked_add(Duration::from_secs(self.checked?))?.elapsed().ok()
    }
}

/// The current bundle, or one that was replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptGeneration {
    /// The bundle's generation.
    pub generation: String,
    /// Names of the bundle's files.
    pub files: Vec<String>,
    /// The bundle's manifest.
    pub manifest: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_no_clock_has_is_no_age() {
        let age = |checked| ProjectRecord { checked, ..ProjectRecord::default() }.age();
        assert!(age(Some(0)).is_some_and(|age| age.as_secs() > 0));
        // Damaged records may contain any value.
        assert_eq!([age(None), age(Some(u64::MAX))], [None, None]);
    }
}
