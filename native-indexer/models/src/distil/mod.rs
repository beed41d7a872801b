//! The distilled query encoder: a table of token vectors, fitted so that the sum of a text's rows is close to the
//! model's vector for the text.

mod fit;
mod floors;
mod judge;
mod pieces;
mod rows;
mod texts;

pub use judge::Closeness;
pub use pieces::{TablePieces, TakenPieces};
pub use rows::{Rotated, near_rows};

use crate::embedding_cache::EmbeddingCache;
use crate::model::embed_all;
use crate::model::{GeneralEnglish, LoadedModel, Prior};
use crate::role::Role;
use anyhow::Result;
use fit::{SparseRows, fit};
use nearfind_base::progress::Progress;
use nearfind_core::bundle::{BundleDocument, BundleEncoder, ENGLISH, is_crowded, near_components};
use nearfind_core::embed::bert_words::decomposed;
use nearfind_core::query_encoder::words_of;
use rows::{sum_of_rows, without_common};
use std::collections::{BTreeMap, BTreeSet};
use texts::Texts;

/// Version of the fit. Raise it with every change to the result, so that cached tables from older versions are not
/// used.
pub const VERSION: u32 = 5;
/// Number of tokens in the first block, which contains the tokens that most queries need.
pub const FREQUENT_TOKENS: usize = 48;
/// Number of words in the corpus that get their own row, most frequent first. Such a word need not be composed of
/// pieces.
const OWN_WORDS: usize = 2_500;
/// Words that occur less often get no row of their own.
const OWN_WORD_COUNT: u32 = 3;
/// Longer words get no row of their own.
const OWN_WORD_CHARS: usize = 32;

/// A fitted table, with numbers about the fit.
#[derive(Clone, Debug)]
pub struct Distilled {
    /// The table as it is written to the bundle.
    pub encoder: BundleEncoder,
    /// Number of texts in the fit.
    pub texts: usize,
    /// How close the table comes to the model, or `None` if the corpus is too small to keep texts out of the fit.
    pub closeness: Option<Closeness>,
}

/// Returns the texts that the model embeds for [`distil`]: the texts to fit, and then the texts for judging.
fn texts(documents: &[BundleDocument], english: &GeneralEnglish) -> Vec<String> {
    let Texts { mut to_fit, to_judge } = Texts::draw(documents, english);
    to_fit.extend(to_judge.into_iter().map(|judged| judged.text));
    to_fit
}

/// Returns the prior of `taken`, and the remaining input of a table for `documents`. For a model whose tokenizer is not
/// WordPiece, the prior has no vectors.
fn prior_of_taken(taken: &TakenPieces, documents: &[BundleDocument]) -> Result<Prior> {
    let mut english = GeneralEnglish::installed()?;
    let in_english = documents.iter().filter(|document| ["", ENGLISH].contains(&&*document.language)).count();
    if in_english * 2 < documents.len() {
        // This is enough to recognize questions that have nothing to do with the site.
        let every = english.texts.len().div_ceil(floors::ASKED).max(1);
        english.texts = english.texts.into_iter().step_by(every).collect();
        english.synonyms.clear();
        english.is_for_floors = true;
    }
    Ok(Prior::of_pieces(taken.pieces(), english))
}

/// Returns the vectors of `pieces` and of general English, in the form that [`distil`] expects.
pub fn prior(
    model: &LoadedModel,
    pieces: &TablePieces<'_>,
    documents: &[BundleDocument],
    known: &mut EmbeddingCache,
    progress: Progress,
) -> Result<Prior> {
    match pieces {
        TablePieces::OfModel(..) => Prior::of(model, known, progress),
        TablePieces::Taken(taken) => prior_of_taken(taken, documents)?.with_vectors(model, known, progress),
    }
}

/// Returns the texts that a provider embeds for a table: the texts of its prior, which many sites share, and the site's
/// texts.
pub fn texts_of_provider(
    model: &LoadedModel,
    documents: &[BundleDocument],
    progress: Progress,
) -> Result<[Vec<String>; 2]> {
    let prior = match TablePieces::of(&model.encoder, documents) {
        TablePieces::OfModel(..) => Prior::prepare(model, None, progress)?,
        TablePieces::Taken(taken) => prior_of_taken(&taken, documents)?,
    };
    Ok([prior.texts(), texts(documents, &prior.english)])
}

