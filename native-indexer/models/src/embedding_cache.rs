//! Caches vectors by model and text, so that an unchanged chunk is never embedded again.

use anyhow::{Context as _, Result, bail};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::readable_file;
use nearfind_base::record_log::{Key, RecordLog, key_of};
use std::path::Path;

const MAGIC: &[u8; 8] = b"nfcache1";
/// Size above which the file may shrink: about 330,000 vectors of 384 components. It shrinks to the vectors of the last
/// run if they make up less than half of the file.
const MAX_FILE_BYTES: u64 = 512 << 20;
/// Number of bytes per write to a share.
const SHARE_BYTES_AT_ONCE: usize = 32 << 20;

/// Cached vectors from one model.
#[derive(Debug)]
pub struct EmbeddingCache {
    log: RecordLog,
    /// Vectors that other machines computed.
    shares: Vec<RecordLog>,
    dimensions: usize,
}

impl EmbeddingCache {
    /// Opens the cache of the model with hash `model`, whose vectors have `dimensions` components.
    pub fn open(folder: &CacheFolder, model: &str, dimensions: usize) -> Result<Self> {
        let path = folder.of("embeddings").map(|folder| folder.join(format!("{}.nfe", &model[..16])));
        Ok(Self { log: RecordLog::open(path, *MAGIC, MAX_FILE_BYTES)?, shares: Vec::new(), dimensions })
    }

    /// Adds the vectors in a file that [`EmbeddingCache::write_share`] wrote. A damaged file is an error.
    pub fn read_share(&mut self, path: &Path) -> Result<()> {
        let share = RecordLog::open(Some(path.to_owned()), *MAGIC, u64::MAX)?;
        if share.damage().is_some() {
            bail!("{} is damaged: make that share again", path.display());
        }
        self.shares.push(share);
        Ok(())
    }

    /// Writes the vectors of `texts` to a separate file. All of them must be cached. The file appears completely or not
    /// at all.
    pub fn write_share(&self, path: &Path, texts: &[String]) -> Result<()> {
        let folder = path.parent().context("a share is in a folder")?;
        std::fs::create_dir_all(folder)?;
        let begun = tempfile::Builder::new().prefix(".nearfind-tmp-").tempfile_in(folder)?;
        let mut share = RecordLog::open(Some(begun.path().to_owned()), *MAGIC, u64::MAX)?;
        for text in texts {
            let key = key(text);
            share.insert(key, self.body(&key).context("the cache of vectors can no longer be read")?);
            if share.fresh_bytes() > SHARE_BYTES_AT_ONCE {
                share.save()?;
            }
        }
        share.save()?;
        Ok(readable_file::persist(begun, path)?)
    }

    /// Returns a description of the damage, if the file is damaged.
    pub fn damage(&self) -> Option<String> {
        self.log.damage()
    }

    /// Whether the file that was read is still the file that other processes append to.
    pub fn is_current(&self) -> bool {
        self.shares.is_empty() && self.log.is_current()
    }

    /// Whether the vector of `text` is cached.
    pub fn contains(&self, text: &str) -> bool {
        let key = key(text);
        self.log.contains(&key) || self.shares.iter().any(|share| share.contains(&key))
    }

    /// Returns the vector of `text`, if it is cached.
    pub(crate) fn get(&self, text: &str) -> Option<Vec<f32>> {
        let body = self.body(&key(text))?;
        let components = body.as_chunks::<4>().0;
        (body.len() == self.dimensions * 4).then(|| components.iter().map(|x| f32::from_le_bytes(*x)).collect())
    }

    fn body(&self, key: &Key) -> Option<Vec<u8>> {
        self.log.get(key).or_else(|| self.shares.iter().find_map(|share| share.get(key)))
    }

    /// Adds the vector of `text`.
    pub(crate) fn insert(&mut self, text: &str, vector: &[f32]) {
        self.log.insert(key(text), vector.iter().flat_map(|component| component.to_le_bytes()).collect());
    }

    /// Appends new vectors to the file.
    pub(crate) fn save(&mut self) {
        self.log.keep();
    }

    /// Drops the vectors that this run has not used, if the file is too large.
    pub fn trim(&mut self) -> Result<()> {
        self.log.trim()
    }
}

fn key(text: &str) -> Key {
    key_of(&blake3::hash(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            let folder = CacheFolder::at(Some(folder.path().to_owned()));
            EmbeddingCache::open(&folder, "0123456789abcdef0123456789abcdef", 2).unwrap()
        };
        let mut first = open();
        first.insert("a", &[1.0, 2.0]);
        assert_eq!(first.get("a"), Some(vec![1.0, 2.0]));
        first.save();
        assert_eq!((open().get("a"), open().contains("b")), (Some(vec![1.0, 2.0]), false));
    }
}
