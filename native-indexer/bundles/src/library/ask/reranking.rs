//! Orders the best documents by words and meaning with a model that reads each of them together with the question.

use crate::library::ask::question::{FoundHit, Question};
use anyhow::Result;
use nearfind_core::rank::{Reranked, rerank};
use nearfind_models::provider::RerankSettings;
use nearfind_models::reranker::Reranker;

/// A reranker and its settings.
#[derive(Debug)]
pub(crate) struct Reranking {
    pub(crate) model: Box<dyn Reranker>,
    pub(crate) settings: RerankSettings,
}

impl Reranking {
    /// Sets the relevance of `hits` with the model. An error leaves them unchanged.
    pub(crate) fn score(&self, question: &Question, hits: &mut [FoundHit], notices: &mut Vec<String>) -> Result<()> {
        let query = question.text.meant();
        if query.trim().is_empty() || hits.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = hits.iter().map(|found| found.hit.text.as_deref().unwrap_or_default()).collect();
        let relevance = self.model.relevance(query, &texts)?;
        hits.iter_mut().zip(relevance.shares()).for_each(|(found, share)| found.relevance = share);
        notices.extend(relevance.warnings);
        Ok(())
    }

    /// Orders the first `count` documents by their relevance and their earlier scores: see [`rerank`].
    pub(crate) fn put_in_order(&self, hits: &mut Vec<FoundHit>, count: usize) {
        let document = |(place, found): (usize, &FoundHit)| Reranked {
            place,
            score: found.hit.score,
            pinned: found.hit.pinned,
            relevance: found.relevance,
        };
        let mut order: Vec<Reranked> = hits.iter().enumerate().map(document).collect();
        rerank(&mut order, count, self.settings.weight());
        let mut before: Vec<Option<FoundHit>> = hits.drain(..).map(Some).collect();
        hits.extend(order.into_iter().filter_map(|Reranked { place, score, .. }| {
            let mut found = before[place].take()?;
            found.hit.score = score;
            Some(found)
        }));
    }
}
