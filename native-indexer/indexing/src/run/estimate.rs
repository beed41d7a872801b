//! Estimates what a run would send to a provider, before it sends anything.

use super::corpus::Chunked;
use anyhow::{Result, ensure};
use nearfind_base::progress::Progress;
use nearfind_models::distil;
use nearfind_models::embedding_cache::EmbeddingCache;
use nearfind_models::model::LoadedModel;
use nearfind_models::model::missing;
use nearfind_models::role::Role;
use rayon::prelude::*;
use serde::Serialize;

/// A number of texts and their tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// Number of texts that are not in the cache yet.
    pub texts: usize,
    /// Number of tokens in these texts, as counted by the query encoder's tokenizer. The provider's tokenizer may count
    /// differently.
    pub tokens: u64,
}

/// The amount of text that a provider would embed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Name of the model at the provider.
    pub model: String,
    /// Passages from documents.
    pub passages: Amount,
    /// Texts that the query encoder is fitted to: questions about these documents and, once per model, word pieces and
    /// general English.
    pub query_encoder: Amount,
    /// Maximum number of tokens that one run may send.
    pub budget_tokens: u64,
}

impl Estimate {
    /// Estimates the texts that are missing for `chunked`, and for fitting a query encoder if `query_encoder` is set.
    pub(super) fn of(
        model: &LoadedModel,
        chunked: &Chunked,
        known: &EmbeddingCache,
        query_encoder: bool,
        budget_tokens: u64,
        progress: Progress,
    ) -> Result<Self> {
        let missing_of = |role: Role, texts: &[String]| {
            let numbers = missing(model, role, texts, known);
            let tokenizer = model.encoder.tokenizer();
            let tokens = numbers.par_iter().map(|&text| tokenizer.count(&texts[text]) as u64).sum();
            Amount { texts: numbers.len(), tokens }
        };
        let mut passages = Amount::default();
        chunked.texts_of_projects().iter().for_each(|texts| passages.add(missing_of(Role::Passage, texts)));
        let mut of_encoder = Amount::default();
        if query_encoder {
            for texts in distil::texts_of_provider(model, &chunked.documents, progress)? {
                of_encoder.add(missing_of(Role::Query, &texts));
            }
        }
        Ok(Self { model: model.name().to_owned(), passages, query_encoder: of_encoder, budget_tokens })
    }

    /// Returns the total number of tokens.
    pub const fn tokens(&self) -> u64 {
        self.passages.tokens + self.query_encoder.tokens
    }

    /// Describes the estimate on one line.
    pub fn line(&self) -> String {
        format!(
            "{} will embed {} passages (about {} tokens), and {} texts for the query encoder (about {} tokens)",
            self.model, self.passages.texts, self.passages.tokens, self.query_encoder.texts, self.query_encoder.tokens
        )
    }

    /// Returns an error if the estimate exceeds the budget.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(
            self.tokens() <= self.budget_tokens,
            "{}: this is more than budget_tokens = {} in [embedding]; raise it, index less, or leave out the query encoder. Nothing was sent",
            self.line(),
            self.budget_tokens
        );
        Ok(())
    }
}

impl Amount {
    const fn add(&mut self, other: Self) {
        self.texts += other.texts;
        self.tokens += other.tokens;
    }
}
