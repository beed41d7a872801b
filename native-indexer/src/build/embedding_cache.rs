//! Vectors of texts that were embedded before, kept on disk by model and text: indexing again costs what has changed.
//!
//! One file a model: magic, dimensions, then records of key (start of the text's BLAKE3), components and a checksum.
//! Records are appended under a lock. A torn or foreign record ends the reading; what was read before it is good.

use anyhow::{Context as _, Result};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"nfcache0";
const KEY_BYTES: usize = 16;
const CHECK_BYTES: usize = 4;
/// A larger file is begun anew, with the vectors of the run that found it so.
const MAX_FILE_BYTES: u64 = 2 << 30;

type Key = [u8; KEY_BYTES];

/// The vectors known for one model.
#[derive(Debug)]
pub struct EmbeddingCache {
    path: Option<PathBuf>,
    dimensions: usize,
    vectors: HashMap<Key, Vec<f32>>,
    fresh: Vec<Key>,
}

impl EmbeddingCache {
    /// Reads the file of the model with hash `model` in `folder`; without a folder nothing is kept.
    pub fn open(folder: Option<&Path>, model: &str, dimensions: usize) -> Result<Self> {
        let path = folder.map(|folder| folder.join(format!("{}.nfe", &model[..16])));
        let mut cache = Self { path, dimensions, vectors: HashMap::new(), fresh: Vec::new() };
        if let Some(path) = cache.path.clone().filter(|path| path.exists()) {
            cache.read(&path).with_context(|| format!("embedding cache {}", path.display()))?;
        }
        Ok(cache)
    }

    fn read(&mut self, path: &Path) -> Result<()> {
        let mut file = File::open(path)?;
        file.lock_shared()?;
        if file.metadata()?.len() > MAX_FILE_BYTES {
            return Ok(());
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let Some(records) = bytes.strip_prefix(self.header().as_slice()) else { return Ok(()) };
        for record in records.chunks_exact(self.record_bytes()) {
            let (body, check) = record.split_at(record.len() - CHECK_BYTES);
            if check != checksum(body) {
                break;
            }
            let (key, components) = body.split_at(KEY_BYTES);
            let components = components.as_chunks::<4>().0;
            let key = key.try_into().expect("split at the length of a key");
            self.vectors.insert(key, components.iter().map(|component| f32::from_le_bytes(*component)).collect());
        }
        Ok(())
    }

    /// The vector of `text`, if it is known.
    pub(crate) fn get(&self, text: &str) -> Option<&[f32]> {
        self.vectors.get(&key(text)).map(Vec::as_slice)
    }

    /// Remembers the vector of `text`.
    pub(crate) fn insert(&mut self, text: &str, vector: Vec<f32>) {
        let key = key(text);
        if self.vectors.insert(key, vector).is_none() {
            self.fresh.push(key);
        }
    }

    /// Appends what is new to the file.
    pub(crate) fn save(&mut self) -> Result<()> {
        let Some(path) = self.path.clone().filter(|_| !self.fresh.is_empty()) else { return Ok(()) };
        self.append(&path).with_context(|| format!("embedding cache {}", path.display()))
    }

    fn append(&mut self, path: &Path) -> Result<()> {
        std::fs::create_dir_all(path.parent().context("a cache is in a folder")?)?;
        let mut file = OpenOptions::new().create(true).read(true).write(true).truncate(false).open(path)?;
        file.lock()?;
        let header = self.header();
        let mut start = vec![0; header.len()];
        let sound = file.read_exact(&mut start).is_ok() && start == header;
        let length = file.metadata()?.len();
        let mut out = BufWriter::new(&file);
        if sound && length <= MAX_FILE_BYTES {
            // Behind the last whole record: a torn one would hide what follows it.
            let records = (length - header.len() as u64) / self.record_bytes() as u64;
            out.seek(SeekFrom::Start(header.len() as u64 + records * self.record_bytes() as u64))?;
        } else {
            file.set_len(0)?;
            out.seek(SeekFrom::Start(0))?;
            out.write_all(&header)?;
        }
        for key in self.fresh.drain(..) {
            let mut record = key.to_vec();
            record.extend(self.vectors[&key].iter().flat_map(|component| component.to_le_bytes()));
            let check = checksum(&record);
            record.extend(check);
            out.write_all(&record)?;
        }
        out.flush()?;
        Ok(())
    }

    fn header(&self) -> Vec<u8> {
        [MAGIC.as_slice(), &(self.dimensions as u64).to_le_bytes()].concat()
    }

    const fn record_bytes(&self) -> usize {
        KEY_BYTES + self.dimensions * 4 + CHECK_BYTES
    }
}

fn key(text: &str) -> Key {
    let hash = blake3::hash(text.as_bytes());
    hash.as_bytes()[..KEY_BYTES].try_into().expect("a hash is longer than a key")
}

fn checksum(body: &[u8]) -> [u8; CHECK_BYTES] {
    blake3::hash(body).as_bytes()[..CHECK_BYTES].try_into().expect("a hash is longer than a checksum")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn what_was_saved_is_found_again_and_a_torn_record_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let open = || EmbeddingCache::open(Some(folder.path()), MODEL, 2).unwrap();
        let mut first = open();
        first.insert("a", vec![1.0, 2.0]);
        first.save().unwrap();
        first.insert("b", vec![3.0, 4.0]);
        first.save().unwrap();
        assert_eq!(open().get("a"), Some([1.0, 2.0].as_slice()));
        assert_eq!(open().get("b"), Some([3.0, 4.0].as_slice()));
        assert_eq!(open().get("c"), None);
        let path = folder.path().join(format!("{}.nfe", &MODEL[..16]));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(open().get("b"), None);
        let mut torn = open();
        torn.insert("c", vec![5.0, 6.0]);
        torn.save().unwrap();
        assert_eq!(open().get("a"), Some([1.0, 2.0].as_slice()));
        assert_eq!(open().get("c"), Some([5.0, 6.0].as_slice()));
    }

    #[test]
    fn a_foreign_file_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(format!("{}.nfe", &MODEL[..16])), "something else").unwrap();
        let mut cache = EmbeddingCache::open(Some(folder.path()), MODEL, 1).unwrap();
        assert_eq!(cache.get("a"), None);
        cache.insert("a", vec![1.0]);
        cache.save().unwrap();
        assert_eq!(EmbeddingCache::open(Some(folder.path()), MODEL, 1).unwrap().get("a"), Some([1.0].as_slice()));
    }
}
