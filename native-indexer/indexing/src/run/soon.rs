//! The vectors of a provisional bundle. Everything that takes long to compute is copied from the previous bundle.

use super::corpus::Chunked;
use super::memory::{KnownFit, Opened};
use anyhow::Result;
use nearfind_base::progress::{Bar, Progress};
use nearfind_core::bundle::BundleEncoder;
use nearfind_core::embed::model_pack::VOCABULARY_BLOB;
use nearfind_core::embed::{KnownPieces, Tokenizer};
use nearfind_core::search::is_ever_walked;
use nearfind_core::vector::floats::{add_scaled, dot};
use nearfind_core::vector::graph::Graph;
use nearfind_models::model::{LoadedModel, embed_all, known_vectors};
use nearfind_models::role::Role;
use rayon::prelude::*;
use std::collections::HashMap;

/// Maximum number of new chunks that the model reads, which takes a fraction of a second.
const FEW_CHUNKS: usize = 24;

/// Whether a bundle with this many chunks can do without a graph. A host that walks a graph without links finds
/// nothing.
pub(super) const fn needs_no_graph(chunks: usize) -> bool {
    !is_ever_walked(chunks)
}

/// Returns a graph of `chunks` points without links.
pub(super) fn without_links(chunks: usize) -> Graph {
    Graph::new(vec![Vec::new(); chunks])
}

/// Returns the vectors of all chunks after the rotation of `fit`, and the number of those that the model has not read.
/// Known vectors are reused. The model makes the others if they are few. Otherwise the query encoder makes them, or
/// they are 0 if there is none.
pub(super) fn vectors(
    chunked: &Chunked,
    opened: &mut Opened,
    fit: &mut KnownFit,
    progress: Progress,
) -> Result<(Vec<f32>, usize)> {
    let dimensions = opened.model.dimensions();
    let texts = chunked.texts();
    let new: Vec<String> = fit.turned.missing(&texts).into_iter().map(|text| texts[text].to_owned()).collect();
    let mut known = known_vectors(&opened.model, Role::Passage, &new, &opened.known);
    let unread: Vec<usize> = (0..new.len()).filter(|&text| known[text].is_none()).collect();
    if unread.len() <= FEW_CHUNKS {
        let few: Vec<String> = unread.iter().map(|&text| new[text].clone()).collect();
        let (made, _) = embed_all(&opened.model, Role::Passage, &few, &mut opened.known, &Bar::hidden(), progress)?;
        unread.iter().zip(made.chunks_exact(dimensions)).for_each(|(&text, row)| known[text] = Some(row.to_vec()));
    }
    let turn = |vector: &Option<Vec<f32>>| vector.as_ref().map(|vector| fit.rotation.apply(vector));
    let turned: Vec<Option<Vec<f32>>> = known.par_iter().map(turn).collect();
    for (text, row) in new.iter().zip(turned) {
        row.into_iter().for_each(|row| fit.turned.insert(text, row));
    }
    let unread = fit.turned.missing(&texts);
    let table = fit.encoder.as_ref().filter(|_| !unread.is_empty());
    let table = table.map(|encoder| EncoderRows::new(&opened.model, encoder));
    let by_table = |text: &&str| table.as_ref().map(|table| table.vector(text, dimensions));
    let row = |text: &&str| match fit.turned.get(text) {
        Some(row) => row.to_vec(),
        None => by_table(text).unwrap_or_else(|| vec![0.0; dimensions]),
    };
    let vectors = texts.par_iter().flat_map_iter(row).collect();
    fit.turned.keep(&texts);
    Ok((vectors, unread.len()))
}

/// A query encoder with rows that are numbered like the pieces of the model's tokenizer.
struct EncoderRows<'a> {
    model: &'a LoadedModel,
    rows: HashMap<u32, &'a [f32]>,
}

impl<'a> EncoderRows<'a> {
    fn new(model: &'a LoadedModel, encoder: &'a BundleEncoder) -> Self {
        let near = encoder.vectors.len() / encoder.tokens.len().max(1);
        let tokens = encoder.tokens.iter().map(String::as_str);
        let known: HashMap<&str, &[f32]> = tokens.zip(encoder.vectors.chunks_exact(near.max(1))).collect();
        // Other tokenizers number their pieces differently. With them, a text has no vector until the model has read
        // it.
        let is_numbered = matches!(model.encoder.tokenizer(), Tokenizer::WordPiece(_));
        let blob = model.pack.blob(VOCABULARY_BLOB).ok().filter(|_| is_numbered);
        let vocabulary = blob.and_then(|blob| std::str::from_utf8(blob).ok()).unwrap_or_default();
        let numbered = (0..).zip(vocabulary.split('\n'));
        Self { model, rows: numbered.filter_map(|(number, piece)| Some((number, *known.get(piece)?))).collect() }
    }

    /// Returns the sum of the rows of a text, scaled to unit length.
    fn vector(&self, text: &str, dimensions: usize) -> Vec<f32> {
        let limit = self.model.encoder.header().max_tokens as usize;
        let pieces = self.model.encoder.tokenizer().pieces_with(text, limit, &mut KnownPieces::default());
        let mut sum = vec![0.0f32; dimensions];
        for row in pieces.iter().filter_map(|piece| self.rows.get(piece)) {
            add_scaled(&mut sum[..row.len()], 1.0, row);
        }
        let length = dot(&sum, &sum).sqrt();
        if length > 0.0 {
            sum.iter_mut().for_each(|value| *value /= length);
        }
        sum
    }
}
