//! Embedding on all cores.

use crate::cache::EmbeddingCache;
use crate::progress::{Bar, Progress};
use anyhow::{Context as _, Result};
use nearfind_core::embed::Encoder;
use rayon::prelude::*;
use std::borrow::Cow;

/// Texts that a core takes at once.
const BATCH: usize = 16;

/// Batches between two savings of the cache: an interrupted run loses no more.
const SAVE_EVERY: usize = 64;

/// What texts are to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Questions.
    Query,
    /// What questions are compared with.
    Passage,
}

/// Numbers of texts with their vectors.
type Embedded = Vec<(usize, Vec<f32>)>;

/// The vectors of `texts`, `[texts × dimensions]` row-major: from the cache, else by the model; and how many were by
/// the model.
///
/// Batches hold texts of similar length and the longest come first, so that no core is left with a long one at the end.
/// Nothing is padded, and a vector does not depend on the texts that are embedded with it.
pub(crate) fn embed_all(
    encoder: &Encoder,
    role: Role,
    texts: &[String],
    cache: &mut EmbeddingCache,
    bar: &Bar,
    progress: Progress,
) -> Result<(Vec<f32>, usize)> {
    let prefix = prefix(encoder, role);
    let key = |text: usize| cache_key(prefix, &texts[text]);
    let mut order = missing(encoder, role, texts, cache);
    bar.advance((texts.len() - order.len()) as u64);
    order.sort_by_key(|&text| (std::cmp::Reverse(texts[text].len()), text));
    let embed_batch = |batch: &[usize]| -> Result<Embedded> {
        progress.check()?;
        let together: Vec<&str> = batch.iter().map(|&text| texts[text].as_str()).collect();
        let vectors = match role {
            Role::Query => encoder.encode_queries(&together)?,
            Role::Passage => encoder.encode_passages(&together)?,
        };
        bar.advance(batch.len() as u64);
        Ok(batch.iter().copied().zip(vectors).collect())
    };
    for part in order.chunks(BATCH * SAVE_EVERY) {
        // Small steps through the sorted list: rayon would hand a core one half, all long or all short.
        let batches = part.chunks(BATCH).collect::<Vec<_>>().into_par_iter().with_max_len(1);
        let batches: Vec<Result<Embedded>> = batches.map(embed_batch).collect();
        let mut stopped = None;
        for batch in batches {
            // What was embedded before a run was stopped is not lost.
            match batch {
                Ok(batch) => batch.iter().for_each(|(text, vector)| cache.insert(&key(*text), vector)),
                Err(error) => stopped = Some(error),
            }
        }
        cache.save()?;
        if let Some(error) = stopped {
            return Err(error);
        }
    }
    let mut vectors = Vec::with_capacity(texts.len() * encoder.header().dimensions as usize);
    for text in 0..texts.len() {
        vectors.extend(cache.get(&key(text)).context("the cache of vectors cannot be read any more")?);
    }
    Ok((vectors, order.len()))
}

/// What the model wants before a text.
fn prefix(encoder: &Encoder, role: Role) -> &str {
    match role {
        Role::Query => &encoder.header().query_prefix,
        Role::Passage => &encoder.header().passage_prefix,
    }
}

/// The numbers of the texts whose vectors are not in `cache`, ascending.
pub(super) fn missing(encoder: &Encoder, role: Role, texts: &[String], cache: &EmbeddingCache) -> Vec<usize> {
    let is_missing = |text: &usize| !cache.contains(&cache_key(prefix(encoder, role), &texts[*text]));
    (0..texts.len()).into_par_iter().filter(is_missing).collect()
}

/// The text with what the model wants before it.
fn cache_key<'a>(prefix: &str, text: &'a str) -> Cow<'a, str> {
    if prefix.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{prefix}{text}")) }
}
