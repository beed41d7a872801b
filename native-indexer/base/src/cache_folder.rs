//! The folder of all caches: `embeddings/`, `pages/`, `encoders/`, `repositories/`, `published/`, `written/`, `builds/`,
//! `buckets/` and `indexes/`.

use anyhow::{Context as _, Result};
use etcetera::BaseStrategy as _;
use std::path::PathBuf;

/// The folder of clones.
pub const CLONES: &str = "repositories";
/// The folder of data fetched from published bundles.
pub const PUBLISHED: &str = "published";
/// The folder of text written by language models.
pub const WRITTEN: &str = "written";
/// The folder of bundle records.
pub const BUILDS: &str = "builds";
/// The folder of local copies of bundles in buckets.
pub const BUCKETS: &str = "buckets";
/// The folder of indexes for repositories without a configuration.
pub const INDEXES: &str = "indexes";
/// The folders for all kinds of caches.
pub const KINDS: [&str; 9] = ["embeddings", "pages", "encoders", CLONES, PUBLISHED, WRITTEN, BUILDS, BUCKETS, INDEXES];

/// The folder of the caches, or none if nothing is cached.
///
/// ```
/// use nearfind_base::cache_folder::{CacheFolder, PUBLISHED};
///
/// let cache = CacheFolder::at(Some("caches".into()));
/// assert_eq!(cache.of(PUBLISHED), Some("caches/published".into()));
/// assert_eq!(CacheFolder::none().of(PUBLISHED), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct CacheFolder(Option<PathBuf>);

impl CacheFolder {
    /// Returns the caches in `folder`, or else in the platform's cache directory. Without a home directory, nothing is
    /// cached.
    pub fn at(folder: Option<PathBuf>) -> Self {
        let own = || Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("nearfind"));
        Self(folder.or_else(own))
    }

    /// Returns caches that keep nothing from one run to the next.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Returns an error if the folder cannot be written.
    pub fn check(&self) -> Result<()> {
        let Some(folder) = &self.0 else { return Ok(()) };
        let written = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
        written.map(drop).with_context(|| format!("cache {} cannot be written", folder.display()))
    }

    /// Returns the folder of one kind of cache.
    pub fn of(&self, kind: &str) -> Option<PathBuf> {
        self.0.as_deref().map(|folder| folder.join(kind))
    }
}
