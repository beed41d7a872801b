//! A generation of a bundle, which all its users share.

use crate::bundle_folder::BuildRecord;
use crate::bundle_folder::each_stored_block;
use crate::library::open::content::Content;
use crate::library::open::origin::Origin;
use anyhow::{Context as _, Result};
use libdeflater::Decompressor;
use nearfind_base::facets::{HISTORY, KIND, PageKind};
use nearfind_core::collection::SortedSet;
use nearfind_core::content::{self, ContentMode, content_blocks};
use nearfind_core::format::blocks::{BlockId, Sealed};
use nearfind_core::format::manifest::{MANIFEST_FILE, Manifest};
use nearfind_core::format::{FormatError, FormatErrorKind, Part};
use nearfind_core::reader::{BlockRequest, BundleReader};
use nearfind_core::records::{ChunkRecord, Date, DocumentRecord};
use nearfind_core::search::Hit;
use rayon::prelude::*;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

/// Limit in bytes of the texts that a bundle keeps in memory. Above it, texts are dropped and read again.
const MAX_PAGE_BYTES: usize = 32 << 20;

/// The error that parts of a bundle could not be read, because the bundle may have been replaced.
#[derive(Debug, thiserror::Error)]
#[error("{0}: a part of the index cannot be read")]
pub(crate) struct Unreadable(String);

/// The entry of a document in the catalog, with its number in the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The document's number in the bundle.
    pub number: u32,
    /// Name of the document's project.
    pub project: String,
    /// Path in the project's source.
    pub path: String,
    /// Paths of pages that redirect to the document or repeat it.
    pub aliases: Vec<String>,
    /// The date when the document was written or last changed.
    pub date: Option<Date>,
    /// Whether the document is reference material, to look up rather than to read. Its kind decides, or its path if the
    /// bundle has no kinds.
    pub is_reference: bool,
    /// Whether the document is a commit, and not a file.
    pub is_commit: bool,
}

/// A generation of a bundle.
#[derive(Debug)]
pub struct OpenBundle {
    /// The name of the bundle for readers.
    pub label: String,
    manifest: Manifest,
    manifest_bytes: u64,
    origin: Arc<Origin>,
    reader: RwLock<BundleReader>,
    listed: OnceLock<Vec<Listed>>,
    /// The first document of each file.
    files: OnceLock<Vec<Listed>>,
    /// The record of the bundle's build, or an inner `None` if there is no record.
    pub(crate) record: OnceLock<Option<BuildRecord>>,
}

const REFERENCE: &str = PageKind::Reference.name();

/// A function that handles the decompressed bytes of a block.
pub(crate) type TakeBlock<'a, T> = dyn Fn(&BundleReader, BlockId, &[u8]) -> Result<T> + Sync + 'a;

/// Decodes the stored bytes of a block.
fn decoded(request: &BlockRequest, stored: &[u8]) -> Result<Vec<u8>> {
    let raw = request.unseal(stored).and_then(|sealed| inflated(request.id.part, sealed));
    raw.with_context(|| request.file.clone())
}

/// Decompresses a block. Core's decompressor is small, as pages need it. This one is faster, for exact searches, which
/// read more.
fn inflated(part: Part, sealed: Sealed<'_>) -> Result<Vec<u8>, FormatError> {
    if sealed.raw_bytes == 0 {
        return Ok(sealed.body.to_vec());
    }
    let mut raw = vec![0; sealed.raw_bytes as usize];
    match Decompressor::new().deflate_decompress(sealed.body, &mut raw) {
        Ok(bytes) if bytes == raw.len() => Ok(raw),
        _ => Err(FormatErrorKind::Corrupt { part: part.name(), what: "deflate stream" }.into()),
    }
}

