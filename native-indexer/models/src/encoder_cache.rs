//! Caches query encoders with the documents to which they were fitted. On a small change, fitting one takes longer than
//! all other work, and a table for nearly the same documents is nearly as good.
//!
//! A file consists of a magic number, the length of a JSON header, the header, the first rows of the rotation, the
//! vectors, and the BLAKE3 hash of all of these.

use anyhow::{Context as _, Result};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::readable_file;
use nearfind_core::bundle::{BundleDocument, BundleEncoder};
use nearfind_core::embed::bert_words::NormalizerOptions;
use nearfind_core::vector::floats::add_scaled;
use nearfind_core::vector::rotation::Rotation;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"nfquery0";
const EXTENSION: &str = "nfq";
const HASH_BYTES: usize = blake3::OUT_LEN;
/// Share of documents that may be new, changed or removed before the table is fitted again.
const MAX_CHANGED: f64 = 0.05;
/// Number of encoders that are kept, the latest first.
const KEPT: usize = 12;

/// A table that was fitted to a corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownEncoder {
    header: Header,
    /// Rows of the rotation that produced its components, `[near × dimensions]`.
    rotation: Vec<f32>,
    vectors: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    /// Hash of everything the fit depends on, except documents.
    settings: String,
    /// Hashes of the documents in the fit, ascending.
    fitted: Vec<u64>,
    texts: usize,
    near: usize,
    normalizer: u8,
    #[serde(default)]
    floors: [f32; 2],
    tokens: Vec<String>,
    frequent: Vec<String>,
}

impl KnownEncoder {
    /// Creates an entry for a table that was fitted under `settings` to `texts`, drawn from the documents with these
    /// hashes.
    pub fn new(
        encoder: &BundleEncoder,
        rotation: &Rotation,
        documents: Vec<u64>,
        settings: &str,
        texts: usize,
    ) -> Self {
        let near = encoder.vectors.len() / encoder.tokens.len().max(1);
        Self {
            header: Header {
                settings: settings.to_owned(),
                fitted: documents,
                texts,
                near,
                normalizer: encoder.normalizer.to_bits(),
                floors: encoder.floors,
                tokens: encoder.tokens.clone(),
                frequent: encoder.frequent.clone(),
            },
            rotation: rotation.rows()[..near * rotation.dimensions()].to_vec(),
            vectors: encoder.vectors.clone(),
        }
    }

    /// Returns the table, turned by `rotation`, and the number of texts in its fit.
    pub fn turned(&self, rotation: &Rotation) -> (BundleEncoder, usize) {
        let (near, dimensions) = (self.header.near, rotation.dimensions());
        let encoder = BundleEncoder {
            tokens: self.header.tokens.clone(),
            frequent: self.header.frequent.clone(),
            normalizer: NormalizerOptions::from_bits(self.header.normalizer),
            floors: self.header.floors,
            is_general: false,
            vectors: if self.rotation == rotation.rows()[..near * dimensions] {
                self.vectors.clone()
            } else {
                let turn: Vec<Vec<f32>> =
                    self.rotation.chunks_exact(dimensions).map(|row| rotation.apply(row)).collect();
                self.vectors.par_chunks_exact(near).flat_map_iter(|row| turned_row(row, &turn, near)).collect()
            },
        };
        (encoder, self.header.texts)
    }

    /// Returns the share of documents that differ between the fit and `documents`, both ascending.
    fn distance(&self, documents: &[u64]) -> f64 {
        // Documents may be equal, so each is paired with one counterpart.
        let mut fitted = self.header.fitted.as_slice();
        let mut common = 0;
        for hash in documents {
            fitted = &fitted[fitted.partition_point(|known| known < hash)..];
            if fitted.first() == Some(hash) {
                fitted = &fitted[1..];
                common += 1;
            }
        }
        let all = documents.len() + self.header.fitted.len() - common;
        if all == 0 { 0.0 } else { (all - common) as f64 / all as f64 }
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        let header = serde_json::to_vec(&self.header)?;
        let mut bytes = [MAGIC.as_slice(), &(header.len() as u32).to_le_bytes(), &header].concat();
        bytes.extend(self.rotation.iter().chain(&self.vectors).flat_map(|x| x.to_le_bytes()));
        let hash = blake3::hash(&bytes);
        bytes.extend(hash.as_bytes());
        Ok(bytes)
    }

    /// Reads a file. Returns `None` if it is damaged or of another kind.
    fn read(bytes: &[u8]) -> Option<Self> {
        let (body, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH_BYTES)?)?;
        if blake3::hash(body).as_bytes() != hash {
            return None;
        }
        let (length, rest) = body.strip_prefix(MAGIC.as_slice())?.split_first_chunk()?;
        let (header, floats) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let header: Header = serde_json::from_slice(header).ok()?;
        let floats: Vec<f32> = floats.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect();
        let rotation = floats.len().checked_sub(header.near.checked_mul(header.tokens.len())?)?;
        let (rotation, vectors) = floats.split_at(rotation);
        Some(Self { header, rotation: rotation.to_vec(), vectors: vectors.to_vec() })
    }
}

