//! Measures how close the table comes to the model, on documents that were kept out of the fit.

use super::pieces::TablePieces;
use super::rows::{Rotated, encoded_by_table};
use super::texts::Judged;
use nearfind_core::bundle::{BundleDocument, near_components};
use nearfind_core::vector::floats::dot;
use rayon::prelude::*;
use serde::Serialize;

/// Minimum number of texts for a judgment.
const FEWEST: usize = 20;
const DEPTH: usize = 10;

/// How close a table comes to the model: means over the texts that were kept out of the fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Closeness {
    /// Number of texts.
    pub texts: usize,
    /// Cosine between the table's vector and the model's vector.
    pub cosine: f64,
    /// nDCG@10 of finding each text's document with only the table.
    pub table_ndcg: f64,
    /// nDCG@10 of finding each text's document with only the model.
    pub model_ndcg: f64,
}

/// Judges a table. `vectors` are the model's vectors, one row per text. Returns `None` if there are too few texts.
pub(super) fn judge(
    texts: &[Judged],
    vectors: &[f32],
    table: &[f32],
    pieces: &TablePieces<'_>,
    documents: &[BundleDocument],
    rotated: Rotated<'_>,
    common: &[f32],
) -> Option<Closeness> {
    if texts.len() < FEWEST {
        return None;
    }
    let dimensions = rotated.rotation.dimensions();
    let near = near_components(dimensions);
    let of_document: Vec<usize> = documents
        .iter()
        .enumerate()
        .flat_map(|(number, document)| std::iter::repeat_n(number, document.chunks.len()))
        .collect();
    let gain = |query: &[f32], wanted: usize| {
        let mut best = vec![f32::MIN; documents.len()];
        for (row, &document) in rotated.vectors.chunks_exact(dimensions).zip(&of_document) {
            best[document] = best[document].max(dot(query, &row[..query.len()]));
        }
        let before = best.iter().filter(|score| **score > best[wanted]).count();
        if before < DEPTH { 1.0 / (before as f64 + 2.0).log2() } else { 0.0 }
    };
    let judged = |(text, vector): (&Judged, &[f32])| {
        let model = rotated.rotation.apply(vector);
        let own = encoded_by_table(pieces, &text.text, table, near);
        let norm = dot(&own, &own).sqrt().max(f32::MIN_POSITIVE);
        let mut apart = model.clone();
        apart.iter_mut().zip(common).for_each(|(value, common)| *value -= common);
        let length = dot(&apart, &apart).sqrt().max(f32::MIN_POSITIVE);
        let cosine = f64::from(dot(&own, &apart[..near]) / norm / length);
        [cosine, gain(&own, text.document), gain(&model, text.document)]
    };
    let all: Vec<[f64; 3]> = texts.par_iter().zip(vectors.par_chunks(dimensions)).map(judged).collect();
    let mean = |at: usize| all.iter().map(|values| values[at]).sum::<f64>() / all.len() as f64;
    Some(Closeness { texts: texts.len(), cosine: mean(0), table_ndcg: mean(1), model_ndcg: mean(2) })
}
