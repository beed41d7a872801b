//! A cache of the texts of pictures, by the bytes of each and all that reading depends on.

use super::picture::Picture;
use anyhow::Result;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::record_log::{Key, RecordLog, key_of};

const MAGIC: &[u8; 8] = b"nfocr001";
/// None: a page takes seconds to read and two kilobytes to keep, and runs that know its document never ask for it.
const MAX_FILE_BYTES: u64 = u64::MAX;

/// The texts of pictures.
#[derive(Debug)]
pub(super) struct TextCache {
    log: RecordLog,
}

impl TextCache {
    /// Reads the file of `folder`.
    pub(super) fn open(folder: &CacheFolder) -> Result<Self> {
        let path = folder.of("pages").map(|folder| folder.join("ocr.nfo"));
        Ok(Self { log: RecordLog::open(path, *MAGIC, MAX_FILE_BYTES)? })
    }

    /// The key of `picture`, as what `identity` stands for reads it.
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

    /// Appends what is new to the file.
    pub(super) fn save(&mut self) {
        self.log.keep();
    }
}
