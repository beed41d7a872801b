//! A bundle in a folder: opening it, searching it, noticing that it was replaced, and replacing it.

mod lock;
mod record;
mod write;

pub use record::{BuildRecord, KeptGeneration, ProjectRecord};
pub use write::{BundleWriter, Removed};

use anyhow::{Context as _, Result, ensure};
use nearfind_core::bundle::{Finding, verify};
use nearfind_core::content::{self, ContentMode, content_blocks};
use nearfind_core::embed::bert_words::decomposed;
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::format::manifest::{MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest};
use nearfind_core::format::{FormatError, Part};
use nearfind_core::records::{ChunkRecord, Date, DocumentRecord, page};
use nearfind_core::search::{Answer, BlockRequest, Hit, Progress, Query, Searcher, Session};
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// How often a question is asked again because the bundle was replaced meanwhile.
const MOST_TRIES: usize = 5;

/// A document with all that is known of it.
#[derive(Clone, Debug)]
pub struct FoundDocument {
    /// Its record.
    pub record: DocumentRecord,
    /// Its chunks.
    pub chunks: Vec<ChunkRecord>,
    /// Where its file is shown.
    pub source_url: Option<String>,
    /// When it was written or last changed.
    pub date: Option<Date>,
}

/// An open bundle.
#[derive(Debug)]
pub struct BundleFolder {
    folder: PathBuf,
    manifest: Manifest,
    manifest_bytes: u64,
    searcher: Searcher,
}

impl BundleFolder {
    /// Opens the bundle in `folder`: reads its manifest.
    pub fn open(folder: &Path) -> Result<Self> {
        let (manifest, manifest_bytes) = read_manifest(folder)?;
        Self::of_manifest(folder, manifest, manifest_bytes)
    }

    fn of_manifest(folder: &Path, manifest: Manifest, manifest_bytes: u64) -> Result<Self> {
        let root = manifest.root().with_context(|| folder.join(MANIFEST_FILE).display().to_string())?;
        Ok(Self { folder: folder.to_owned(), manifest, manifest_bytes, searcher: Searcher::new(root) })
    }

    /// Opens the bundle again if it was replaced since it was opened; whether it was.
    pub fn refresh(&mut self) -> Result<bool> {
        let (manifest, manifest_bytes) = read_manifest(&self.folder)?;
        let replaced = manifest != self.manifest;
        if replaced {
            *self = Self::of_manifest(&self.folder, manifest, manifest_bytes)?;
        }
        Ok(replaced)
    }

    /// Asks, and asks again if that fails and the bundle was replaced meanwhile: then parts of the old one may be gone.
    pub fn ask<T>(&mut self, mut question: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        for _ in 1..MOST_TRIES {
            match question(self) {
                Err(error) => match self.refresh() {
                    Ok(true) => {}
                    _ => return Err(error),
                },
                answered => return answered,
            }
        }
        question(self)
    }

    /// The manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Length of the manifest's file.
    pub const fn manifest_bytes(&self) -> u64 {
        self.manifest_bytes
    }

    /// The root and the blocks read so far.
    pub const fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// Where the shipped model pack is, if the bundle ships it.
    pub fn model_path(&self) -> Option<PathBuf> {
        self.manifest.model.file.as_ref().map(|file| self.folder.join(&file.file))
    }

    /// Reads the map, which holds the tables of some parts.
    pub fn read_map(&mut self) -> Result<()> {
        self.bring(BlockId { part: Part::Map, block: 0 })
    }

    /// Answers a query, reading the blocks that it needs.
    pub fn search(&mut self, mut query: Query) -> Result<Answer> {
        query.decomposed.get_or_insert_with(|| decomposed(&query.text));
        let mut session = Session::new(&[&self.searcher], query)?;
        loop {
            match session.advance(&[&self.searcher])? {
                Progress::Done(answer) => return Ok(*answer),
                Progress::Preview(_) => {}
                Progress::Need(blocks) => blocks.into_iter().try_for_each(|(_, id)| self.bring(id))?,
            }
        }
    }

    /// The text that goes with a hit of `answer`, see [`content::content`].
    pub fn content(
        &mut self,
        answer: &Answer,
        hit: &Hit,
        mode: ContentMode,
        most_chars: usize,
    ) -> Result<Option<String>> {
        content_blocks(&self.searcher, hit, mode)?.into_iter().try_for_each(|id| self.bring(id))?;
        Ok(content::content(&self.searcher, &answer.terms, hit, mode, most_chars)?)
    }

