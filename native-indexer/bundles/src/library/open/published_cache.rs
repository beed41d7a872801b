//! The cache of a published bundle: its manifest, the stored bytes of its blocks and its model pack, in a folder named
//! after its address. The key of a block is its file and offset. File names contain the hash of their content, so
//! nothing in the cache becomes outdated.

use anyhow::{Context as _, Result};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::cache_folder::PUBLISHED;
use nearfind_base::readable_file;
use nearfind_base::record_log::{Key, RecordLog, key_of};
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"nfpubli1";
/// A larger log is rewritten with only the records that the run has used.
const MAX_BYTES: u64 = 512 << 20;
const MANIFEST: &str = "manifest.json";

/// The manifest that was fetched last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchedManifest {
    /// The publisher's tag for this version, which is sent back to ask for a newer one.
    pub etag: Option<String>,
    /// The date of this version, in the publisher's format.
    pub modified: Option<String>,
    /// The manifest's text, which is JSON.
    pub text: String,
}

/// The cache of a published bundle.
#[derive(Debug)]
pub struct PublishedCache {
    folder: Option<PathBuf>,
    blocks: RecordLog,
}

impl PublishedCache {
    /// Opens the cache of the bundle at `address`.
    pub fn open(cache: &CacheFolder, address: &str) -> Result<Self> {
        let name = blake3::hash(address.as_bytes()).to_hex()[..32].to_owned();
        let folder = cache.of(PUBLISHED).map(|folder| folder.join(name));
        let blocks = RecordLog::open(folder.as_ref().map(|folder| folder.join("blocks")), MAGIC, MAX_BYTES)?;
        Ok(Self { folder, blocks })
    }

    /// Returns the manifest that was fetched last, if there is one.
    pub fn manifest(&self) -> Option<FetchedManifest> {
        serde_json::from_slice(&std::fs::read(self.folder.as_ref()?.join(MANIFEST)).ok()?).ok()
    }

    /// Keeps a manifest that was found to be valid.
    pub fn keep_manifest(&self, manifest: &FetchedManifest) -> Result<()> {
        self.keep_file(MANIFEST, &serde_json::to_vec(manifest)?)
    }

    /// Returns the stored bytes of the block at byte `start` of `file`.
    pub fn block(&self, file: &str, start: u64) -> Option<Vec<u8>> {
        self.blocks.get(&key(file, start))
    }

    /// Adds a block that was found to be valid: see [`Self::save`].
    pub fn keep_block(&mut self, file: &str, start: u64, stored: Vec<u8>) {
        self.blocks.insert(key(file, start), stored);
    }

    /// Writes the added blocks.
    pub fn save(&mut self) -> Result<()> {
        self.blocks.save()?;
        self.blocks.trim()
    }

    /// Returns the path of a model pack, whether it exists or not, or `None` if nothing is cached.
    pub fn pack(&self, file: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(file))
    }

    /// Keeps a model pack that was found to be valid.
    pub fn keep_pack(&self, file: &str, pack: &[u8]) -> Result<()> {
        self.keep_file(file, pack)
    }

    fn keep_file(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let write = |folder: &Path| -> Result<()> {
            std::fs::create_dir_all(folder)?;
            let mut file = tempfile::Builder::new().prefix(".nearfind-tmp-").tempfile_in(folder)?;
            file.write_all(bytes)?;
            readable_file::replace(file, &folder.join(name))?;
            Ok(())
        };
        write(folder).with_context(|| format!("cache {} cannot be written", folder.display()))
    }
}

fn key(file: &str, start: u64) -> Key {
    key_of(&blake3::Hasher::new().update(file.as_bytes()).update(&[0]).update(&start.to_le_bytes()).finalize())
}