fn turned_row(row: &[f32], turn: &[Vec<f32>], near: usize) -> Vec<f32> {
    let mut turned = vec![0.0f32; near];
    for (&x, image) in row.iter().zip(turn) {
        add_scaled(&mut turned, x, image);
    }
    turned
}

/// Hashes of documents, ascending.
pub fn document_hashes(documents: &[BundleDocument]) -> Vec<u64> {
    let hash = |document: &BundleDocument| {
        let mut hasher = blake3::Hasher::new();
        hasher.update(document.record.title.as_bytes()).update(&[0]).update(document.text.as_bytes());
        u64::from_le_bytes(hasher.finalize().as_bytes()[..8].try_into().expect("a hash is longer"))
    };
    let mut hashes: Vec<u64> = documents.iter().map(hash).collect();
    hashes.sort_unstable();
    hashes
}

/// A folder of cached encoders.
#[derive(Clone, Debug)]
pub struct EncoderCache {
    folder: Option<PathBuf>,
}

impl EncoderCache {
    /// Opens the cache in `folder`.
    pub fn new(folder: &CacheFolder) -> Self {
        Self { folder: folder.of("encoders") }
    }

    /// Returns the encoder that was fitted under `settings` to the documents nearest to `documents`, if they are near
    /// enough. Removes damaged files and reports them to `damaged`.
    pub fn find(&self, settings: &str, documents: &[u64], damaged: impl Fn(&Path)) -> Option<KnownEncoder> {
        let mut best: Option<(f64, KnownEncoder)> = None;
        for path in self.paths() {
            let Some(known) = std::fs::read(&path).ok().and_then(|bytes| KnownEncoder::read(&bytes)) else {
                damaged(&path);
                // A file that cannot be removed is reported again next time.
                let _ = std::fs::remove_file(&path);
                continue;
            };
            if known.header.settings != settings {
                continue;
            }
            let distance = known.distance(documents);
            if distance <= MAX_CHANGED && best.as_ref().is_none_or(|(least, _)| distance < *least) {
                best = Some((distance, known));
            }
        }
        best.map(|(_, known)| known)
    }

    /// Adds an encoder, and removes all but the latest.
    pub fn save(&self, known: &KnownEncoder) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let written = || -> Result<()> {
            std::fs::create_dir_all(folder)?;
            let bytes = known.to_bytes()?;
            let name = blake3::hash(&serde_json::to_vec(&(&known.header.settings, &known.header.fitted))?).to_hex();
            let mut file = tempfile::Builder::new().prefix(".nearfind-tmp-").tempfile_in(folder)?;
            file.write_all(&bytes)?;
            readable_file::replace(file, &folder.join(format!("{}.{EXTENSION}", &name[..16])))?;
            for old in self.paths().into_iter().skip(KEPT) {
                std::fs::remove_file(old)?;
            }
            Ok(())
        };
        written().with_context(|| format!("cache {} cannot be written", folder.display()))
    }

    /// Returns the files, the latest first.
    fn paths(&self) -> Vec<PathBuf> {
        let entries = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok());
        let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION)).collect();
        let age = |path: &PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
        paths.sort_by_cached_key(|path| (std::cmp::Reverse(age(path)), path.clone()));
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(documents: Vec<u64>) -> KnownEncoder {
        let encoder = BundleEncoder {
            tokens: vec!["a".into(), "b".into()],
            vectors: vec![1.0, 2.0, 3.0, 4.0],
            frequent: vec!["a".into()],
            normalizer: NormalizerOptions::from_bits(15),
            floors: [0.25, 0.5],
            is_general: false,
        };
        KnownEncoder::new(&encoder, &Rotation::new(vec![1.0, 0.0, 0.0, 1.0], 2), documents, "model", 7)
    }

    #[test]
    fn an_encoder_serves_documents_that_are_nearly_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let cache = EncoderCache::new(&CacheFolder::at(Some(folder.path().to_owned())));
        let find = |settings: &str, documents: &[u64]| cache.find(settings, documents, |_| {});
        let documents: Vec<u64> = (0..100).collect();
        cache.save(&known(documents.clone())).unwrap();
        assert_eq!(find("model", &documents), Some(known(documents.clone())));
        assert!(find("model", &(1..101).collect::<Vec<_>>()).is_some());
        assert!(find("model", &(50..150).collect::<Vec<_>>()).is_none());
        assert!(find("other model", &documents).is_none());
        let path = cache.paths().remove(0);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(find("model", &documents).is_none());
    }

    #[test]
    fn rows_turn_with_the_rotation() {
        let encoder = known(Vec::new());
        assert_eq!(encoder.turned(&Rotation::new(vec![1.0, 0.0, 0.0, 1.0], 2)).0.vectors, [1.0, 2.0, 3.0, 4.0]);
        // A quarter turn: (x, y) becomes (-y, x).
        assert_eq!(encoder.turned(&Rotation::new(vec![0.0, -1.0, 1.0, 0.0], 2)).0.vectors, [-2.0, 1.0, -4.0, 3.0]);
    }
}
