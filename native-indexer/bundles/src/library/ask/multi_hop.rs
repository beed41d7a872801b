//! Finds documents that share words or meaning with a question's answers, but not with the question. The search goes
//! from the best documents to their neighbors in meaning, and again from the best documents of all, as long as the
//! reranker finds them relevant.

use super::reranked::{not_reranked, page_of};
use crate::library::ask::question::{FoundHit, Question, Reply};
use crate::library::ask::reranking::Reranking;
use crate::library::documents::path_filter::PathFilter;
use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::view::View;
use crate::library::open_library::Library;
use anyhow::Result;
use nearfind_core::search::Mode;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of documents to begin with: a number of result pages, and a maximum.
const FIRST_PAGES: usize = 3;
const MAX_FIRST: usize = 100;
/// Number of documents per round whose neighbors are added, and number of neighbors per document.
const BEST: usize = 5;
const NEIGHBOURS: usize = 20;
/// Limits on rounds, documents and time.
const ROUNDS: usize = 3;
const MAX_DOCUMENTS: usize = 500;
const MAX_TIME: Duration = Duration::from_secs(5);
/// Loss of relevance in a round that ends the search for neighbors: a document that loses this much was not among the
/// best.
const LARGEST_DROP: f32 = 0.15;
/// Relevance that all of the best documents need before their neighbors are worth following.
const LEAST_RELEVANCE: f32 = 0.3;

/// Identifies a document of a bundle.
type Place = (*const OpenBundle, u32);

fn place(found: &FoundHit) -> Place {
    (Arc::as_ptr(&found.bundle), found.hit.number)
}

fn relevance(found: &FoundHit) -> f32 {
    found.relevance.unwrap_or(0.0)
}

impl Library {
    /// Returns the documents for a question and for its answers. Without a reranker, or if it fails, it returns the
    /// documents for the question alone, and a notice with the reason.
    pub(crate) fn ask_in_hops(&self, view: &View, question: &Question) -> Result<Reply> {
        let started = Instant::now();
        let end = question.offset + question.limit;
        let mut reply = self.ask_deeper(view, question, (end * FIRST_PAGES).min(MAX_FIRST).max(end + 1))?;
        let Some(reranking) = &self.reranker else {
            reply.notices.push("a search in several hops needs a reranker: set one in [rerank]".to_owned());
            return Ok(page_of(reply, question));
        };
        let question = &question.as_searched(&reply);
        if let Err(error) = reranking.score(question, &mut reply.hits, &mut reply.notices) {
            reply.notices.push(not_reranked(&error));
            return Ok(page_of(reply, question));
        }
        self.follow(view, question, reranking, &mut reply, started)?;
        let count = reply.hits.len();
        reranking.put_in_order(&mut reply.hits, count);
        Ok(page_of(reply, question))
    }

    /// Adds the neighbors of the best documents of `reply`.
    fn follow(
        &self,
        view: &View,
        question: &Question,
        reranking: &Reranking,
        reply: &mut Reply,
        started: Instant,
    ) -> Result<()> {
        let hits = &mut reply.hits;
        let mut seen: HashSet<Place> = hits.iter().map(place).collect();
        for _ in 0..ROUNDS {
            let mut order: Vec<usize> = (0..hits.len()).collect();
            order.sort_by(|&a, &b| relevance(&hits[b]).total_cmp(&relevance(&hits[a])));
            order.truncate(BEST);
            let is_over = hits.len() >= MAX_DOCUMENTS || started.elapsed() >= MAX_TIME;
            if is_over || order.len() < BEST || relevance(&hits[order[BEST - 1]]) < LEAST_RELEVANCE {
                break;
            }
            let best: Vec<FoundHit> = order.iter().map(|&at| hits[at].clone()).collect();
            let mut found = self.neighbors(view, question, &best, &seen)?;
            found.truncate(MAX_DOCUMENTS - hits.len());
            if found.is_empty() {
                break;
            }
            seen.extend(found.iter().map(place));
            // The best documents are scored again, because a model that compares documents with each other may revise
            // their scores.
            let mut scored: Vec<FoundHit> = best.into_iter().chain(found).collect();
            if let Err(error) = reranking.score(question, &mut scored, &mut reply.notices) {
                reply.notices.push(format!("no further hops: {error:#}"));
                break;
            }
            let mut largest = 0.0f32;
            for (at, again) in order.into_iter().zip(scored.drain(..BEST)) {
                largest = largest.max(relevance(&hits[at]) - relevance(&again));
                hits[at].relevance = again.relevance;
            }
            hits.append(&mut scored);
            if largest >= LARGEST_DROP {
                break;
            }
        }
        Ok(())
    }

    /// Returns the neighbors of `best` that were not `seen`, as hits of the question.
    fn neighbors(
        &self,
        view: &View,
        question: &Question,
        best: &[FoundHit],
        seen: &HashSet<Place>,
    ) -> Result<Vec<FoundHit>> {
        let mut wanted: HashMap<Place, String> = HashMap::new();
        for found in best {
            for (number, _) in found.bundle.near(found.hit.number, Some(found.hit.chunk), NEIGHBOURS)? {
                let at = (Arc::as_ptr(&found.bundle), number);
                if !seen.contains(&at) && !wanted.contains_key(&at) {
                    wanted.insert(at, found.bundle.document(number)?.0.path);
                }
            }
        }
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let paths: BTreeSet<String> = wanted.values().cloned().collect();
        let among = PathFilter::of_paths(move |path| paths.contains(path));
        // The neighbors need not contain a word of the question.
        let path = among.and(question.path.clone());
        let of_paths = Question { mode: Mode::Hybrid, path: Some(path), unfit: true, ..question.clone() };
        let reply = self.ask_deeper(view, &of_paths, wanted.len() * 2)?;
        // Documents of other projects may have the same path.
        Ok(reply.hits.into_iter().filter(|found| wanted.contains_key(&place(found))).collect())
    }
}
