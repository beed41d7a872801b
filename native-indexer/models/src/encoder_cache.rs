//! Caches query encoders with the documents that they were fitted to. After a small change, fitting an encoder takes
//! longer than all other work, and a table for nearly the same documents is nearly as good. The same is true for the
//! rotation whose components the table contains, so the rotation is kept with the table: computing another rotation and
//! turning every row of the table would be half of the remaining work after a small change.
//!
//! A file consists of a magic number, the length of a JSON header, the header, the rotation, the vectors, and the
//! BLAKE3 hash of all of them.

use anyhow::{Context as _, Result, ensure};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::readable_file;
use nearfind_core::bundle::{BundleDocument, BundleEncoder};
use nearfind_core::embed::bert_words::NormalizerOptions;
use nearfind_core::vector::rotation::Rotation;
use serde::{Deserialize, Serialize};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"nfquery1";
const EXTENSION: &str = "nfq";
const HASH_BYTES: usize = blake3::OUT_LEN;
/// Share of documents that may be new, changed or removed before the table is fitted again.
const MAX_CHANGED: f64 = 0.05;
/// Number of encoders to keep, latest first.
const KEPT: usize = 12;

/// A table that was fitted to a corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownEncoder {
    header: Header,
    /// Rows of the rotation that produced the table's components, `[dimensions × dimensions]`.
    rotation: Vec<f32>,
    vectors: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    /// Hash of everything that the fit depends on, except documents.
    settings: String,
    /// Hashes of the documents in the fit, in ascending order.
    fitted: Vec<u64>,
    texts: usize,
    near: usize,
    normalizer: u8,
    #[serde(default)]
    floors: [f32; 2],
    tokens: Vec<String>,
    frequent: Vec<String>,
}

impl Header {
    /// Returns the share of documents that differ between the fit and `documents`, which are both in ascending order.
    fn distance(&self, documents: &[u64]) -> f64 {
        // Documents may be equal, so each is paired with one counterpart.
        let mut fitted = self.fitted.as_slice();
        let mut common = 0;
        for hash in documents {
            fitted = &fitted[fitted.partition_point(|known| known < hash)..];
            if fitted.first() == Some(hash) {
                fitted = &fitted[1..];
                common += 1;
            }
        }
        let all = documents.len() + self.fitted.len() - common;
        if all == 0 { 0.0 } else { (all - common) as f64 / all as f64 }
    }
}

impl KnownEncoder {
    /// Creates an entry for a table that was fitted with `settings` to `texts`, which were drawn from the documents
    /// with these hashes.
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
            rotation: rotation.rows().to_vec(),
            vectors: encoder.vectors.clone(),
        }
    }

    /// Returns the rotation of the corpus that the table was fitted to.
    pub fn rotation(&self) -> Rotation {
        Rotation::new(self.rotation.clone(), self.rotation.len().isqrt())
    }

    /// Returns the table, and the number of texts in its fit.
    pub fn into_encoder(self) -> (BundleEncoder, usize) {
        let Self { header, vectors, .. } = self;
        let encoder = BundleEncoder {
            tokens: header.tokens,
            frequent: header.frequent,
            normalizer: NormalizerOptions::from_bits(header.normalizer),
            floors: header.floors,
            is_general: false,
            vectors,
        };
        (encoder, header.texts)
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        let header = serde_json::to_vec(&self.header)?;
        let mut bytes = [MAGIC.as_slice(), &(header.len() as u32).to_le_bytes(), &header].concat();
        bytes.extend(self.rotation.iter().chain(&self.vectors).flat_map(|x| x.to_le_bytes()));
        let hash = blake3::hash(&bytes);
        bytes.extend(hash.as_bytes());
        Ok(bytes)
    }

    /// Reads a file. Returns `None` if it is damaged or is a different kind of file.
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
        let is_square = rotation.len() == rotation.len().isqrt().pow(2);
        is_square.then(|| Self { header, rotation: rotation.to_vec(), vectors: vectors.to_vec() })
    }
}

/// Reads only the header of a file. The rest is a hundred times as long. Returns `None` if the file comes from an
/// earlier version.
fn read_header(path: &Path) -> Result<Option<Header>> {
    let mut file = std::fs::File::open(path)?;
    let mut start = [0; MAGIC.len() + 4];
    file.read_exact(&mut start)?;
    let (magic, length) = start.split_at(MAGIC.len());
    if magic != MAGIC {
        ensure!(magic[..MAGIC.len() - 1] == MAGIC[..MAGIC.len() - 1], "it is not a query encoder file");
        return Ok(None);
    }
    let length = u64::from(u32::from_le_bytes(length.try_into()?));
    // `take` prevents a damaged length from requesting too much memory.
    let mut header = Vec::new();
    file.take(length).read_to_end(&mut header)?;
    Ok(Some(serde_json::from_slice(&header)?))
}

/// Returns the hashes of documents, in ascending order.
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

    /// Returns the encoder that was fitted with `settings` to the documents nearest to `documents`, if they are near
    /// enough. Removes damaged files, and reports them to `damaged`.
    pub fn find(&self, settings: &str, documents: &[u64], damaged: impl Fn(&Path)) -> Option<KnownEncoder> {
        let remove = |path: &Path| {
            // A file that cannot be removed is reported again next time.
            let _ = std::fs::remove_file(path);
        };
        let mut near: Vec<(f64, PathBuf)> = Vec::new();
        for path in self.paths() {
            match read_header(&path) {
                Ok(Some(header)) if header.settings == settings => near.push((header.distance(documents), path)),
                Ok(Some(_)) => {}
                // This version cannot use a file from an earlier version.
                Ok(None) => remove(&path),
                Err(_) => {
                    damaged(&path);
                    remove(&path);
                }
            }
        }
        near.retain(|(distance, _)| *distance <= MAX_CHANGED);
        // The sort is stable: among files that are equally near, the latest comes first.
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        near.into_iter().find_map(|(_, path)| {
            let known = std::fs::read(&path).ok().and_then(|bytes| KnownEncoder::read(&bytes));
            if known.is_none() {
                damaged(&path);
                remove(&path);
            }
            known
        })
    }

    /// Adds an encoder, and removes all except the latest ones.
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

    /// Returns the files, latest first.
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
    fn files_of_earlier_versions_are_removed_without_a_word() {
        let folder = tempfile::tempdir().unwrap();
        let cache = EncoderCache::new(&CacheFolder::at(Some(folder.path().to_owned())));
        cache.save(&known(vec![1])).unwrap();
        let path = cache.paths().remove(0);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[MAGIC.len() - 1] = b'0';
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(cache.find("model", &[1], |path| panic!("{} is reported", path.display())), None);
        assert!(!path.exists());
    }

    #[test]
    fn what_was_fitted_comes_back_with_its_rotation() {
        let known = known(Vec::new());
        let read = KnownEncoder::read(&known.to_bytes().unwrap()).unwrap();
        assert_eq!(read, known);
        assert_eq!(read.rotation(), Rotation::new(vec![1.0, 0.0, 0.0, 1.0], 2));
        let (encoder, texts) = read.into_encoder();
        assert_eq!((encoder.vectors, encoder.floors, texts), (vec![1.0, 2.0, 3.0, 4.0], [0.25, 0.5], 7));
    }

    #[test]
    fn a_rotation_that_is_not_square_is_refused() {
        let mut oblong = known(Vec::new());
        oblong.rotation.pop();
        assert_eq!(KnownEncoder::read(&oblong.to_bytes().unwrap()), None);
    }
}
