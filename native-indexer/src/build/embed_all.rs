//! Embedding on all cores.

use super::embedding_cache::EmbeddingCache;
use crate::progress::Bar;
use anyhow::Result;
use nearfind_core::embed::{EmbedError, Encoder};
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

/// The vectors of `texts`, `[texts × dimensions]` row-major: from the cache, else by the model.
///
/// Batches hold texts of similar length and the longest come first, so that no core is left with a long one at the end.
/// Nothing is padded, and a vector does not depend on the texts that are embedded with it.
pub(crate) fn embed_all(
    encoder: &Encoder,
    role: Role,
    texts: &[String],
    cache: &mut EmbeddingCache,
    bar: &Bar,
) -> Result<Vec<f32>> {
    let prefix = match role {
        Role::Query => &encoder.header().query_prefix,
        Role::Passage => &encoder.header().passage_prefix,
    };
    let key = |text: usize| cache_key(prefix, &texts[text]);
    let mut order: Vec<usize> = (0..texts.len()).filter(|&text| cache.get(&key(text)).is_none()).collect();
    bar.advance((texts.len() - order.len()) as u64);
    order.sort_by_key(|&text| (std::cmp::Reverse(texts[text].len()), text));
    let embed_batch = |batch: &[usize]| {
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
        let batches: Vec<Vec<(usize, Vec<f32>)>> = batches.map(embed_batch).collect::<Result<_, EmbedError>>()?;
        for (text, vector) in batches.into_iter().flatten() {
            cache.insert(&key(text), vector);
        }
        cache.save()?;
    }
    let vectors = (0..texts.len()).flat_map(|text| cache.get(&key(text)).expect("every text has its vector now"));
    Ok(vectors.copied().collect())
}

/// The text with what the model wants before it.
fn cache_key<'a>(prefix: &str, text: &'a str) -> Cow<'a, str> {
    if prefix.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{prefix}{text}")) }
}
