//! What a process keeps in memory that indexes the same sources again and again: opening it takes longer than a small change.

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

/// What runs leave for the next one of the same process.
#[derive(Debug, Default)]
pub struct IndexMemory {
    pages: Option<PageCache>,
    opened: Option<Opened>,
    /// What the last bundle with the model's meaning was turned and asked by.
    pub(super) fit: Option<KnownFit>,
    /// The same of the last bundle with the meaning of words.
    pub(super) words: Option<WordTable>,
}

/// A model, and the vectors that are known of it.
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
    /// Vectors that the model made, turned.
    pub turned: KnownRows,
}

impl IndexMemory {
    /// The pages that are known.
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

    /// The model of `options`.
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