    /// The document called `name`, by its id, path or an alias, `None` if none or several are called so.
    pub fn document(&mut self, name: &str) -> Result<Option<FoundDocument>> {
        self.read_map()?;
        self.searcher.catalog_blocks().try_for_each(|id| self.bring(id))?;
        let Some(number) = self.searcher.catalog()?.find(self.searcher.root(), name) else { return Ok(None) };
        content::document_blocks(&self.searcher, number)?.into_iter().try_for_each(|id| self.bring(id))?;
        let (record, chunks) = content::document(&self.searcher, number)?;
        let source_url = self.searcher.catalog()?.source_url(record.project, number);
        let date = self.searcher.catalog()?.entry(number).and_then(|entry| entry.date);
        Ok(Some(FoundDocument { record, chunks, source_url, date }))
    }

    /// Every document with its chunks, in canonical order.
    pub fn documents(&mut self) -> Result<Vec<(DocumentRecord, Vec<ChunkRecord>)>> {
        self.read_map()?;
        let mut documents: Vec<(DocumentRecord, Vec<ChunkRecord>)> = Vec::new();
        for block in 0..self.searcher.table(Part::Pages)?.len() {
            let id = BlockId { part: Part::Pages, block };
            let stored = read_block(&self.folder, &self.searcher, id)?;
            let raw = self.searcher.table(Part::Pages)?.decode(id, &stored)?;
            page::for_each(&raw, &mut |record, chunk| {
                match documents.last_mut().filter(|(last, _)| last.id == record.id) {
                    Some((_, chunks)) => chunks.push(chunk),
                    None => documents.push((record.clone(), vec![chunk])),
                }
                true
            })?;
        }
        Ok(documents)
    }

    fn bring(&mut self, id: BlockId) -> Result<()> {
        let stored = read_block(&self.folder, &self.searcher, id)?;
        Ok(self.searcher.provide(id, &stored)?)
    }

    /// What is wrong with the bundle: lengths of files, every block, every structure, the shipped model.
    pub fn verify(&mut self) -> Vec<Finding> {
        let folder = self.folder.clone();
        let read = |searcher: &Searcher, id: BlockId| {
            read_block(&folder, searcher, id).map_err(|error| match error.downcast::<FormatError>() {
                Ok(error) => error,
                Err(_) => FormatError::Truncated { part: id.part.name(), what: "file" },
            })
        };
        let mut findings = verify(&mut self.searcher, read);
        if let (Some(path), Some(file)) = (self.model_path(), &self.manifest.model.file) {
            let sound = fs::read(&path).map_err(anyhow::Error::from).and_then(|bytes| {
                ensure!(bytes.len() as u64 == file.bytes, "truncated or replaced");
                let pack = ModelPack::open(bytes)?;
                ensure!(pack.hash() == self.manifest.model.hash, "another model than the bundle's");
                Ok(())
            });
            if let Err(error) = sound {
                findings.push(Finding { part: "model", message: format!("{}: {error:#}", path.display()) });
            }
        }
        findings
    }
}

/// The manifest in `folder`, and the length of its file.
fn read_manifest(folder: &Path) -> Result<(Manifest, u64)> {
    let bytes = manifest_bytes(folder)?;
    let manifest = Manifest::parse(&bytes).with_context(|| folder.join(MANIFEST_FILE).display().to_string())?;
    Ok((manifest, bytes.len() as u64))
}

/// The bytes of the manifest in `folder`, no more than one may have.
pub(crate) fn manifest_bytes(folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join(MANIFEST_FILE);
    let file = File::open(&path)
        .with_context(|| format!("{}: no bundle here; build one with `nearfind index`", folder.display()))?;
    let mut bytes = Vec::new();
    file.take(MAX_MANIFEST_BYTES as u64 + 1).read_to_end(&mut bytes).with_context(|| path.display().to_string())?;
    Ok(bytes)
}

fn read_block(folder: &Path, searcher: &Searcher, id: BlockId) -> Result<Vec<u8>> {
    read_stored(folder, &searcher.request(id)?)
}

/// The stored bytes of a block. A file of another length than the bundle says is refused before it is read.
pub(crate) fn read_stored(folder: &Path, request: &BlockRequest) -> Result<Vec<u8>> {
    let path = folder.join(&request.file);
    let read = || -> std::io::Result<Option<Vec<u8>>> {
        let mut file = File::open(&path)?;
        if file.metadata()?.len() != request.file_bytes {
            return Ok(None);
        }
        file.seek(SeekFrom::Start(request.start))?;
        let mut bytes = vec![0; request.bytes as usize];
        file.read_exact(&mut bytes)?;
        Ok(Some(bytes))
    };
    let missing = || format!("{} is missing or cannot be read; copy the bundle again or rebuild it", path.display());
    let stored = read().with_context(missing)?;
    let truncated = FormatError::Truncated { part: request.id.part.name(), what: "file" };
    stored.ok_or(truncated).with_context(|| path.display().to_string())
}
