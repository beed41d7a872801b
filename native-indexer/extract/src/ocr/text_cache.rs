//! Caches the texts of pictures by their bytes, their resolution and the version of the program.

use super::picture::Picture;
use anyhow::Result;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::record_log::{Key, RecordLog, key_of};

const MAGIC: &[u8; 8] = b"nfocr001";
/// No limit: a page takes seconds to read but only about 2 KB here. Runs that already know a document do not look up
/// its pages, so a cache with a limit would drop them.
const MAX_FILE_BYTES: u64 = u64::MAX;

/// A cache of the texts of pictures.
#[derive(Debug)]
pub(super) struct TextCache {
    log: RecordLog,
}

impl TextCache {
    /// Opens the cache in `folder`.
    pub(super) fn open(folder: &CacheFolder) -> Result<Self> {
        let path = folder.of("pages").map(|folder| folder.join("ocr.nfo"));
        Ok(Self { log: RecordLog::open(path, *MAGIC, MAX_FILE_BYTES)? })
    }

    /// Returns the key for the text of `picture` from the program with this `identity`.
    pub(super) fn key(picture: &Picture, identity: &str) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(identity.len() as u64).to_le_bytes()).update(identity.as_bytes());
        hasher.update(&picture.dpi.to_le_bytes()).update(&picture.bytes);
        key_of(&hasher.finalize())
    }

    pub(super) fn get(&self, key: &Key) -> Option<String> {
        String::from_utf8(self.log.get(key)?).ok()
    }

    pub(super) fn insert(&mut self, key: Key, text: &str) {
        self.log.insert(key, text.as_bytes().to_vec());
    }

    /// Appends new texts to the file.
    pub(super) fn save(&mut self) {
        self.log.keep();
    }
}
