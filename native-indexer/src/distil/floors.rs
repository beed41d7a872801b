//! How near a question comes to a corpus that it has nothing to do with: what comes no nearer has no answer there.

use super::{Rotated, dot, encoded_by_table};
use nearfind_core::bundle::{BundleDocument, near_components};
use nearfind_core::embed::Encoder;
use nearfind_core::search::meaning_score;
use rayon::prelude::*;

/// Texts of general English that are asked.
const ASKED: usize = 400;
/// Fewer say nothing.
const FEWEST: usize = 50;
/// The share of them that come no nearer than the floor.
const SHARE: f64 = 0.9;

/// The floors of questions that the table encodes, and of those that the model does, given `texts` of general English with
/// their vectors by the model. Zeros if there are too few.
pub(super) fn floors(
    texts: &[String],
    vectors: &[f32],
    table: &[f32],
    encoder: &Encoder,
    documents: &[BundleDocument],
    rotated: Rotated<'_>,
) -> [f32; 2] {
    if texts.len() < FEWEST {
        return [0.0; 2];
    }
    let dimensions = rotated.rotation.dimensions();
    let near = near_components(dimensions);
    let nearest = |query: &[f32]| {
        let norm = dot(query, query).sqrt().max(f32::MIN_POSITIVE);
        let mut rows = rotated.vectors.chunks_exact(dimensions);
        let scores = documents.iter().map(|document| {
            let chunks = rows.by_ref().take(document.chunks.len());
            let best = chunks.map(|row| dot(query, &row[..query.len()])).fold(f32::MIN, f32::max);
            meaning_score(best / norm, document.chunks.len() as f32)
        });
        scores.fold(f32::MIN, f32::max)
    };
    let every = texts.len().div_ceil(ASKED);
    let asked: Vec<[f32; 2]> = texts
        .par_iter()
        .zip(vectors.par_chunks(dimensions))
        .step_by(every)
        .map(|(text, vector)| {
            [nearest(&encoded_by_table(encoder, text, table, near)), nearest(&rotated.rotation.apply(vector))]
        })
        .collect();
    [0, 1].map(|list| {
        let mut scores: Vec<f32> = asked.iter().map(|scores| scores[list]).collect();
        scores.sort_by(f32::total_cmp);
        scores[((scores.len() - 1) as f64 * SHARE) as usize].max(0.0)
    })
}
