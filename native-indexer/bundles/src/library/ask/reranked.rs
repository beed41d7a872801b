//! Answers questions with a reranker that orders the best documents.

use crate::library::ask::question::{Question, Reply};
use crate::library::open::view::View;
use crate::library::open_library::Library;
use anyhow::Result;
use nearfind_core::search::Query;

impl Library {
    /// Finds as many documents as the reranker scores, and returns the requested documents in the order of these
    /// scores. If scoring fails, it keeps the order and adds a notice with the reason.
    pub(crate) fn ask_reranked(&self, view: &View, question: &Question) -> Result<Reply> {
        let Some(reranking) = &self.reranker else { return self.ask_anew(view, question) };
        let wanted = question.offset + question.limit;
        let depth = reranking.settings.candidates().max(wanted + usize::from(question.looks_further));
        let mut reply = self.ask_deeper(view, question, depth)?;
        let count = reranking.settings.candidates().min(reply.hits.len());
        match reranking.score(&question.as_searched(&reply), &mut reply.hits[..count], &mut reply.notices) {
            Ok(()) => reranking.put_in_order(&mut reply.hits, count),
            Err(error) => reply.notices.push(not_reranked(&error)),
        }
        Ok(page_of(reply, question))
    }

    /// Returns the first `depth` documents.
    pub(crate) fn ask_deeper(&self, view: &View, question: &Question, depth: usize) -> Result<Reply> {
        self.ask_anew(view, &Question { offset: 0, limit: depth.min(Query::MAX_LIMIT), ..question.clone() })
    }
}

/// Returns the notice that the order was kept.
pub(crate) fn not_reranked(error: &anyhow::Error) -> String {
    format!("not reranked: {error:#}")
}

/// Keeps only the requested page of the documents.
pub(crate) fn page_of(mut reply: Reply, question: &Question) -> Reply {
    let end = question.offset + question.limit;
    reply.has_more |= reply.hits.len() > end;
    reply.hits.truncate(end);
    reply.hits.drain(..question.offset.min(reply.hits.len()));
    reply
}
