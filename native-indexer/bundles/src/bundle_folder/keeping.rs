//! Ensures that only one process keeps a bundle up to date, even if several servers answer from it. The lock is beside
//! the record of the bundle, and ends with its process.

use super::record::record_file;
use anyhow::{Context as _, Result};
use nearfind_base::cache_folder::CacheFolder;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// The right to keep a bundle up to date, until it is dropped.
#[derive(Debug)]
pub struct Keeping {
    _file: Option<File>,
}

impl Keeping {
    /// Acquires the right to keep the bundle in `folder` up to date. Returns `None` if another process has it. Without
    /// a cache, processes do not see each other, so each of them gets the right.
    pub fn take(folder: &Path, cache: &CacheFolder) -> Result<Option<Self>> {
        let Some(path) = record_file(folder, cache).map(|record| record.with_extension("lock")) else {
            return Ok(Some(Self { _file: None }));
        };
        let name = || path.display().to_string();
        std::fs::create_dir_all(path.parent().unwrap_or(&path)).with_context(name)?;
        let file = OpenOptions::new().create(true).write(true).truncate(false).open(&path).with_context(name)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: Some(file) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).with_context(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_the_right_until_it_ends() {
        let place = tempfile::tempdir().unwrap();
        let cache = CacheFolder::at(Some(place.path().join("cache")));
        let take = |name: &str| Keeping::take(&place.path().join(name), &cache).unwrap();
        let first = take("a");
        assert!(first.is_some() && take("a").is_none() && take("b").is_some());
        drop(first);
        assert!(take("a").is_some());
    }
}
