//! Embeds many texts. Cached vectors are reused, and the model computes the others.

use crate::embedding_cache::EmbeddingCache;
use crate::model::LoadedModel;
use crate::role::Role;
use anyhow::{Context as _, Result};
use nearfind_base::progress::{Bar, Progress};
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Returns the vectors of `texts`, `[texts × dimensions]` row-major, and the number of vectors that the model computed
/// because the cache lacked them.
///
/// Equal texts are computed once. Each batch contains texts of similar length, and the longest come first, so that no
/// core is left with a long text at the end. Texts are not padded, and a vector does not depend on the other texts of
/// its batch.
pub fn embed_all(
    model: &LoadedModel,
    role: Role,
    texts: &[String],
    cache: &mut EmbeddingCache,
    bar: &Bar,
    progress: Progress,
) -> Result<(Vec<f32>, usize)> {
    let key = |text: usize| model.key(role, &texts[text]);
    let mut order = missing(model, role, texts, cache);
    let mut seen = HashSet::new();
    order.retain(|&text| seen.insert(texts[text].as_str()));
    bar.advance((texts.len() - order.len()) as u64);
    order.sort_by_key(|&text| (std::cmp::Reverse(texts[text].len()), text));
    for part in order.chunks(model.texts_between_savings()) {
        let together: Vec<&str> = part.iter().map(|&text| texts[text].as_str()).collect();
        let made = Mutex::new(Vec::with_capacity(part.len()));
        let done = model.embed(role, &together, progress, &|text, vector| {
            bar.advance(1);
            made.lock().unwrap_or_else(PoisonError::into_inner).push((text, vector));
        });
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Vectors are added in the order of the texts, so that equal runs write equal files.
        made.sort_by_key(|(text, _)| *text);
        // Vectors are saved even if the run was stopped.
        made.iter().for_each(|(text, vector)| cache.insert(&key(part[*text]), vector));
        cache.save();
        done?;
    }
    let mut vectors = Vec::with_capacity(texts.len() * model.dimensions());
    for text in 0..texts.len() {
        vectors.extend(cache.get(&key(text)).context("the cache of vectors can no longer be read")?);
    }
    Ok((vectors, order.len()))
}

/// Returns the vectors of `texts` that are in `cache`.
pub fn known_vectors(
    model: &LoadedModel,
    role: Role,
    texts: &[String],
    cache: &EmbeddingCache,
) -> Vec<Option<Vec<f32>>> {
    texts.par_iter().map(|text| cache.get(&model.key(role, text))).collect()
}

/// Returns the numbers of the texts that are missing from `cache`, in ascending order.
pub fn missing(model: &LoadedModel, role: Role, texts: &[String], cache: &EmbeddingCache) -> Vec<usize> {
    let is_missing = |text: &usize| !cache.contains(&model.key(role, &texts[*text]));
    (0..texts.len()).into_par_iter().filter(is_missing).collect()
}
