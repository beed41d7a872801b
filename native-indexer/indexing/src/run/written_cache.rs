//! A cache of the texts that a language model has written, by model, task and material, so that no text is paid for
//! twice.

use anyhow::Result;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::record_log::{Key, RecordLog, key_of};

const MAGIC: &[u8; 8] = b"nfwrite1";
/// Maximum size in bytes, enough for some hundred thousand passages. A larger file is reduced to the texts that a run
/// has used.
const MAX_FILE_BYTES: u64 = 128 << 20;

/// The texts that one model wrote.
#[derive(Debug)]
pub struct WrittenCache {
    log: RecordLog,
}

impl WrittenCache {
    /// Opens the cache for the model with this identity, which is a hash in hexadecimal digits.
    pub fn open(folder: &CacheFolder, identity: &str) -> Result<Self> {
        let path = folder
            .of(nearfind_base::cache_folder::WRITTEN)
            .map(|folder| folder.join(format!("{}.nfw", &identity[..16])));
        Ok(Self { log: RecordLog::open(path, *MAGIC, MAX_FILE_BYTES)? })
    }

    /// Returns a description of the damage that was found in the file, if there was any.
    pub(crate) fn damage(&self) -> Option<String> {
        self.log.damage()
    }

    /// Whether the text for `task` and `material` is known. It may be empty.
    pub(crate) fn contains(&self, task: &str, material: &str) -> bool {
        self.log.contains(&key(task, material))
    }

    /// Returns the text for `task` and `material`, if it is known. It may be empty.
    pub(crate) fn get(&self, task: &str, material: &str) -> Option<String> {
        String::from_utf8(self.log.get(&key(task, material))?).ok()
    }

    /// Remembers the text that was written for `task` and `material`.
    pub(crate) fn insert(&mut self, task: &str, material: &str, written: &str) {
        self.log.insert(key(task, material), written.as_bytes().to_vec());
    }

    /// Appends new texts to the file.
    pub(crate) fn save(&mut self) {
        self.log.keep();
    }

    /// If the file is too large, removes the texts that this run has not used.
    pub(crate) fn trim(&mut self) -> Result<()> {
        self.log.trim()
    }
}

fn key(task: &str, material: &str) -> Key {
    key_of(&blake3::hash(format!("{}\0{task}\0{material}", task.len()).as_bytes()))
}
