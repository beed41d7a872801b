//! A model that makes vectors: that of a pack, or one that a provider runs, for which a pack has only the words.

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

/// Texts that a core takes at once.
const BATCH: usize = 16;

/// A pack with the encoder built from it.
#[derive(Debug)]
pub struct LoadedModel {
    /// The pack's bytes.
    pub pack: ModelPack<SharedBytes>,
    /// Ready to encode.
    pub encoder: Encoder,
    /// Where the pack is.
    pub path: PathBuf,
    elsewhere: Option<Elsewhere>,
}

/// The model of a provider, which makes the vectors in place of the pack's.
#[derive(Debug)]
struct Elsewhere {
    provider: EmbeddingProvider,
    hash: String,
    /// Its vector of a text that is always the same.
    probe: Vec<f32>,
}

/// What becomes of a vector, and of which text it is.
pub(crate) type Each<'a> = &'a (dyn Fn(usize, Vec<f32>) + Sync);

/// The model of the pack at `pack`, or that of a provider with the words of the pack, and the vectors that are known of it.
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
    // A model that gives other vectors than before under its old name is another one.
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

/// The same of a provider that is not asked: what is known of its model, which cannot embed.
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
    /// Builds the graph of a pack that is, or may be kept, at `path`.
    pub fn new(pack: ModelPack<SharedBytes>, path: &Path) -> Result<Self> {
        let encoder = Encoder::from_pack(&pack)?;
        Ok(Self { pack, encoder, path: path.to_owned(), elsewhere: None })
    }

    /// Its name, for people.
    pub fn name(&self) -> &str {
        match &self.elsewhere {
            Some(elsewhere) => &elsewhere.provider.settings().model,
            None => &self.encoder.header().name,
        }
    }

    /// What tells its vectors from those of others, 64 hexadecimal digits.
    pub fn hash(&self) -> &str {
        self.elsewhere.as_ref().map_or_else(|| self.encoder.hash(), |elsewhere| &elsewhere.hash)
    }

    /// Whether it knows words in Latin letters alone. A provider's is taken to know all.
    pub fn knows_latin_alone(&self) -> bool {
        self.provider().is_none() && self.encoder.tokenizer().knows_latin_alone()
    }

    /// Components of its vectors.
    pub fn dimensions(&self) -> usize {
        self.elsewhere.as_ref().map_or(self.encoder.header().dimensions as usize, |elsewhere| elsewhere.probe.len())
    }

    /// The provider that runs it, if one does.
    pub fn provider(&self) -> Option<&EmbeddingProvider> {
        self.elsewhere.as_ref().map(|elsewhere| &elsewhere.provider)
    }

    /// What a provider's model is known again by.
    pub fn probe(&self) -> Option<&[f32]> {
        self.elsewhere.as_ref().map(|elsewhere| elsewhere.probe.as_slice())
    }

    /// What a text of this role is known by in a cache: vectors of one key are equal.
    pub fn key<'a>(&self, role: Role, text: &'a str) -> Cow<'a, str> {
        let header = self.encoder.header();
        let prefix = match (&self.elsewhere, role) {
            (Some(elsewhere), role) => elsewhere.provider.key_prefix(role),
            (None, Role::Query) => Cow::Borrowed(header.query_prefix.as_str()),
            (None, Role::Passage) => Cow::Borrowed(header.passage_prefix.as_str()),
        };
        if prefix.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{prefix}{text}")) }
    }

    /// Texts that are embedded between two savings of what is known: an interrupted run loses no more.
    pub(crate) fn texts_between_savings(&self) -> usize {
        if self.elsewhere.is_some() { 8192 } else { 1024 }
    }

    /// Gives the vector of each of `texts` to `each`, with its number, in any order. Those that came before a mistake, or before
    /// the user stopped it, are given too.
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
        // Small steps through the sorted list: rayon would hand a core one half, all long or all short.
        texts.chunks(BATCH).enumerate().collect::<Vec<_>>().into_par_iter().with_max_len(1).try_for_each(embed_batch)
    }
}
