//! A model that computes vectors: the model in a pack, or a provider's model. For a provider's model, the pack supplies
//! only the tokenizer.

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

/// Number of texts that each CPU core embeds at once.
const BATCH: usize = 16;

/// A pack with the encoder built from it.
#[derive(Debug)]
pub struct LoadedModel {
    /// The pack's bytes.
    pub pack: ModelPack<SharedBytes>,
    /// The pack's encoder.
    pub encoder: Encoder,
    /// The pack's path.
    pub path: PathBuf,
    elsewhere: Option<Elsewhere>,
}

/// A provider's model, which computes the vectors instead of the pack's model.
#[derive(Debug)]
struct Elsewhere {
    provider: EmbeddingProvider,
    hash: String,
    /// The model's vector for a constant text.
    probe: Vec<f32>,
}

/// A function that receives a vector and the number of its text.
pub(crate) type Each<'a> = &'a (dyn Fn(usize, Vec<f32>) + Sync);

/// Loads the model in the pack at `pack`, or a provider's model with the pack's tokenizer, and the model's cached
/// vectors.
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
    // If a model's vectors have changed under the same name, it is a different model.
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

/// Loads a provider's model with its cached vectors, without any request. The loaded model cannot embed.
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
    /// Builds the graph of a pack. `path` is the path that the pack has, or will have.
    pub fn new(pack: ModelPack<SharedBytes>, path: &Path) -> Result<Self> {
        let encoder = Encoder::from_pack(&pack)?;
        Ok(Self { pack, encoder, path: path.to_owned(), elsewhere: None })
    }

    /// Returns the model's name.
    pub fn name(&self) -> &str {
        match &self.elsewhere {
            Some(elsewhere) => &elsewhere.provider.settings().model,
            None => &self.encoder.header().name,
        }
    }

    /// Returns the hash that identifies the model's vectors: 64 hexadecimal digits.
    pub fn hash(&self) -> &str {
        self.elsewhere.as_ref().map_or_else(|| self.encoder.hash(), |elsewhere| &elsewhere.hash)
    }

    /// Whether the model knows only words in Latin letters. A provider's model is assumed to know all scripts.
    pub fn knows_latin_alone(&self) -> bool {
        self.provider().is_none() && self.encoder.tokenizer().knows_latin_alone()
    }

    /// Returns the number of components in the model's vectors.
    pub fn dimensions(&self) -> usize {
        self.elsewhere.as_ref().map_or(self.encoder.header().dimensions as usize, |elsewhere| elsewhere.probe.len())
    }

    /// Returns the provider that runs the model, if there is one.
    pub fn provider(&self) -> Option<&EmbeddingProvider> {
        self.elsewhere.as_ref().map(|elsewhere| &elsewhere.provider)
    }

    /// Returns the vector that identifies a provider's model.
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

    /// Returns the number of texts to embed between two writes of the cache. An interrupted run loses at most these.
    pub(crate) fn texts_between_savings(&self) -> usize {
        if self.elsewhere.is_some() { 8192 } else { 1024 }
    }

    /// Passes the vector and the number of each of `texts` to `each`, in any order. Vectors that were computed before
    /// an error, or before the user stopped the run, are also passed.
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
        // Cores take small steps through the sorted list. By default, Rayon would assign each core one half, with only
        // long or only short texts.
        texts.chunks(BATCH).enumerate().collect::<Vec<_>>().into_par_iter().with_max_len(1).try_for_each(embed_batch)
    }
}
