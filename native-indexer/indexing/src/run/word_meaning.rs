//! Vectors for a bundle that the model has not read yet. The vector of a text is the sum of general English vectors of
//! its pieces, without the part that all vectors share, and with more weight for rare pieces. This takes a second,
//! whereas reading with the model takes minutes.

use super::known_rows::KnownRows;
use super::principal_rotation;
use anyhow::{Result, bail};
use nearfind_base::progress::Progress;
use nearfind_core::bundle::BundleEncoder;
use nearfind_core::embed::bert_words::NormalizerOptions;
use nearfind_core::embed::{Encoder, KnownPieces, Tokenizer};
use nearfind_core::format::manifest::{ModelModule, ModelReference};
use nearfind_core::vector::floats::{add_scaled, dot};
use nearfind_core::vector::rotation::Rotation;
use nearfind_models::distil::{FREQUENT_TOKENS, near_rows};
use nearfind_models::model::{LoadedModel, Prior};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Number of components in a vector. More components would not improve sums of words.
const DIMENSIONS: usize = 128;
/// Maximum number of texts that the components are fitted to.
const MAX_ROWS: usize = 3_000;
/// Number of tasks that split texts into pieces in parallel.
const TASKS: usize = 16;

/// Vectors of texts by the meaning of their words.
pub(super) struct WordMeaning {
    /// The identity, because the vectors are already rotated.
    pub(super) rotation: Rotation,
    /// The vectors of all texts: `[texts × dimensions]`, row-major, of unit length.
    pub(super) vectors: Vec<f32>,
}

/// The vectors of pieces in one corpus, and the text vectors that were made from them.
#[derive(Debug)]
pub(super) struct WordTable {
    /// The hash of the model.
    pub(super) model: String,
    /// The table that pages and other hosts use to encode questions.
    pub(super) encoder: BundleEncoder,
    /// The vectors of all pieces of the model: `[pieces × dimensions]`, row-major.
    table: Vec<f32>,
    known: KnownRows,
}

impl WordTable {
    /// Returns the table for `texts`, made from the piece vectors of `model`. A model without WordPiece is an error.
    pub(super) fn of(model: &LoadedModel, texts: &[&str], progress: Progress) -> Result<Self> {
        let Tokenizer::WordPiece(tokenizer) = model.encoder.tokenizer() else {
            bail!("--quick does not work with {}: leave out --quick, or use the default model", model.name());
        };
        let (pieces, piece_vectors) = Prior::pieces_of(model, progress)?;
        let dimensions = model.encoder.header().dimensions as usize;
        let of_texts: Vec<Vec<u32>> = pieces_of_texts(model, texts);
        let mut counts = vec![0u32; pieces.len()];
        of_texts.iter().flatten().for_each(|&piece| counts[piece as usize] += 1);
        // The inverse document frequency of BM25.
        let rarity = |piece: usize| {
            let (all, count) = (texts.len() as f32, counts[piece] as f32);
            ((all - count + 0.5) / (count + 0.5)).ln_1p()
        };
        let mut table = piece_vectors;
        let common = mean_of_occurring(&table, &counts, dimensions);
        table.par_chunks_mut(dimensions).enumerate().for_each(|(piece, row)| {
            let rarity = rarity(piece);
            row.iter_mut().zip(&common).for_each(|(value, common)| *value = (*value - common) * rarity);
        });
        let sample: Vec<f32> = of_texts
            .par_iter()
            .step_by(of_texts.len().div_ceil(MAX_ROWS).max(1))
            .flat_map_iter(|pieces| unit_sum(pieces, &table, dimensions))
            .collect();
        let principal = principal_rotation(&sample, dimensions);
        let kept = DIMENSIONS.min(dimensions);
        let table = near_rows(&table, &principal, kept);
        let encoder = encoder(tokenizer.normalizer(), pieces, &counts, &table, kept);
        Ok(Self { model: model.hash().to_owned(), encoder, table, known: KnownRows::default() })
    }

