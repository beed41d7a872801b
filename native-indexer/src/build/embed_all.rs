//! Embedding on all cores.

use super::embedding_cache::EmbeddingCache;
use crate::progress::Bar;
use anyhow::Result;
use nearfind_core::embed::{EmbedError, Encoder};
use rayon::prelude::*;

/// Texts that a core takes at once.
const BATCH: usize = 16;

/// Batches between two savings of the cache: an interrupted run loses no more.
const SAVE_EVERY: usize = 64;

/// The vectors of `texts`, `[texts × dimensions]` row-major: from the cache, else by the model.
///
/// Batches hold texts of similar length and the longest come first, so that no core is left with a long one at the end.
/// Inside a batch each text is run by itself: nothing is padded, and a vector does not depend on its neighbours.
pub(crate) fn embed_all(
    encoder: &Encoder,
    texts: &[String],
    cache: &mut EmbeddingCache,
    bar: &Bar,
) -> Result<Vec<f32>> {
    let mut order: Vec<usize> = (0..texts.len()).filter(|&text| cache.get(&texts[text]).is_none()).collect();
    bar.advance((texts.len() - order.len()) as u64);
    order.sort_by_key(|&text| (std::cmp::Reverse(texts[text].len()), text));
    let embed_batch = |batch: &[usize]| {
        let vectors = batch.iter().map(|&text| Ok((text, encoder.encode(&texts[text])?)));
        let vectors = vectors.collect::<Result<Vec<_>, EmbedError>>()?;
        bar.advance(batch.len() as u64);
        Ok(vectors)
    };
    for part in order.chunks(BATCH * SAVE_EVERY) {
        // Small steps through the sorted list: rayon would hand a core one half, all long or all short.
        let batches = part.chunks(BATCH).collect::<Vec<_>>().into_par_iter().with_max_len(1);
        let batches: Vec<Vec<(usize, Vec<f32>)>> = batches.map(embed_batch).collect::<Result<_, EmbedError>>()?;
        for (text, vector) in batches.into_iter().flatten() {
            cache.insert(&texts[text], vector);
        }
        cache.save()?;
    }
    Ok(texts.iter().flat_map(|text| cache.get(text).expect("every text has its vector now")).copied().collect())
}
