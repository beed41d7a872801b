//! Keeps data in memory for a process that indexes the same sources repeatedly. Reading the data again would take
//! longer than indexing a small change.

use super::known_rows::KnownRows;
use super::options::IndexOptions;
use super::warn_of_damage;
use super::word_meaning::WordTable;
use crate::page_cache::PageCache;
use anyhow::Result;
use nearfind_core::bundle::BundleEncoder;
use nearfind_core::vector::rotation::Rotation;
use nearfind_models::embedding_cache::EmbeddingCache;
use nearfind_models::model::{self, LoadedModel};

/// The data that a run leaves for the next one in the same process.
#[derive(Debug, Default)]
pub struct IndexMemory {
    pages: Option<PageCache>,
    opened: Option<Opened>,
    /// The rotation and the query encoder of the last bundle that the model has read.
    pub(super) fit: Option<KnownFit>,
    /// The word table of the last bundle that the model has not read.
    pub(super) words: Option<WordTable>,
}

/// A model and its known vectors.
#[derive(Debug)]
pub(super) struct Opened {
    pub model: LoadedModel,
    pub known: EmbeddingCache,
    is_provided: bool,
}

/// The rotation and the query encoder of a bundle.
#[derive(Debug)]
pub(super) struct KnownFit {
    /// The hash of the model.
    pub model: String,
    pub rotation: Rotation,
    pub encoder: Option<BundleEncoder>,
    /// Vectors from the model, after the rotation.
    pub turned: KnownRows,
}

impl IndexMemory {
    /// Returns the page cache that the last run left, if its file was not replaced, or else a newly opened cache.
    pub(super) fn pages(&mut self, options: &IndexOptions) -> Result<PageCache> {
        if let Some(pages) = self.pages.take().filter(PageCache::is_current) {
            return Ok(pages);
        }
        let pages = PageCache::open(&options.cache, &options.build)?;
        warn_of_damage(pages.damage());
        Ok(pages)
    }

    /// Keeps the pages for the next run.
    pub(super) fn keep_pages(&mut self, pages: PageCache) {
        self.pages = Some(pages);
    }

    /// Returns the model that `options` names, with its known vectors. If the last run left them and they are current,
    /// they are reused, and otherwise they are opened.
    pub(super) fn open(&mut self, options: &IndexOptions) -> Result<Opened> {
        let provider = options.embedding.as_ref().filter(|_| !options.quick && !options.soon);
        let is_same = |opened: &Opened| {
            !opened.is_provided && provider.is_none() && opened.model.path == options.model && opened.known.is_current()
        };
        if let Some(opened) = self.opened.take().filter(is_same) {
            return Ok(opened);
        }
        let (model, known) = model::open(&options.model, provider, &options.cache)?;
        warn_of_damage(known.damage());
        Ok(Opened { model, known, is_provided: provider.is_some() })
    }

    /// Keeps the model for the next run.
    pub(super) fn keep(&mut self, opened: Opened) {
        self.opened = Some(opened);
    }
}
