//! A model that computes vectors: the model of a pack, or a provider's, for which the pack only supplies the tokenizer.

use crate::embedding_cache::EmbeddingCache;
use crate::provider::{EmbeddingProvider, EmbeddingSettings, is_same_model};
use crate::role::Role;
use anyhow::Result;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::progress::Progress;
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::embed::{Encoder, SharedBytes};
use rayon::prelude::*;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Texts that a core embeds at once.
const BATCH: usize = 16;

/// A pack with the encoder built from it.
#[derive(Debug)]
pub struct LoadedModel {
    /// The pack's bytes.
    pub pack: ModelPack<SharedBytes>,
    /// Encoder of the pack.
    pub encoder: Encoder,
    /// Path of the pack.
    pub path: PathBuf,
    elsewhere: Option<Elsewhere>,
}

/// A provider's model, which computes the vectors instead of the pack's.
#[derive(Debug)]
struct Elsewhere {
    provider: EmbeddingProvider,
    hash: String,
    /// Its vector for a constant text.
    probe: Vec<f32>,
}

/// Receives a vector and the number of its text.
pub(crate) type Each<'a> = &'a (dyn Fn(usize, Vec<f32>) + Sync);

/// Loads the model of the pack at `pack`, or a provider's model with the tokenizer of the pack, and its cached vectors.
pub fn open(
    pack: &Path,
    provider: Option<&EmbeddingSettings>,
    cache: &CacheFolder,
) -> Result<(LoadedModel, EmbeddingCache)> {
    let mut model = super::load(pack)?;
    let Some(settings) = provider else {
        let known = EmbeddingCache::open(cache, model.hash(), model.dimensions())?;
        return Ok((model, known));
    };
    let provider = EmbeddingProvider::new(settings.clone())?;
    let probe = provider.probe()?.to_vec();
    // A model whose vectors have changed under the same name is another model.
    for generation in 0.. {
        let hash = settings.identity(generation);
        let mut known = EmbeddingCache::open(cache, &hash, probe.len())?;
        if !known.contains(&hash) {
            known.insert(&hash, &probe);
        }
        if known.get(&hash).is_some_and(|of_before| is_same_model(&of_before, &probe)) {
            model.elsewhere = Some(Elsewhere { provider, hash, probe });
            return Ok((model, known));
        }
    }
    unreachable!("a generation that nothing is known of is found at last")
}

/// Loads cached vectors of a provider's model without any request. The model cannot embed.
pub fn open_unasked(
    pack: &Path,
    settings: &EmbeddingSettings,
    cache: &CacheFolder,
) -> Result<(LoadedModel, EmbeddingCache)> {
    let mut model = super::load(pack)?;
    let known = |generation| -> Result<_> {
        let hash = settings.identity(generation);
        let known = EmbeddingCache::open(cache, &hash, 0)?;
        Ok((known.contains(&hash), hash, known))
    };
    let mut last = known(0)?;
    for generation in 1.. {
        let next = known(generation)?;
        if !next.0 {
            break;
        }
        last = next;
    }
    let (_, hash, known) = last;
    model.elsewhere = Some(Elsewhere { provider: EmbeddingProvider::new(settings.clone())?, hash, probe: Vec::new() });
    Ok((model, known))
}

impl LoadedModel {
    /// Builds the graph of a pack whose path is, or may become, `path`.
    pub fn new(pack: ModelPack<SharedBytes>, path: &Path) -> Result<Self> {
        let encoder = Encoder::from_pack(&pack)?;
        Ok(Self { pack, encoder, path: path.to_owned(), elsewhere: None })
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        match &self.elsewhere {
            Some(elsewhere) => &elsewhere.provider.settings().model,
            None => &self.encoder.header().name,
        }
    }

    /// Returns the hash that identifies its vectors, 64 hexadecimal digits.
    pub fn hash(&self) -> &str {
        self.elsewhere.as_ref().map_or_else(|| self.encoder.hash(), |elsewhere| &elsewhere.hash)
    }

    /// Whether it knows only words in Latin letters. A provider's model is assumed to know all scripts.
    pub fn knows_latin_alone(&self) -> bool {
        self.provider().is_none() && self.encoder.tokenizer().knows_latin_alone()
    }

    /// Returns the number of components of its vectors.
    pub fn dimensions(&self) -> usize {
        self.elsewhere.as_ref().map_or(self.encoder.header().dimensions as usize, |elsewhere| elsewhere.probe.len())
    }

    /// Returns the provider that runs it, if any.
    pub fn provider(&self) -> Option<&EmbeddingProvider> {
        self.elsewhere.as_ref().map(|elsewhere| &elsewhere.provider)
    }

    /// Returns the mark by which a provider's model is recognized.
    pub fn probe(&self) -> Option<&[f32]> {
        self.elsewhere.as_ref().map(|elsewhere| elsewhere.probe.as_slice())
    }

    /// Returns the cache key of a text in this role. Equal keys have equal vectors.
    pub fn key<'a>(&self, role: Role, text: &'a str) -> Cow<'a, str> {
        let header = self.encoder.header();
        let prefix = match (&self.elsewhere, role) {
            (Some(elsewhere), role) => elsewhere.provider.key_prefix(role),
            (None, Role::Query) => Cow::Borrowed(header.query_prefix.as_str()),
            (None, Role::Passage) => Cow::Borrowed(header.passage_prefix.as_str()),
        };
        if prefix.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{prefix}{text}")) }
    }

    /// Texts embedded between two writes of the cache. An interrupted run loses no more than these.
    pub(crate) fn texts_between_savings(&self) -> usize {
        if self.elsewhere.is_some() { 8192 } else { 1024 }
    }

    /// Passes the vector of each of `texts` to `each`, with its number, in any order. Vectors computed before an error,
    /// or before the user stopped the run, are passed too.
    pub(crate) fn embed(&self, role: Role, texts: &[&str], progress: Progress, each: Each<'_>) -> Result<()> {
        if let Some(elsewhere) = &self.elsewhere {
            return elsewhere.provider.embed(role, texts, progress, each);
        }
        let embed_batch = |(number, batch): (usize, &[&str])| -> Result<()> {
            progress.check()?;
            let vectors = match role {
                Role::Query => self.encoder.encode_queries(batch)?,
                Role::Passage => self.encoder.encode_passages(batch)?,
            };
            (number * BATCH..).zip(vectors).for_each(|(text, vector)| each(text, vector));
            Ok(())
        };
        // Cores take small steps through the sorted list. Rayon would give each core one half, with only long or only
        // short texts.
        texts.chunks(BATCH).enumerate().collect::<Vec<_>>().into_par_iter().with_max_len(1).try_for_each(embed_batch)
    }
}
