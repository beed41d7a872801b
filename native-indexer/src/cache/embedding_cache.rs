//! Vectors of texts that were embedded before, by model and text, so that an unchanged chunk is never embedded again.

use super::CacheFolder;
use super::record_log::{Key, RecordLog, key_of};
use anyhow::Result;

const MAGIC: &[u8; 8] = b"nfcache1";
/// About 330,000 vectors of 384 components. Larger files shrink to what the last run has used.
const MAX_FILE_BYTES: u64 = 512 << 20;

/// The vectors known for one model.
#[derive(Debug)]
pub struct EmbeddingCache {
    log: RecordLog,
    dimensions: usize,
}

impl EmbeddingCache {
    /// Reads the file of the model with hash `model`, whose vectors have `dimensions` components.
    pub fn open(folder: &CacheFolder, model: &str, dimensions: usize) -> Result<Self> {
        let path = folder.of("embeddings").map(|folder| folder.join(format!("{}.nfe", &model[..16])));
        Ok(Self { log: RecordLog::open(path, *MAGIC, MAX_FILE_BYTES)?, dimensions })
    }

    /// What is wrong with the file, if anything is.
    pub(crate) fn damage(&self) -> Option<String> {
        self.log.damage()
    }

    /// Whether the vector of `text` is known.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.log.contains(&key(text))
    }

    /// The vector of `text`, if it is known.
    pub(crate) fn get(&self, text: &str) -> Option<Vec<f32>> {
        let body = self.log.get(&key(text))?;
        let components = body.as_chunks::<4>().0;
        (body.len() == self.dimensions * 4).then(|| components.iter().map(|x| f32::from_le_bytes(*x)).collect())
    }

    /// Remembers the vector of `text`.
    pub(crate) fn insert(&mut self, text: &str, vector: &[f32]) {
        self.log.insert(key(text), vector.iter().flat_map(|component| component.to_le_bytes()).collect());
    }

    /// Appends what is new to the file.
    pub(crate) fn save(&mut self) -> Result<()> {
        self.log.save()
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
        first.save().unwrap();
        assert_eq!((open().get("a"), open().contains("b")), (Some(vec![1.0, 2.0]), false));
    }
}
