//! A cache of extracted and chunked texts, by content. A file that has not changed is not parsed again, wherever it moves, and
//! the text of a project that a run leaves alone stays available.

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
/// What is new is written to the file when it is more than this.
const MAX_FRESH_BYTES: usize = 32 << 20;

/// What a file turned out to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CachedPage {
    /// A document.
    Document(Box<Extracted>),
    /// A page that only leads to another, by a URL relative to it.
    Redirect(String),
    /// Nothing to be found.
    LeftOut(LeftOut),
    /// Kept out by its author, with what is wrong with the lines that say so.
    KeptOut(LeftOut, Vec<String>),
    /// Not readable, for this reason.
    Unreadable(String),
    /// Source code.
    Code(Box<CodeFile>),
    /// No source code to be searched.
    Unwanted(Unwanted),
}

/// Which files an archive has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownArchive {
    /// Those that a reader knows: path in the archive, and hash of the content.
    pub files: BTreeMap<String, String>,
    /// What else it has.
    pub contents: Contents,
}

/// Pages and chunks by content.
#[derive(Debug)]
pub struct PageCache {
    log: RecordLog,
    /// Another build of the program may extract otherwise.
    program: String,
}

impl PageCache {
    /// Reads the file of `folder`, of which what the program of this `build` wrote counts.
    pub fn open(folder: &CacheFolder, build: &str) -> Result<Self> {
        let path = folder.of("pages").map(|folder| folder.join("pages.nfp"));
        Ok(Self { log: RecordLog::open(path, *MAGIC, MAX_FILE_BYTES)?, program: build.to_owned() })
    }

    /// What is wrong with the file, if anything is.
    pub(crate) fn damage(&self) -> Option<String> {
        self.log.damage()
    }

    /// Whether the file that was read is still the one that others append to.
    pub(crate) fn is_current(&self) -> bool {
        self.log.is_current()
    }

    /// What the file called `name` with content `hash` was extracted to.
    pub(crate) fn page(&self, name: &str, hash: &str) -> Option<CachedPage> {
        self.get(&self.key(&["page", name, hash]))
    }

    /// Remembers it.
    pub(crate) fn insert_page(&mut self, name: &str, hash: &str, page: &CachedPage) {
        self.insert(self.key(&["page", name, hash]), page);
    }

    /// Which files the archive with content `hash` has.
    pub(crate) fn archive(&self, format: ArchiveFormat, hash: &str) -> Option<KnownArchive> {
        self.get(&self.key(&["archive", &format!("{format:?}"), hash]))
    }

    /// Remembers it.
    pub(crate) fn insert_archive(&mut self, format: ArchiveFormat, hash: &str, archive: &KnownArchive) {
        self.insert(self.key(&["archive", &format!("{format:?}"), hash]), archive);
    }

    /// How the page known by `content` was chunked under `settings`, which name everything else that chunking depends
    /// on.
    pub(crate) fn chunks(&self, content: &str, settings: &str) -> Option<Vec<Chunk>> {
        self.get(&self.key(&["chunks", content, settings]))
    }

    /// Remembers it.
    pub(crate) fn insert_chunks(&mut self, content: &str, settings: &str, chunks: &[Chunk]) {
        self.insert(self.key(&["chunks", content, settings]), &chunks);
    }

    /// Appends what is new to the file, of which what was not used goes if it is too large.
    pub(crate) fn save(&mut self) {
        self.log.keep();
        // What cannot be let go of costs space alone.
        if let Err(problem) = self.log.trim() {
            remark!("warning: {problem:#}");
        }
    }

    fn get<T: DeserializeOwned>(&self, key: &Key) -> Option<T> {
        serde_json::from_slice(&self.log.get(key)?).ok()
    }

    fn insert(&mut self, key: Key, value: &impl Serialize) {
        // A page that cannot be written down is read again.
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
