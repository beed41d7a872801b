//! A cache of vectors, by model and text, so that an unchanged chunk is never embedded again.

use anyhow::{Context as _, Result, bail};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::readable_file;
use nearfind_base::record_log::{Key, RecordLog, key_of};
use std::path::Path;

const MAGIC: &[u8; 8] = b"nfcache1";
/// About 330,000 vectors of 384 components. Larger files shrink to what the last run has used, if that is less than half.
const MAX_FILE_BYTES: u64 = 512 << 20;
/// Bytes of a share that are written at a time.
const SHARE_BYTES_AT_ONCE: usize = 32 << 20;

/// The vectors known for one model.
#[derive(Debug)]
pub struct EmbeddingCache {
    log: RecordLog,
    /// What other machines embedded.
    shares: Vec<RecordLog>,
    dimensions: usize,
}

impl EmbeddingCache {
    /// Reads the file of the model with hash `model`, whose vectors have `dimensions` components.
    pub fn open(folder: &CacheFolder, model: &str, dimensions: usize) -> Result<Self> {
        let path = folder.of("embeddings").map(|folder| folder.join(format!("{}.nfe", &model[..16])));
        Ok(Self { log: RecordLog::open(path, *MAGIC, MAX_FILE_BYTES)?, shares: Vec::new(), dimensions })
    }

    /// Knows the vectors of a file of [`EmbeddingCache::write_share`] too. One that is damaged is an error.
    pub fn read_share(&mut self, path: &Path) -> Result<()> {
        let share = RecordLog::open(Some(path.to_owned()), *MAGIC, u64::MAX)?;
        if share.damage().is_some() {
            bail!("{} is damaged: make that share again", path.display());
        }
        self.shares.push(share);
        Ok(())
    }

    /// Writes the vectors of `texts`, all of which are known, to a file of their own, which is there whole or not at all.
    pub fn write_share(&self, path: &Path, texts: &[String]) -> Result<()> {
        let folder = path.parent().context("a share is in a folder")?;
        std::fs::create_dir_all(folder)?;
        let begun = tempfile::Builder::new().prefix(".nearfind-tmp-").tempfile_in(folder)?;
        let mut share = RecordLog::open(Some(begun.path().to_owned()), *MAGIC, u64::MAX)?;
        for text in texts {
            let key = key(text);
            share.insert(key, self.body(&key).context("the cache of vectors cannot be read any more")?);
            if share.fresh_bytes() > SHARE_BYTES_AT_ONCE {
                share.save()?;
            }
        }
        share.save()?;
        Ok(readable_file::persist(begun, path)?)
    }

    /// What is wrong with the file, if anything is.
    pub fn damage(&self) -> Option<String> {
        self.log.damage()
    }

    /// Whether the file that was read is still the one that others append to.
    pub fn is_current(&self) -> bool {
        self.shares.is_empty() && self.log.is_current()
    }

    /// Whether the vector of `text` is known.
    pub fn contains(&self, text: &str) -> bool {
        let key = key(text);
        self.log.contains(&key) || self.shares.iter().any(|share| share.contains(&key))
    }

    /// The vector of `text`, if it is known.
    pub(crate) fn get(&self, text: &str) -> Option<Vec<f32>> {
        let body = self.body(&key(text))?;
        let components = body.as_chunks::<4>().0;
        (body.len() == self.dimensions * 4).then(|| components.iter().map(|x| f32::from_le_bytes(*x)).collect())
    }

    fn body(&self, key: &Key) -> Option<Vec<u8>> {
        self.log.get(key).or_else(|| self.shares.iter().find_map(|share| share.get(key)))
    }

    /// Remembers the vector of `text`.
    pub(crate) fn insert(&mut self, text: &str, vector: &[f32]) {
        self.log.insert(key(text), vector.iter().flat_map(|component| component.to_le_bytes()).collect());
    }

    /// Appends what is new to the file.
    pub(crate) fn save(&mut self) {
        self.log.keep();
    }

    /// Lets go of what this run has not used, if the file is too large.
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
