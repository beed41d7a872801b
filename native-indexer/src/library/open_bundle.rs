//! One generation of one bundle, shared by all who ask it.

use super::published::Published;
use crate::bundle_folder::{manifest_bytes, read_stored};
use anyhow::{Context as _, Result};
use nearfind_core::content::{self, ContentMode, content_blocks};
use nearfind_core::format::blocks::BlockId;
use nearfind_core::format::manifest::Manifest;
use nearfind_core::format::{FormatError, Part};
use nearfind_core::records::{ChunkRecord, Date, DocumentRecord};
use nearfind_core::search::{BlockRequest, Hit, Searcher};
use std::path::PathBuf;
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard};

/// Bytes of texts that a bundle keeps in memory; with more than that it reads them again.
const MOST_PAGE_BYTES: usize = 32 << 20;

/// Where a bundle's bytes come from.
#[derive(Debug)]
pub enum BundleFiles {
    /// A folder.
    Folder(PathBuf),
    /// A web server.
    Published(Box<Published>),
}

impl BundleFiles {
    /// The manifest's bytes, and why they may not be the newest.
    pub(super) fn manifest(&self) -> Result<(Vec<u8>, Option<String>)> {
        match self {
            Self::Folder(folder) => Ok((manifest_bytes(folder)?, None)),
            Self::Published(published) => {
                let answer = published.manifest()?;
                Ok((answer.bytes, answer.problem))
            }
        }
    }

    fn blocks(
        &self,
        requests: &[BlockRequest],
        check: &(dyn Fn(&BlockRequest, &[u8]) -> Result<()> + Sync),
    ) -> Result<Vec<Vec<u8>>> {
        match self {
            Self::Folder(folder) => requests.iter().map(|request| read_stored(folder, request)).collect(),
            Self::Published(published) => published.blocks(requests, check),
        }
    }
}

/// Parts of a bundle could not be read: it may have been replaced.
#[derive(Debug, thiserror::Error)]
#[error("{0}: a part of the bundle cannot be read")]
pub(super) struct Unreadable(String);

/// What the catalog says of a document, with its place in the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its number in the bundle.
    pub number: u32,
    /// Name of its project.
    pub project: String,
    /// Path inside its source.
    pub path: String,
    /// Paths of pages that only lead here or repeat it.
    pub aliases: Vec<String>,
    /// When it was written or last changed.
    pub date: Option<Date>,
    /// Whether it is looked up rather than read: by its kind, where the bundle tells kinds, else by its path.
    pub is_reference: bool,
}

/// A generation of a bundle.
#[derive(Debug)]
pub struct OpenBundle {
    /// What readers call the bundle.
    pub label: String,
    manifest: Manifest,
    files: std::sync::Arc<BundleFiles>,
    searcher: RwLock<Searcher>,
    listed: OnceLock<Vec<Listed>>,
}

/// The facet, and its value, of pages that are looked up.
const KIND: &str = crate::source::KIND;
const REFERENCE: &str = crate::source::PageKind::Reference.name();

impl OpenBundle {
    /// The bundle with a manifest of these bytes.
    pub(super) fn new(label: &str, files: std::sync::Arc<BundleFiles>, manifest: &[u8]) -> Result<Self> {
        let manifest = Manifest::parse(manifest)?;
        let root = manifest.root()?;
        Ok(Self {
            label: label.to_owned(),
            manifest,
            files,
            searcher: RwLock::new(Searcher::new(root)),
            listed: OnceLock::new(),
        })
    }

    /// The manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where its bytes come from.
    pub fn files(&self) -> &BundleFiles {
        &self.files
    }

    /// The root and the blocks that were read so far.
    pub fn searcher(&self) -> RwLockReadGuard<'_, Searcher> {
        self.searcher.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads blocks, those that are not there yet.
    pub(super) fn bring(&self, ids: impl IntoIterator<Item = BlockId>) -> Result<()> {
        self.bring_missing(ids).with_context(|| Unreadable(self.label.clone()))
    }