impl OpenBundle {
    /// Creates the bundle from the bytes of its manifest.
    pub(crate) fn new(label: &str, origin: Arc<Origin>, manifest: &[u8]) -> Result<Self> {
        let manifest_bytes = manifest.len() as u64;
        let context = || origin.name_of(MANIFEST_FILE);
        let manifest = Manifest::parse(manifest).with_context(context)?;
        let root = manifest.root().with_context(context)?;
        Ok(Self {
            label: label.to_owned(),
            manifest,
            manifest_bytes,
            origin,
            reader: RwLock::new(BundleReader::new(root)),
            listed: OnceLock::new(),
            files: OnceLock::new(),
            record: OnceLock::new(),
        })
    }

    /// Returns the manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the length of the manifest in bytes.
    pub const fn manifest_bytes(&self) -> u64 {
        self.manifest_bytes
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the reader with the root and the blocks loaded so far.
    pub fn reader(&self) -> RwLockReadGuard<'_, BundleReader> {
        self.reader.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads these blocks if they are missing.
    pub(crate) fn bring(&self, ids: impl IntoIterator<Item = BlockId>) -> Result<()> {
        self.bring_missing(ids).with_context(|| Unreadable(self.label.clone()))
    }

    fn bring_missing(&self, ids: impl IntoIterator<Item = BlockId>) -> Result<()> {
        let ids: Vec<BlockId> = ids.into_iter().collect();
        let (requests, all_are_known) = {
            let reader = self.reader();
            let missing: SortedSet<BlockId> = ids.iter().copied().filter(|&id| !reader.has(id)).collect();
            let first = reader.known_first(missing.as_slice().iter().copied())?;
            let requests = first.as_slice().iter().map(|&id| Ok(reader.request(id)?));
            (requests.collect::<Result<Vec<BlockRequest>>>()?, first == missing)
        };
        if requests.is_empty() {
            return Ok(());
        }
        // Blocks are decompressed without the lock, so that others wait only while the decompressed bytes are stored.
        let raw = self.origin.blocks(&requests, &decoded)?;
        let mut reader = self.reader.write().unwrap_or_else(PoisonError::into_inner);
        for (request, raw) in requests.iter().zip(raw) {
            reader.provide_raw(request.id, raw)?;
        }
        drop(reader);
        if all_are_known { Ok(()) } else { self.bring_missing(ids) }
    }

    /// Returns the results of `take` for some blocks, using all cores. Blocks of a bundle in a folder are not kept,
    /// because an exact search reads more of them than questions do.
    pub(crate) fn each_block<T: Send>(&self, ids: &[BlockId], take: &TakeBlock<'_, T>) -> Result<Vec<T>> {
        // Code that runs concurrently takes no lock, so there is no deadlock.
        let reader = self.reader();
        let requests = ids.iter().map(|&id| Ok(reader.request(id)?)).collect::<Result<Vec<BlockRequest>>>()?;
        let take_one = |request: &BlockRequest, stored: &[u8]| take(&reader, request.id, &decoded(request, stored)?);
        if let Origin::Folder(folder, _) = self.origin() {
            return each_stored_block(folder, &requests, &take_one).with_context(|| Unreadable(self.label.clone()));
        }
        drop(reader);
        self.with_blocks(
            |_| Ok(ids.to_vec()),
            |reader| Ok(ids.par_iter().map(|&id| take(reader, id, reader.raw(id)?)).collect::<Result<Vec<T>>>()),
        )?
    }

    /// Loads the map, which contains the tables of some parts.
    pub fn bring_map(&self) -> Result<()> {
        let blocks = self.reader().root().table(Part::Map).len();
        self.bring((0..blocks).map(|block| BlockId { part: Part::Map, block }))
    }

    /// Loads the map and the directory, which contain the tables of other parts.
    pub fn bring_tables(&self) -> Result<()> {
        let blocks: Vec<BlockId> = self.reader().blocks_with_tables().collect();
        self.bring(blocks)
    }

    /// Drops texts if there are many of them. Called when nothing needs them.
    pub(crate) fn forget_texts(&self) {
        if self.reader().held_page_bytes() > MAX_PAGE_BYTES {
            self.reader.write().unwrap_or_else(PoisonError::into_inner).forget_pages();
        }
    }

    /// Whether the bundle is in a folder on this machine, so that reading it needs no requests.
    pub fn is_in_a_folder(&self) -> bool {
        matches!(*self.origin, Origin::Folder(..))
    }

    /// Returns every document, by number.
    pub fn listed(&self) -> Result<&[Listed]> {
        if let Some(listed) = self.listed.get() {
            return Ok(listed);
        }
        self.bring_map()?;
        let blocks: Vec<BlockId> = self.reader().catalog_blocks().collect();
        self.bring(blocks)?;
        let reader = self.reader();
        let (root, catalog) = (reader.root(), reader.catalog()?);
        let has_kinds = root.facets.iter().any(|facet| facet.name == KIND);
        let mut listed = Vec::with_capacity(root.documents as usize);
        for project in &root.projects {
            for _ in 0..project.documents {
                let number = listed.len() as u32;
                let Some(entry) = catalog.entry(number) else { continue };
                let kind = if has_kinds { reader.facet_of(KIND, number)? } else { None };
                let is_reference = if has_kinds {
                    kind == Some(REFERENCE)
                } else {
                    entry.path.split('/').any(|folder| folder == REFERENCE)
                };
                listed.push(Listed {
                    number,
                    project: project.name.clone(),
                    path: entry.path.clone(),
                    aliases: entry.aliases.clone(),
                    date: entry.date,
                    is_reference,
                    is_commit: kind == Some(HISTORY),
                });
            }
        }
        Ok(self.listed.get_or_init(|| listed))
    }

    /// Returns every file, by number: a document, or the first piece of a source file.
    pub fn files(&self) -> Result<&[Listed]> {
        if let Some(files) = self.files.get() {
            return Ok(files);
        }
        let mut files = self.listed()?.to_vec();
        files.dedup_by(|a, b| (&a.project, &a.path) == (&b.project, &b.path));
        Ok(self.files.get_or_init(|| files))
    }

    /// Returns a document with its chunks.
    pub(crate) fn document(&self, number: u32) -> Result<(DocumentRecord, Vec<ChunkRecord>)> {
        self.bring_map()?;
        self.with_blocks(|reader| content::document_blocks(reader, number), |reader| content::document(reader, number))
    }

    /// Reads from blocks once they are loaded. It tries again if another thread drops the blocks of pages meanwhile.
    pub(crate) fn with_blocks<T>(
        &self,
        needed: impl Fn(&BundleReader) -> Result<Vec<BlockId>, FormatError>,
        read: impl Fn(&BundleReader) -> Result<T, FormatError>,
    ) -> Result<T> {
        loop {
            let blocks = needed(&self.reader())?;
            self.bring(blocks.iter().copied())?;
            let reader = self.reader();
            if blocks.iter().all(|&id| reader.has(id)) {
                return Ok(read(&reader)?);
            }
        }
    }

    /// Returns the address that shows the file of a document, for example in a repository.
    pub(crate) fn source_url(&self, number: u32) -> Result<Option<String>> {
        let project = self.listed()?.get(number as usize).map(|listed| listed.project.as_str());
        let reader = self.reader();
        let place = reader.root().projects.iter().position(|known| Some(known.name.as_str()) == project);
        Ok(reader.catalog()?.source_url(place.unwrap_or_default() as u32, number))
    }

    /// Returns the text to return with `hit`: see [`content::content`].
    pub(crate) fn content(&self, terms: &[String], hit: &Hit, wanted: Content) -> Result<Option<String>> {
        let Content { mode, most_chars, notice } = wanted;
        self.with_blocks(
            |reader| content_blocks(reader, hit, mode),
            |reader| content::content(reader, terms, hit, mode, most_chars, notice),
        )
    }

    /// Returns the document's line where the chunk of `hit` begins, starting at 1.
    pub(crate) fn line_of(&self, hit: &Hit) -> Result<usize> {
        self.with_blocks(
            |reader| content_blocks(reader, hit, ContentMode::Full),
            |reader| content::line_of(reader, hit),
        )
    }
}
