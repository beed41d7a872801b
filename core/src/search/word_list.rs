//! The list by words: BM25 over the chunks that hold a term of the query.

use super::ranking::Ranked;
use super::ranking::best_by_document;
use super::searcher::Searcher;
use crate::analysis::Analyzer;
use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::lexical::bm25::{inverse_document_frequency, term_score};
use crate::lexical::{postings, term_dictionary};

/// The terms of a query without its stop words; all of them if nothing else is left.
pub(super) fn query_terms(text: &str) -> SortedSet<String> {
    let tokens = Analyzer.tokens(text);
    let only_stop_words = tokens.iter().all(|token| token.is_stop_word);
    tokens.into_iter().filter(|token| only_stop_words || !token.is_stop_word).map(|token| token.term).collect()
}

/// The blocks that hold `terms`.
pub(super) fn term_blocks(searcher: &Searcher, terms: &SortedSet<String>) -> SortedSet<BlockId> {
    let separators = &searcher.root().term_separators;
    let blocks = terms.as_slice().iter().filter_map(|term| term_dictionary::block_of(separators, term));
    blocks.map(|block| BlockId { part: Part::Terms, block }).collect()
}

/// Documents by BM25 of their best chunk, best first. The blocks of the terms and the map were brought.
pub(super) fn rank_words(
    searcher: &Searcher,
    terms: &SortedSet<String>,
    depth: usize,
) -> Result<Vec<Ranked>, FormatError> {
    let (root, map) = (searcher.root(), searcher.map()?);
    let mean_length = root.tokens as f32 / root.chunks.max(1) as f32;
    let mut scores = vec![0.0f32; root.chunks as usize];
    for term in terms.as_slice() {
        let Some(block) = term_dictionary::block_of(&root.term_separators, term) else { continue };
        let Some(entry) = term_dictionary::find(searcher.block(Part::Terms, block)?, term)? else { continue };
        let weight = inverse_document_frequency(root.chunks, entry.chunks);
        postings::for_each(entry.postings, root.chunks, |chunk, frequency| {
            scores[chunk as usize] += term_score(weight, frequency, map.length_of(chunk), mean_length);
        })?;
    }
    let matching = scores.iter().zip(0u32..).filter(|(score, _)| **score > 0.0);
    Ok(best_by_document(map, matching.map(|(&score, chunk)| (chunk, score)), depth))
}
