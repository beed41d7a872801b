//! One generation of one bundle, shared by all who ask it.

use super::origin::Origin;
use super::question::Content;
use crate::bundle_folder::BuildRecord;
use crate::facets::{KIND, PageKind};
use anyhow::{Context as _, Result};
use nearfind_core::content::{self, ContentMode, content_blocks};
use nearfind_core::format::blocks::BlockId;
use nearfind_core::format::manifest::{MANIFEST_FILE, Manifest};
use nearfind_core::format::{FormatError, Part};
use nearfind_core::records::{ChunkRecord, Date, DocumentRecord};
use nearfind_core::search::{BlockRequest, Hit, Searcher};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

/// Bytes of texts that a bundle keeps in memory; with more than that it reads them again.
const MAX_PAGE_BYTES: usize = 32 << 20;

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
    manifest_bytes: u64,
    origin: Arc<Origin>,
    searcher: RwLock<Searcher>,
    listed: OnceLock<Vec<Listed>>,
    /// What it was made of; `None` inside if that is not known.
    pub(super) record: OnceLock<Option<BuildRecord>>,
}

const REFERENCE: &str = PageKind::Reference.name();

impl OpenBundle {
    /// The bundle with a manifest of these bytes.
    pub(super) fn new(label: &str, origin: Arc<Origin>, manifest: &[u8]) -> Result<Self> {
        let manifest_bytes = manifest.len() as u64;
        let context = || origin.name_of(MANIFEST_FILE);
        let manifest = Manifest::parse(manifest).with_context(context)?;
        let root = manifest.root().with_context(context)?;
        Ok(Self {
            label: label.to_owned(),
            manifest,
            manifest_bytes,
            origin,
            searcher: RwLock::new(Searcher::new(root)),
            listed: OnceLock::new(),
            record: OnceLock::new(),
        })
    }

    /// The manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Length of the manifest.
    pub const fn manifest_bytes(&self) -> u64 {
        self.manifest_bytes
    }

    pub(super) fn origin(&self) -> &Origin {
        &self.origin
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
        // Decompressed while others may ask; they wait only for the raw bytes to be put in their place.
        let decode = |request: &BlockRequest, stored: &[u8]| {
            let raw = self.searcher().table(request.id.part)?.decode(request.id, stored);
            raw.with_context(|| request.file.clone())
        };
        let raw = self.origin.blocks(&requests, &decode)?;
        let mut searcher = self.searcher.write().unwrap_or_else(PoisonError::into_inner);
        for (request, raw) in requests.iter().zip(raw) {
            searcher.provide_raw(request.id, raw)?;
        }
        Ok(())
    }

    /// Reads the map, which has the tables of some parts.
    pub fn bring_map(&self) -> Result<()> {
        self.bring([BlockId { part: Part::Map, block: 0 }])
    }

    /// Reads the map and the directory, which have the tables of other parts.
    pub fn bring_tables(&self) -> Result<()> {
        let blocks: Vec<BlockId> = self.searcher().blocks_with_tables().collect();
        self.bring(blocks)
    }

    /// Lets go of texts, if there are many: called when nobody needs them any more.
    pub(super) fn forget_texts(&self) {
        if self.searcher().held_page_bytes() > MAX_PAGE_BYTES {
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
        self.with_blocks(
            |searcher| content::document_blocks(searcher, number),
            |searcher| content::document(searcher, number),
        )
    }

    /// Reads from blocks once they are there: another reader may let go of those of pages.
    pub(super) fn with_blocks<T>(
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
    pub(super) fn source_url(&self, number: u32) -> Result<Option<String>> {
        let project = self.listed()?.get(number as usize).map(|listed| listed.project.as_str());
        let searcher = self.searcher();
        let place = searcher.root().projects.iter().position(|known| Some(known.name.as_str()) == project);
        Ok(searcher.catalog()?.source_url(place.unwrap_or_default() as u32, number))
    }

    /// The text that goes with `hit`, see [`content::content`].
    pub(super) fn content(&self, terms: &[String], hit: &Hit, wanted: Content) -> Result<Option<String>> {
        let Content { mode, most_chars, notice } = wanted;
        self.with_blocks(
            |searcher| content_blocks(searcher, hit, mode),
            |searcher| content::content(searcher, terms, hit, mode, most_chars, notice),
        )
    }

    /// The line of the document, from 1, on which the chunk of `hit` begins.
    pub(super) fn line_of(&self, hit: &Hit) -> Result<usize> {
        self.with_blocks(
            |searcher| content_blocks(searcher, hit, ContentMode::Full),
            |searcher| content::line_of(searcher, hit),
        )
    }
}
