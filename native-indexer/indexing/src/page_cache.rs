//! A cache of extracted and chunked texts, by content. A file that has not changed is not parsed again, even in another
//! folder. The text of a project that a run leaves alone stays available.

use crate::chunk::Chunk;
use anyhow::Result;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::record_log::{Key, RecordLog, key_of};
use nearfind_base::remark;
use nearfind_extract::archive::{ArchiveFormat, Contents};
use nearfind_extract::code::{CodeFile, Unwanted};
use nearfind_extract::{Extracted, LeftOut};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MAGIC: &[u8; 8] = b"nfpages0";
const MAX_FILE_BYTES: u64 = 512 << 20;
/// New records are written to the file when they exceed this number of bytes.
const MAX_FRESH_BYTES: usize = 32 << 20;

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CachedPage {
    /// A document.
    Document(Box<Extracted>),
    /// A page that only redirects to another page, with the URL of that page relative to this page.
    Redirect(String),
    /// A file that is left out, with the reason.
    LeftOut(LeftOut),
    /// A page that its author keeps out of the index, with the reason, and with any mistakes in the lines that keep it
    /// out.
    KeptOut(LeftOut, Vec<String>),
    /// A file that cannot be read, with the reason.
    Unreadable(String),
    /// Source code.
    Code(Box<CodeFile>),
    /// A file that is not searched as source code, with the reason.
    Unwanted(Unwanted),
}

/// The files of an archive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownArchive {
    /// Files that a reader can read: the path in the archive, and the content hash.
    pub files: BTreeMap<String, String>,
    /// Files that no reader can read, problems, and the addresses of web pages.
    pub contents: Contents,
}

/// Pages, archives and chunks by content.
#[derive(Debug)]
pub struct PageCache {
    log: RecordLog,
    /// Identifies the build of the program, because another build may extract text differently.
    program: String,
}

impl PageCache {
    /// Opens the cache in `folder`. Only records of this `build` of the program are used.
    pub fn open(folder: &CacheFolder, build: &str) -> Result<Self> {
        let path = folder.of("pages").map(|folder| folder.join("pages.nfp"));
        Ok(Self { log: RecordLog::open(path, *MAGIC, MAX_FILE_BYTES)?, program: build.to_owned() })
    }

    /// Returns a description of the damage that was found in the file, if there was any.
    pub(crate) fn damage(&self) -> Option<String> {
        self.log.damage()
    }

    /// Whether the file that was read is still the one at its path. Another process may have replaced it.
    pub(crate) fn is_current(&self) -> bool {
        self.log.is_current()
    }

    /// Returns the result of reading the file called `name` with content `hash`, if known.
    pub(crate) fn page(&self, name: &str, hash: &str) -> Option<CachedPage> {
        self.get(&self.key(&["page", name, hash]))
    }

    /// Remembers the result of reading the file called `name` with content `hash`.
    pub(crate) fn insert_page(&mut self, name: &str, hash: &str, page: &CachedPage) {
        self.insert(self.key(&["page", name, hash]), page);
    }

    /// Returns the files in the archive with content `hash`, if known.
    pub(crate) fn archive(&self, format: ArchiveFormat, hash: &str) -> Option<KnownArchive> {
        self.get(&self.key(&["archive", &format!("{format:?}"), hash]))
    }

    /// Remembers the files in the archive with content `hash`.
    pub(crate) fn insert_archive(&mut self, format: ArchiveFormat, hash: &str, archive: &KnownArchive) {
        self.insert(self.key(&["archive", &format!("{format:?}"), hash]), archive);
    }

    /// Returns the chunks of the page that `content` identifies, if known. `settings` identifies everything else that
    /// chunking depends on.
    pub(crate) fn chunks(&self, content: &str, settings: &str) -> Option<Vec<Chunk>> {
        self.get(&self.key(&["chunks", content, settings]))
    }

    /// Remembers the chunks of the page that `content` identifies.
    pub(crate) fn insert_chunks(&mut self, content: &str, settings: &str, chunks: &[Chunk]) {
        self.insert(self.key(&["chunks", content, settings]), &chunks);
    }

    /// Appends new records to the file. A file that is too large is reduced to the records that this run has used.
    pub(crate) fn save(&mut self) {
        self.log.keep();
        // A file that stays too large only costs space.
        if let Err(problem) = self.log.trim() {
            remark!("warning: {problem:#}");
        }
    }

    fn get<T: DeserializeOwned>(&self, key: &Key) -> Option<T> {
        serde_json::from_slice(&self.log.get(key)?).ok()
    }

    fn insert(&mut self, key: Key, value: &impl Serialize) {
        // A page that cannot be serialized is read again in the next run.
        if let Ok(body) = serde_json::to_vec(value) {
            self.log.insert(key, body);
        }
        if self.log.fresh_bytes() > MAX_FRESH_BYTES {
            self.log.keep();
        }
    }

    fn key(&self, parts: &[&str]) -> Key {
        let mut hasher = blake3::Hasher::new();
        for part in [self.program.as_str()].iter().chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        key_of(&hasher.finalize())
    }
}
