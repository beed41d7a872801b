//! Reads archives like folders. Each file inside is a document, and its path begins with the archive's path.
//!
//! An archive that has not changed is not unpacked, because the cache contains its files and the result of reading each
//! of them.

use super::file_reader::{FileReader, ReadPage, cached};
use super::open_source::OpenSource;
use super::passed_over::by_place;
use crate::page_cache::{CachedPage, KnownArchive};
use nearfind_extract::LeftOut;
use nearfind_extract::archive::{ArchiveFormat, Contents, unpack};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Unpacked files are read when together they exceed this number of bytes.
const BATCH_BYTES: usize = 64 << 20;

/// An archive that was read now, or is known from the cache.
pub(super) struct ReadArchive {
    /// Hash of the archive that was read. It may be newer than the hash in the listing.
    pub hash: String,
    /// The path of each file, which begins with the archive's path, and its content hash.
    pub files: BTreeMap<String, String>,
    pub pages: Vec<(String, ReadPage)>,
    pub contents: Contents,
    /// Whether the archive was unpacked in this run.
    pub is_new: bool,
}

impl ReadArchive {
    /// Returns the cached contents of the archive at `path`.
    pub(super) fn known(&self, path: &str) -> KnownArchive {
        let inner = |file: &String| file[path.len() + 1..].to_owned();
        let files = self.files.iter().map(|(file, hash)| (inner(file), hash.clone())).collect();
        KnownArchive { files, contents: self.contents.clone() }
    }
}

/// Returns the paths and formats of the archives in `source`.
pub(super) fn archives_of(source: &OpenSource) -> impl Iterator<Item = (&str, ArchiveFormat)> {
    source.files.keys().filter_map(|path| Some((path.as_str(), ArchiveFormat::of(path)?)))
}

impl FileReader<'_> {
    /// Reads the files in the archive at `path`, or returns the reason why it cannot be read.
    pub(super) fn read_archive(&self, path: &str, format: ArchiveFormat) -> Result<ReadArchive, String> {
        let listed = &self.source.files[path];
        if let Some(known) = self.cache.archive(format, listed) {
            let files = known.files.into_iter().map(|(inner, hash)| (format!("{path}/{inner}"), hash)).collect();
            if let Some(pages) = self.pages_of(path, &files, &mut BTreeMap::new()) {
                return Ok(ReadArchive { hash: listed.clone(), files, pages, contents: known.contents, is_new: false });
            }
        }
        let (bytes, hash) = self.source.tree.read(path)?;
        let mut files = BTreeMap::new();
        let mut unpacked = Unpacked { reader: self, waiting: Vec::new(), bytes: 0, read: BTreeMap::new() };
        let contents = unpack(format, &bytes, &mut |inner, bytes| {
            let file = format!("{path}/{inner}");
            let hash = blake3::hash(&bytes).to_hex().to_string();
            if self.left_out_of(path, &file, &BTreeMap::new()).is_none() {
                unpacked.add(&file, &hash, bytes);
            }
            files.insert(file, hash);
        });
        let pages = self.pages_of(path, &files, &mut unpacked.finish());
        let pages = pages.ok_or("the page cache has lost a part of it: index again")?;
        Ok(ReadArchive { hash, files, pages, contents, is_new: true })
    }

    /// Returns the result of reading each of `files` in the archive at `path`, from `read` or the cache. Returns `None`
    /// if a file is in neither.
    fn pages_of(
        &self,
        path: &str,
        files: &BTreeMap<String, String>,
        read: &mut BTreeMap<(String, String), ReadPage>,
    ) -> Option<Vec<(String, ReadPage)>> {
        let page = |(file, hash): (&String, &String)| {
            let page = match self.left_out_of(path, file, files) {
                Some(reason) => Some(ReadPage::unread(CachedPage::LeftOut(reason), hash)),
                None => read.remove(&(file.clone(), hash.clone())).or_else(|| self.known_page(file, hash)),
            };
            Some((file.clone(), page?))
        };
        files.iter().map(page).collect()
    }

    fn known_page(&self, file: &str, hash: &str) -> Option<ReadPage> {
        Some(ReadPage::unread(self.cache.page(&self.cache_key(file, false), hash)?, hash))
    }

    /// Returns the reason if `file` in the archive at `path` is left out without being read. `files` are all files of
    /// the archive.
    fn left_out_of(&self, path: &str, file: &str, files: &BTreeMap<String, String>) -> Option<LeftOut> {
        let selection = &self.source.selection;
        if !selection.wants_inside(path, file) || self.rules.of(file).exclude {
            return Some(LeftOut::Excluded);
        }
        by_place(file, files, selection.is_named(file))
    }
}

/// Collects the unpacked files of an archive, and reads them in batches.
struct Unpacked<'a> {
    reader: &'a FileReader<'a>,
    waiting: Vec<(String, String, Vec<u8>)>,
    bytes: usize,
    /// The results of reading files, by path and hash.
    read: BTreeMap<(String, String), ReadPage>,
}

impl Unpacked<'_> {
    fn add(&mut self, file: &str, hash: &str, bytes: Vec<u8>) {
        if let Some(known) = self.reader.known_page(file, hash) {
            self.read.insert((file.to_owned(), hash.to_owned()), known);
            return;
        }
        self.bytes += bytes.len();
        self.waiting.push((file.to_owned(), hash.to_owned(), bytes));
        if self.bytes >= BATCH_BYTES {
            self.read_waiting();
        }
    }

    fn read_waiting(&mut self) {
        let reader = self.reader;
        let read = std::mem::take(&mut self.waiting).into_par_iter().map(|(file, hash, bytes)| {
            let (page, is_new) = cached(reader.readers.read(&file, &bytes));
            let name = reader.cache_key(&file, false);
            ((file, hash.clone()), ReadPage { page, hash, name, is_new })
        });
        self.read.extend(read.collect::<Vec<_>>());
        self.bytes = 0;
    }

    fn finish(mut self) -> BTreeMap<(String, String), ReadPage> {
        self.read_waiting();
        self.read
    }
}
