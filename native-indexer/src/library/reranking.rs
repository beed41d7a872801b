//! The best by words and meaning, put in order by a model that reads them together with the question.

use super::question::{FoundHit, Question, Reply};
use super::{Library, View};
use crate::model::Reranker;
use crate::provider::RerankSettings;
use anyhow::Result;
use nearfind_core::rank::{Reranked, rerank};
use nearfind_core::search::Query;

/// A reranker, and how much it counts.
#[derive(Debug)]
pub(super) struct Reranking {
    pub(super) model: Box<dyn Reranker>,
    pub(super) settings: RerankSettings,
}

impl Library {
    /// Asks for as many documents as are to be scored, and gives those of the question in the order that the scores make. If
    /// there are none, in the order that they had, and says why.
    pub(super) fn ask_reranked(&self, view: &View, question: &Question) -> Result<Reply> {
        let Some(reranking) = &self.reranker else { return self.ask_anew(view, question) };
        let wanted = question.offset + question.limit;
        let depth = reranking.settings.candidates().max(wanted + usize::from(question.looks_further));
        let mut reply = self.ask_deeper(view, question, depth)?;
        let count = reranking.settings.candidates().min(reply.hits.len());
        match reranking.score(question, &mut reply.hits[..count], &mut reply.notices) {
            Ok(()) => reranking.put_in_order(&mut reply.hits, count),
            Err(error) => reply.notices.push(not_reranked(&error)),
        }
        Ok(page_of(reply, question))
    }

    /// The first `depth` documents.
    pub(super) fn ask_deeper(&self, view: &View, question: &Question, depth: usize) -> Result<Reply> {
        self.ask_anew(view, &Question { offset: 0, limit: depth.min(Query::MAX_LIMIT), ..question.clone() })
    }
}

/// What is told where the order is as it was.
pub(super) fn not_reranked(error: &anyhow::Error) -> String {
    format!("not reranked: {error:#}")
}

/// Those of all documents that were asked for.
pub(super) fn page_of(mut reply: Reply, question: &Question) -> Reply {
    let end = question.offset + question.limit;
    reply.has_more |= reply.hits.len() > end;
    reply.hits.truncate(end);
    reply.hits.drain(..question.offset.min(reply.hits.len()));
    reply
}

impl Reranking {
    /// Has the model say how relevant `hits` are. An error leaves them as they were.
    pub(super) fn score(&self, question: &Question, hits: &mut [FoundHit], notices: &mut Vec<String>) -> Result<()> {
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

    /// Puts the first `count` documents in the order of their relevance and of the scores that they had, see [`rerank`].
    pub(super) fn put_in_order(&self, hits: &mut Vec<FoundHit>, count: usize) {
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
