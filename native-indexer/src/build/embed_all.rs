//! Embedding on all cores.

use crate::progress::Bar;
use nearfind_core::embed::{EmbedError, Encoder};
use rayon::prelude::*;

/// Texts that a core takes at once.
const BATCH: usize = 16;

/// The vectors of `texts`, `[texts × dimensions]` row-major.
///
/// Batches hold texts of similar length and the longest come first, so that no core is left with a long one at the end.
/// Inside a batch each text is run by itself: nothing is padded, and a vector does not depend on its neighbours.
pub(super) fn embed_all(encoder: &Encoder, texts: &[String], bar: &Bar) -> Result<Vec<f32>, EmbedError> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|&text| (std::cmp::Reverse(texts[text].len()), text));
    let embed_batch = |batch: &[usize]| {
        let vectors = batch.iter().map(|&text| Ok((text, encoder.encode(&texts[text])?)));
        let vectors = vectors.collect::<Result<Vec<_>, EmbedError>>()?;
        bar.advance(batch.len() as u64);
        Ok(vectors)
    };
    // Small steps through the sorted list: rayon would hand a core one half, all long or all short.
    let batches = order.chunks(BATCH).collect::<Vec<_>>().into_par_iter().with_max_len(1);
    let batches: Vec<Vec<(usize, Vec<f32>)>> = batches.map(embed_batch).collect::<Result<_, EmbedError>>()?;
    let dimensions = encoder.header().dimensions as usize;
    let mut all = vec![0.0; texts.len() * dimensions];
    for (text, vector) in batches.into_iter().flatten() {
        all[text * dimensions..(text + 1) * dimensions].copy_from_slice(&vector);
    }
    Ok(all)
}