    fn bring_missing(&self, ids: impl IntoIterator<Item = BlockId>) -> Result<()> {
        let requests = {
            let searcher = self.searcher();
            let missing = ids.into_iter().filter(|&id| !searcher.has(id));
            missing.map(|id| Ok(searcher.request(id)?)).collect::<Result<Vec<BlockRequest>>>()?
        };
        if requests.is_empty() {
            return Ok(());
        }
        let check = |request: &BlockRequest, stored: &[u8]| {
            self.searcher().table(request.id.part)?.decode(request.id, stored)?;
            Ok(())
        };
        let stored = self.files.blocks(&requests, &check)?;
        // Decompressed while others may ask; they wait only for the raw bytes to be put in their place.
        let raw = {
            let searcher = self.searcher();
            let decoded = requests.iter().zip(&stored).map(|(request, stored)| {
                let raw = searcher.table(request.id.part)?.decode(request.id, stored);
                raw.with_context(|| request.file.clone())
            });
            decoded.collect::<Result<Vec<_>>>()?
        };
        let mut searcher = self.searcher.write().unwrap_or_else(PoisonError::into_inner);
        for (request, raw) in requests.iter().zip(raw) {
            searcher.provide_raw(request.id, raw)?;
        }
        Ok(())
    }

    fn bring_map(&self) -> Result<()> {
        self.bring([BlockId { part: Part::Map, block: 0 }])
    }

    /// Lets go of texts, if there are many: called when nobody needs them any more.
    pub(super) fn forget_texts(&self) {
        if self.searcher().held_page_bytes() > MOST_PAGE_BYTES {
            self.searcher.write().unwrap_or_else(PoisonError::into_inner).forget_pages();
        }
    }

    /// Every document, by number.
    pub fn listed(&self) -> Result<&[Listed]> {
        if let Some(listed) = self.listed.get() {
            return Ok(listed);
        }
        self.bring_map()?;
        let blocks: Vec<BlockId> = self.searcher().catalog_blocks().collect();
        self.bring(blocks)?;
        let searcher = self.searcher();
        let (root, catalog) = (searcher.root(), searcher.catalog()?);
        let has_kinds = root.facets.iter().any(|facet| facet.name == KIND);
        let mut listed = Vec::with_capacity(root.documents as usize);
        for project in &root.projects {
            for _ in 0..project.documents {
                let number = listed.len() as u32;
                let Some(entry) = catalog.entry(number) else { continue };
                let is_reference = if has_kinds {
                    searcher.facet_of(KIND, number)? == Some(REFERENCE)
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
                });
            }
        }
        Ok(self.listed.get_or_init(|| listed))
    }

    /// A document with its chunks.
    pub(super) fn document(&self, number: u32) -> Result<(DocumentRecord, Vec<ChunkRecord>)> {
        self.bring_map()?;
        self.with_pages(
            |searcher| content::document_blocks(searcher, number),
            |searcher| content::document(searcher, number),
        )
    }

    /// Reads from blocks of pages once they are there: another reader may let go of them.
    fn with_pages<T>(
        &self,
        needed: impl Fn(&Searcher) -> Result<Vec<BlockId>, FormatError>,
        read: impl Fn(&Searcher) -> Result<T, FormatError>,
    ) -> Result<T> {
        loop {
            let blocks = needed(&self.searcher())?;
            self.bring(blocks.iter().copied())?;
            let searcher = self.searcher();
            if blocks.iter().all(|&id| searcher.has(id)) {
                return Ok(read(&searcher)?);
            }
        }
    }

    /// Where the file of a document is shown, such as in a repository.
    pub(super) fn source_url(&self, project: u32, number: u32) -> Result<Option<String>> {
        self.listed()?;
        Ok(self.searcher().catalog()?.source_url(project, number))
    }

    /// The text that goes with `hit`, see [`content::content`], and the line of the document on which its chunk begins.
    pub(super) fn content(
        &self,
        terms: &[String],
        hit: &Hit,
        mode: ContentMode,
        most_chars: usize,
    ) -> Result<(Option<String>, usize)> {
        self.with_pages(
            |searcher| content_blocks(searcher, hit, ContentMode::Full),
            |searcher| {
                let text = content::content(searcher, terms, hit, mode, most_chars)?;
                Ok((text, content::line_of(searcher, hit)?))
            },
        )
    }

    /// An address as readers can use it: those that are relative to the bundle are made whole, where that has an address.
    pub(super) fn address(&self, url: &str) -> String {
        match &*self.files {
            BundleFiles::Published(published) => {
                published.base().join(url).map_or_else(|_| url.to_owned(), |whole| whole.to_string())
            }
            BundleFiles::Folder(_) => url.to_owned(),
        }
    }
}
