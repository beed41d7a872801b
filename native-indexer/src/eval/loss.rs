//! Measures the loss of a quantized model: compares it with the full model on the same texts.

use super::{JudgedQuery, means, score};
use anyhow::Result;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::progress::Progress;
use nearfind_core::embed::CrossEncoder;
use nearfind_indexing::source::SourceDocument;
use nearfind_models::embedding_cache::EmbeddingCache;
use nearfind_models::model::LoadedModel;
use nearfind_models::model::embed_all;
use nearfind_models::role::Role;
use rayon::prelude::*;
use serde::Serialize;

/// Number of words in a question.
const QUESTION_WORDS: usize = 8;

/// Agreement of two models.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// Number of compared texts.
    pub texts: usize,
    /// Mean cosine between the two vectors of a text.
    pub mean_cosine: f64,
    /// The lowest cosine.
    pub lowest_cosine: f64,
}

/// Compares the vectors that both models compute for `texts`.
pub fn vector_loss(full: &LoadedModel, quantized: &LoadedModel, texts: &[String], progress: Progress) -> Result<Loss> {
    let [full, quantized] =
        [vectors(full, Role::Passage, texts, progress)?, vectors(quantized, Role::Passage, texts, progress)?];
    let cosines: Vec<f64> = full.iter().zip(&quantized).map(|(a, b)| cosine(a, b)).collect();
    Ok(Loss {
        texts: texts.len(),
        mean_cosine: cosines.iter().sum::<f64>() / cosines.len().max(1) as f64,
        lowest_cosine: cosines.iter().copied().fold(1.0, f64::min),
    })
}

/// Returns the mean and the largest difference between the scores of two cross-encoders. The first words of each text
/// in `texts` are a question, which is scored with this text and with the next text. The larger of the two differences
/// counts.
pub fn score_loss(full: &CrossEncoder, quantized: &CrossEncoder, texts: &[String]) -> Result<(f64, f64)> {
    let others = texts.iter().skip(1).chain(texts.first());
    let pairs: Vec<(&String, &String)> = texts.iter().zip(others).collect();
    let difference = |(own, other): &(&String, &String)| -> Result<f64> {
        let question = own.split_whitespace().take(QUESTION_WORDS).collect::<Vec<_>>().join(" ");
        let scores = |model: &CrossEncoder| model.scores(&question, &[own, other]);
        let (a, b) = (scores(full)?, scores(quantized)?);
        Ok(a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max))
    };
    let differences = pairs.par_iter().map(difference).collect::<Result<Vec<f64>>>()?;
    let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
    Ok((mean, differences.into_iter().fold(0.0, f64::max)))
}

/// Returns the mean nDCG@10 of search with only a model. Every document is one text, and all documents are compared
/// with every query.
pub fn search_quality(
    model: &LoadedModel,
    documents: &[SourceDocument],
    queries: &[JudgedQuery],
    progress: Progress,
) -> Result<f64> {
    let text = |document: &SourceDocument| format!("{} {}", document.extracted.title, document.extracted.text);
    let texts: Vec<String> = documents.iter().map(text).collect();
    let questions: Vec<String> = queries.iter().map(|query| query.text.clone()).collect();
    let passages = vectors(model, Role::Passage, &texts, progress)?;
    let questions = vectors(model, Role::Query, &questions, progress)?;
    let scores: Vec<_> = queries
        .par_iter()
        .zip(&questions)
        .map(|(query, question)| {
            let mut ranked: Vec<(f64, usize)> =
                passages.iter().enumerate().map(|(number, passage)| (cosine(question, passage), number)).collect();
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let ranked: Vec<String> =
                ranked.iter().take(100).map(|(_, number)| documents[*number].path.clone()).collect();
            score(query, &ranked)
        })
        .collect();
    Ok(means(&scores).mean.ndcg_at_10)
}

fn vectors(model: &LoadedModel, role: Role, texts: &[String], progress: Progress) -> Result<Vec<Vec<f32>>> {
    let mut unkept = EmbeddingCache::open(&CacheFolder::none(), model.hash(), model.dimensions())?;
    let bar = progress.bar(model.name(), texts.len() as u64);
    let (flat, _) = embed_all(model, role, texts, &mut unkept, &bar, progress)?;
    bar.finish();
    Ok(flat.chunks_exact(model.dimensions()).map(<[f32]>::to_vec).collect())
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
