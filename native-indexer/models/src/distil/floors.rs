//! Measures how near unrelated questions come to a corpus. A question that comes no nearer than they do has no answer
//! in that corpus.

use super::pieces::TablePieces;
use super::rows::{Rotated, encoded_by_table};
use nearfind_core::bundle::{BundleDocument, is_crowded, near_components};
use nearfind_core::format::root::chunk_length;
use nearfind_core::search::meaning_score;
use nearfind_core::vector::floats::dot;
use rayon::prelude::*;

/// Number of general English texts that serve as unrelated questions.
pub(super) const ASKED: usize = 400;
/// Minimum number of texts for a reliable floor.
const FEWEST: usize = 50;
/// Share of unrelated questions that come no nearer than the floor.
const SHARE: f64 = 0.9;

/// Returns the floor for questions that the table encodes, and the floor for questions that the model encodes. `texts`
/// are general English, and `vectors` are the model's vectors for them. Returns zeros if there are too few texts.
pub(super) fn floors(
    texts: &[String],
    vectors: &[f32],
    table: &[f32],
    pieces: &TablePieces<'_>,
    documents: &[BundleDocument],
    rotated: Rotated<'_>,
) -> [f32; 2] {
    if texts.len() < FEWEST {
        return [0.0; 2];
    }
    let dimensions = rotated.rotation.dimensions();
    let near = near_components(dimensions);
    let every = texts.len().div_ceil(ASKED);
    let asked = texts.iter().zip(vectors.chunks_exact(dimensions)).step_by(every);
    let (by_table, by_model): (Vec<Vec<f32>>, Vec<Vec<f32>>) = asked
        .map(|(text, vector)| (encoded_by_table(pieces, text, table, near), rotated.rotation.apply(vector)))
        .unzip();
    [by_table, by_model].map(|queries| {
        let mut scores = nearest(&queries, documents, rotated);
        scores.sort_by(f32::total_cmp);
        scores[((scores.len() - 1) as f64 * SHARE) as usize].max(0.0)
    })
}

/// Returns the score of the nearest document for each query. Reads every vector of a large corpus once, for all queries
/// together.
fn nearest(queries: &[Vec<f32>], documents: &[BundleDocument], rotated: Rotated<'_>) -> Vec<f32> {
    let dimensions = rotated.rotation.dimensions();
    let length = chunk_length(is_crowded(rotated.vectors, dimensions));
    let norms: Vec<f32> = queries.iter().map(|query| dot(query, query).sqrt().max(f32::MIN_POSITIVE)).collect();
    let mut end = 0;
    let ends: Vec<usize> = documents
        .iter()
        .map(|document| {
            end += document.chunks.len();
            end
        })
        .collect();
    let of_documents = |mut best: Vec<f32>, number: usize| {
        let (count, end) = (documents[number].chunks.len(), ends[number]);
        let rows = &rotated.vectors[(end - count) * dimensions..end * dimensions];
        for ((query, norm), best) in queries.iter().zip(&norms).zip(&mut best) {
            let rows = rows.chunks_exact(dimensions).map(|row| dot(query, &row[..query.len()]));
            *best = best.max(meaning_score(rows.fold(f32::MIN, f32::max) / norm, count as f32, length));
        }
        best
    };
    let none = || vec![f32::MIN; queries.len()];
    let larger = |a: Vec<f32>, b: Vec<f32>| a.into_iter().zip(b).map(|(a, b)| a.max(b)).collect();
    (0..documents.len()).into_par_iter().fold(none, of_documents).reduce(none, larger)
}
