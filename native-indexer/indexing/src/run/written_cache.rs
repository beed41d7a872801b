//! A cache of the texts that a language model has written, by model, task and material, so that none is paid for twice.

use anyhow::Result;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::record_log::{Key, RecordLog, key_of};

const MAGIC: &[u8; 8] = b"nfwrite1";
/// Some hundred thousand passages. Larger files shrink to what the last run has used.
const MAX_FILE_BYTES: u64 = 128 << 20;

/// The texts that one model wrote.
#[derive(Debug)]
pub struct WrittenCache {
    log: RecordLog,
}

impl WrittenCache {
    /// Reads the file of the model with this identity, a hash in hexadecimal digits.
    pub fn open(folder: &CacheFolder, identity: &str) -> Result<Self> {
        let path = folder
            .of(nearfind_base::cache_folder::WRITTEN)
            .map(|folder| folder.join(format!("{}.nfw", &identity[..16])));
        Ok(Self { log: RecordLog::open(path, *MAGIC, MAX_FILE_BYTES)? })
    }

    /// What is wrong with the file, if anything is.
    pub(crate) fn damage(&self) -> Option<String> {
        self.log.damage()
    }

    /// Whether it is known what was written for `task` with `material`.
    pub(crate) fn contains(&self, task: &str, material: &str) -> bool {
        self.log.contains(&key(task, material))
    }

    /// What was written for `task` with `material`, if it is known.
    pub(crate) fn get(&self, task: &str, material: &str) -> Option<String> {
        String::from_utf8(self.log.get(&key(task, material))?).ok()
    }

    /// Remembers what was written for `task` with `material`.
    pub(crate) fn insert(&mut self, task: &str, material: &str, written: &str) {
        self.log.insert(key(task, material), written.as_bytes().to_vec());
    }

    /// Appends what is new to the file.
    pub(crate) fn save(&mut self) {
        self.log.keep();
    }

    /// Lets go of what this run has not used, if the file is too large.
    pub(crate) fn trim(&mut self) -> Result<()> {
        self.log.trim()
    }
}

fn key(task: &str, material: &str) -> Key {
    key_of(&blake3::hash(format!("{}\0{task}\0{material}", task.len()).as_bytes()))
}