    /// Returns the vectors of `texts`. Most of them may be known from the last run.
    pub(super) fn meaning(&mut self, model: &LoadedModel, texts: &[&str]) -> WordMeaning {
        let kept = DIMENSIONS.min(model.encoder.header().dimensions as usize);
        let missing: Vec<&str> = self.known.missing(texts).into_iter().map(|text| texts[text]).collect();
        let pieces = pieces_of_texts(model, &missing);
        let made: Vec<Vec<f32>> = pieces.par_iter().map(|pieces| unit_sum(pieces, &self.table, kept)).collect();
        missing.into_iter().zip(made).for_each(|(text, row)| self.known.insert(text, row));
        let rows = texts.iter().flat_map(|text| self.known.get(text).unwrap_or_default().iter().copied());
        let vectors = rows.collect();
        self.known.keep(texts);
        let identity = (0..kept * kept).map(|at| if at % (kept + 1) == 0 { 1.0 } else { 0.0 });
        WordMeaning { rotation: Rotation::new(identity.collect(), kept), vectors }
    }
}

impl WordMeaning {
    /// Returns the manifest's description of the model. No such model exists that a reader could load.
    pub(super) fn reference(model: &LoadedModel) -> ModelReference {
        let name = &model.encoder.header().name;
        ModelReference {
            name: format!("words of {name}"),
            hash: blake3::hash(format!("words of {}", model.encoder.hash()).as_bytes()).to_hex().to_string(),
            module: ModelModule::Table,
            probe: None,
            file: None,
            small: None,
        }
    }
}

/// Returns the mean of the vectors of all pieces, weighted by how often they occur. It says nothing about a single
/// text.
fn mean_of_occurring(table: &[f32], counts: &[u32], dimensions: usize) -> Vec<f32> {
    let mut mean = vec![0.0f32; dimensions];
    let all = counts.iter().sum::<u32>().max(1) as f32;
    for (row, &count) in table.chunks_exact(dimensions).zip(counts) {
        add_scaled(&mut mean, count as f32 / all, row);
    }
    mean
}

/// Returns the distinct pieces of each text, on all cores.
fn pieces_of_texts(model: &LoadedModel, texts: &[&str]) -> Vec<Vec<u32>> {
    texts
        .par_chunks(texts.len().div_ceil(TASKS).max(1))
        .flat_map_iter(|texts| {
            let mut known = KnownPieces::default();
            texts.iter().map(move |text| distinct_pieces(&model.encoder, text, &mut known))
        })
        .collect()
}

fn distinct_pieces(encoder: &Encoder, text: &str, known: &mut KnownPieces) -> Vec<u32> {
    let limit = (encoder.header().max_tokens as usize).saturating_sub(encoder.tokenizer().frame());
    let mut pieces = encoder.tokenizer().pieces_with(text, limit, known);
    pieces.sort_unstable();
    pieces.dedup();
    pieces
}

fn unit_sum(pieces: &[u32], table: &[f32], dimensions: usize) -> Vec<f32> {
    let mut sum = vec![0.0f32; dimensions];
    for &piece in pieces {
        let row = &table[piece as usize * dimensions..][..dimensions];
        add_scaled(&mut sum, 1.0, row);
    }
    let length = dot(&sum, &sum).sqrt();
    if length > 0.0 {
        sum.iter_mut().for_each(|value| *value /= length);
    }
    sum
}

/// Returns the table for questions. It contains the pieces that occur in the corpus, and ASCII pieces that begin a
/// word.
fn encoder(
    normalizer: NormalizerOptions,
    pieces: Vec<String>,
    counts: &[u32],
    table: &[f32],
    dimensions: usize,
) -> BundleEncoder {
    let mut rows: BTreeMap<String, (u32, &[f32])> = BTreeMap::new();
    for ((piece, row), &count) in pieces.into_iter().zip(table.chunks_exact(dimensions)).zip(counts) {
        let is_english = piece.is_ascii() && !piece.starts_with("##");
        if (is_english || count > 0) && !piece.is_empty() && row.iter().any(|&value| value != 0.0) {
            rows.insert(piece, (count, row));
        }
    }
    let mut by_count: Vec<(&String, u32)> = rows.iter().map(|(piece, (count, _))| (piece, *count)).collect();
    by_count.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let mut frequent: Vec<String> =
        by_count.into_iter().take(FREQUENT_TOKENS).map(|(piece, _)| piece.clone()).collect();
    frequent.sort();
    BundleEncoder {
        vectors: rows.values().flat_map(|(_, row)| row.iter().copied()).collect(),
        tokens: rows.into_keys().collect(),
        frequent,
        normalizer,
        floors: [0.0; 2],
        is_general: true,
    }
}
