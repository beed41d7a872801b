//! The parts of a bundle that search by meaning needs: the graph of its vectors, their rotation, and the query encoder.

use super::hnsw_build::build_graph;
use super::options::IndexOptions;
use super::rotation::principal_rotation;
use super::warn_of_damage;
use anyhow::Result;
use nearfind_base::progress::Progress;
use nearfind_base::remark;
use nearfind_core::bundle::{BundleDocument, BundleEncoder};
use nearfind_core::embed::Tokenizer;
use nearfind_core::vector::graph::Graph;
use nearfind_core::vector::rotation::Rotation;
use nearfind_models::distil::{self, Closeness, Rotated, TablePieces, distil};
use nearfind_models::embedding_cache::EmbeddingCache;
use nearfind_models::encoder_cache::{EncoderCache, KnownEncoder, document_hashes};
use nearfind_models::model::{LoadedModel, Prior};
use rayon::prelude::*;
use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

/// The graph, the chunk where walks begin, and the seconds spent building the graph.
pub(super) struct Linked {
    pub graph: Graph,
    pub entry: u32,
    pub seconds: f64,
}

/// Links each vector with nearby vectors. Runs on one core, so that the result is always the same.
pub(super) fn link(vectors: &[f32], dimensions: usize, progress: Progress) -> Linked {
    let started = Instant::now();
    let bar = progress.bar("linking", (vectors.len() / dimensions) as u64);
    let (graph, entry) = build_graph(vectors, dimensions, &bar);
    bar.finish();
    Linked { graph, entry, seconds: started.elapsed().as_secs_f64() }
}

/// With this many texts or more, a query encoder counts like one that knows general English.
const ENOUGH_TEXTS: usize = 2_500;

/// The rotated vectors of all chunks, and the query encoder that was fitted to them.
pub(super) struct Fit {
    pub rotation: Rotation,
    /// The rotated vectors: `[chunks × dimensions]`, row-major, in the order of chunks.
    pub rotated: Vec<f32>,
    pub fitted: Option<Fitted>,
    pub seconds: f64,
}

/// Rotates `vectors` and fits a query encoder, if the options ask for one. A query encoder that was fitted to nearly
/// the same documents is reused, with its rotation: if only few documents differ, the old components also suit this
/// corpus.
pub(super) fn rotate_and_fit(
    options: &IndexOptions,
    model: &LoadedModel,
    documents: &[BundleDocument],
    vectors: Cow<'_, [f32]>,
    known: &mut EmbeddingCache,
    progress: Progress,
) -> Result<Fit> {
    let started = Instant::now();
    let dimensions = model.dimensions();
    let encoders = EncoderCache::new(&options.cache);
    let hashes = if options.query_encoder { document_hashes(documents) } else { Vec::new() };
    let of_before = known_encoder(options, model, &encoders, &hashes);
    let rotation = of_before.as_ref().map_or_else(|| principal_rotation(&vectors, dimensions), KnownEncoder::rotation);
    let mut rotated = vectors.into_owned();
    rotated.par_chunks_mut(dimensions).for_each(|row| {
        let turned = rotation.apply(row);
        row.copy_from_slice(&turned);
    });
    let rows = Rotated { rotation: &rotation, vectors: &rotated };
    let mut fitted = match of_before {
        Some(of_before) => {
            let (encoder, texts) = of_before.into_encoder();
            Some(Fitted { encoder, texts, was_known: true, closeness: None })
        }
        None if options.query_encoder => Some(new_encoder(model, documents, rows, known, &encoders, hashes, progress)?),
        None => None,
    };
    if let Some(fitted) = &mut fitted {
        // Without general English, a small site teaches the encoder too little to rank against words.
        let is_taken = matches!(model.encoder.tokenizer(), Tokenizer::File(_));
        fitted.encoder.is_general = is_taken && fitted.texts < ENOUGH_TEXTS;
    }
    Ok(Fit { rotation, rotated, fitted, seconds: started.elapsed().as_secs_f64() })
}

/// A query encoder that was fitted now or in an earlier run.
pub(super) struct Fitted {
    pub encoder: BundleEncoder,
    pub texts: usize,
    pub was_known: bool,
    pub closeness: Option<Closeness>,
}

/// Everything that a query encoder depends on, except documents.
fn settings_of(model: &LoadedModel) -> String {
    format!("{} {} {}", model.hash(), Prior::identity(&model.path), distil::VERSION)
}

/// Returns a query encoder that was fitted to nearly the documents with these hashes, unless the options ask for a new
/// one.
fn known_encoder(
    options: &IndexOptions,
    model: &LoadedModel,
    encoders: &EncoderCache,
    hashes: &[u64],
) -> Option<KnownEncoder> {
    if options.full || !options.query_encoder {
        return None;
    }
    let damaged = |path: &Path| warn_of_damage(Some(format!("cache {} is damaged", path.display())));
    let found = encoders.find(&settings_of(model), hashes, damaged);
    found.filter(|known| known.rotation().dimensions() == model.dimensions())
}

/// Fits a query encoder, and keeps it for the next run.
fn new_encoder(
    model: &LoadedModel,
    documents: &[BundleDocument],
    rotated: Rotated<'_>,
    known_vectors: &mut EmbeddingCache,
    encoders: &EncoderCache,
    hashes: Vec<u64>,
    progress: Progress,
) -> Result<Fitted> {
    let pieces = TablePieces::of(&model.encoder, documents);
    let prior = distil::prior(model, &pieces, documents, known_vectors, progress)?;
    let distilled = distil(model, &pieces, prior, documents, rotated, known_vectors, progress)?;
    // The settings are read again, because the first fit may have made the prior.
    let known = KnownEncoder::new(&distilled.encoder, rotated.rotation, hashes, &settings_of(model), distilled.texts);
    if let Err(problem) = encoders.save(&known) {
        remark!(
            "warning: {problem:#}: the next run makes the query encoder again; free some space, or choose another folder with --cache"
        );
    }
    Ok(Fitted { encoder: distilled.encoder, texts: distilled.texts, was_known: false, closeness: distilled.closeness })
}