/// Fits a table of `pieces` to `documents`. `prior` contains the vectors of the pieces.
pub fn distil(
    model: &LoadedModel,
    pieces: &TablePieces<'_>,
    mut prior: Prior,
    documents: &[BundleDocument],
    rotated: Rotated<'_>,
    cache: &mut EmbeddingCache,
    progress: Progress,
) -> Result<Distilled> {
    let near = near_components(rotated.rotation.dimensions());
    let texts = Texts::draw(documents, &prior.english);
    let bar = progress.bar("query encoder", (texts.to_fit.len() + texts.to_judge.len()) as u64);
    let (fit_vectors, _) = embed_all(model, Role::Query, &texts.to_fit, cache, &bar, progress)?;
    let judge_texts: Vec<String> = texts.to_judge.iter().map(|judged| judged.text.clone()).collect();
    let (judge_vectors, _) = embed_all(model, Role::Query, &judge_texts, cache, &bar, progress)?;
    bar.finish();

    let near_of = |vectors: &[f32]| near_rows(vectors, rotated.rotation, near);
    let all_texts: Vec<&str> = texts.to_fit.iter().chain(&prior.english.texts).map(String::as_str).collect();
    let mut targets = near_of(&fit_vectors);
    // For large tables, memory is freed before more is allocated.
    drop(fit_vectors);
    let mut of_english = near_of(&prior.english_vectors);
    let mut start = near_of(&std::mem::take(&mut prior.piece_vectors));
    let mut common = vec![0.0; near];
    if is_crowded(rotated.vectors, rotated.rotation.dimensions()) {
        common = without_common(&mut targets, near);
        without_common(&mut of_english, near);
        without_common(&mut start, near);
    }
    targets.extend(of_english);
    let rows = SparseRows::of(all_texts.iter().map(|text| pieces.of_text(text)), prior.pieces.len());
    let table = fit(&rows, &targets, &start, near);

    let closeness = judge::judge(&texts.to_judge, &judge_vectors, &table, pieces, documents, rotated, &common);
    let floors = floors::floors(&prior.english.texts, &prior.english_vectors, &table, pieces, documents, rotated);
    let encoder = assemble(pieces, &prior, documents, &all_texts, &table, near, floors);
    Ok(Distilled { encoder, texts: all_texts.len(), closeness })
}

/// Selects the tokens that get a row: all pieces that the corpus or English can need, and frequent words that consist
/// of several pieces.
fn assemble(
    pieces: &TablePieces<'_>,
    prior: &Prior,
    documents: &[BundleDocument],
    texts: &[&str],
    table: &[f32],
    near: usize,
    floors: [f32; 2],
) -> BundleEncoder {
    let normalizer = pieces.normalizer();
    let mut words: BTreeMap<String, u32> = BTreeMap::new();
    for document in documents {
        for word in words_of(&decomposed(&document.text), normalizer) {
            *words.entry(word).or_default() += 1;
        }
    }
    let in_corpus: BTreeSet<u32> = words.keys().flat_map(|word| pieces.of_text(word)).collect();
    let row = |piece: u32| &table[piece as usize * near..(piece as usize + 1) * near];
    let is_taken = matches!(pieces, TablePieces::Taken(_));
    let mut rows: BTreeMap<String, Vec<f32>> = BTreeMap::new();
    for (number, piece) in prior.pieces.iter().enumerate() {
        let bare = piece.strip_prefix("##").unwrap_or(piece);
        let vector = row(number as u32);
        // Ends of words and other scripts get a row only if the corpus contains them: other English words are whole
        // pieces, and readers ask in the scripts of the site. Pieces of another vocabulary were selected by the same
        // rule.
        let wanted = is_taken || (bare.is_ascii() && bare == piece) || in_corpus.contains(&(number as u32));
        if wanted && !piece.is_empty() && vector.iter().any(|&x| x != 0.0) {
            rows.insert(piece.clone(), vector.to_vec());
        }
    }
    let mut own: Vec<(&String, u32)> = words.iter().map(|(word, &count)| (word, count)).collect();
    own.retain(|(word, count)| {
        *count >= OWN_WORD_COUNT && word.chars().count() <= OWN_WORD_CHARS && !rows.contains_key(*word)
    });
    own.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    for (word, _) in own.into_iter().take(OWN_WORDS) {
        let of_word = pieces.of_text(word);
        if !of_word.is_empty() && of_word.iter().all(|&piece| row(piece).iter().any(|&x| x != 0.0)) {
            rows.insert(word.clone(), sum_of_rows(&of_word, table, near));
        }
    }
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for text in texts {
        for word in words_of(&decomposed(text), normalizer) {
            if rows.contains_key(&word) {
                *counts.entry(word).or_default() += 1;
            }
        }
    }
    let mut by_count: Vec<(String, u32)> = counts.into_iter().collect();
    by_count.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut frequent: Vec<String> = by_count.into_iter().take(FREQUENT_TOKENS).map(|(word, _)| word).collect();
    frequent.sort();
    BundleEncoder {
        tokens: rows.keys().cloned().collect(),
        vectors: rows.into_values().flatten().collect(),
        frequent,
        normalizer,
        floors,
        is_general: false,
    }
}
