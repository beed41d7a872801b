//! The list by words: BM25F over the chunks with a term of the query.

use super::completion::completions;
use super::compounds::parts_of;
use super::dictionary::{find, term_blocks};
use super::found::Corrected;
use super::ranking::{RankedDocument, by_document};
use crate::analysis::{AS_WRITTEN, Analyzer, IN_CASE, QueryWord, plain, terms_of};
use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::lexical::bm25::{
    HEADING_WEIGHT, PATH_WEIGHT, TITLE_WEIGHT, WRITTEN_WEIGHT, body_weight, inverse_document_frequency, term_score,
};
use crate::lexical::list_head::rest_of;
use crate::lexical::postings::{self, Occurrences};
use crate::lexical::spelling::{self, Correction};
use crate::query_encoder;
use crate::reader::BundleReader;
use crate::records::ChunkMap;
use crate::search::query::scope::Scope;
use std::ops::Range;

/// The weight of a term that begins with the last word of the query.
const COMPLETION_WEIGHT: f32 = 0.6;
/// The weight of a term that begins with the last of several words, if the bundle has this word, which is then probably
/// complete.
const CONTINUATION_WEIGHT: f32 = 0.2;
/// The factor of a correction's weight for each mistake.
const MISTAKE_WEIGHT: f32 = 0.8;
/// The weight of a part of a compound, which says less than the whole compound.
const COMPOUND_WEIGHT: f32 = 0.8;
/// The factor of a chunk's score for each phrase of the query that the chunk contains.
const PHRASE_WEIGHT: f32 = 1.5;
/// The share of the next best chunk's score that is added to a document's score.
const SUPPORT: f32 = 0.1;
/// The divisor of a document's score grows by this each time that its number of chunks grows by a factor of e.
const LENGTH: f32 = 0.06;

/// Maximum number of words in a question whose mistyped words are corrected. In a longer question, a word that is on no
/// page is probably spelled correctly, and it is only one of many.
const MAX_RESPELLED: usize = 8;

/// A term to search for, and its weight.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WeightedTerm {
    /// A term of the dictionary.
    pub term: String,
    /// The factor of the term's score.
    pub weight: f32,
}

/// The terms for the words of a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resolved {
    /// The terms to search for.
    pub terms: Vec<WeightedTerm>,
    /// Words that the bundle does not have, and their corrections.
    pub corrections: Vec<Corrected>,
    /// For each word of the query, the term that the bundle has for it, if any.
    pub stands: Vec<Option<String>>,
}

/// The words and names to look up in a bundle's dictionary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookedUp<'a> {
    /// The words of the query.
    pub words: &'a [QueryWord],
    /// The rules of the language of these words.
    pub analyzer: &'a Analyzer,
    /// Names of documents, whose blocks are read with those of the words.
    pub names: &'a [String],
    /// Whether the reader is still typing.
    pub typing: bool,
    /// Whether to read the rest of long lists.
    pub whole: bool,
}

/// Returns the terms of this bundle for the words: the words and their parts, completions of the last word, and
/// corrections of mistyped words. Words of general English are not corrected. A last word that the bundle has is
/// completed only if the reader is still typing. Returns `None` if blocks are missing. All blocks that are needed so
/// far are added to `needed`.
pub(crate) fn resolve(
    reader: &BundleReader,
    LookedUp { words, analyzer, names, typing, whole }: LookedUp<'_>,
    needed: &mut SortedSet<BlockId>,
) -> Result<Option<Resolved>, FormatError> {
    let mut bring = |blocks: &SortedSet<BlockId>| reader.has_all(blocks, needed);
    let mut blocks = term_blocks(reader, terms_of(words).as_slice());
    blocks.extend(term_blocks(reader, names).into_vec());
    if !bring(&blocks) {
        return Ok(None);
    }
    let mut resolved = Resolved::default();
    let mut unknown: Vec<(usize, &str)> = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let mut known = None;
        for term in std::iter::once(&word.term).chain(&word.parts) {
            if find(reader, term)?.is_some() {
                known.get_or_insert_with(|| term.clone());
                add(&mut resolved.terms, term, 1.0);
            }
        }
        if word.is_last && (typing || known.is_none()) {
            let Some(completions) = completions(reader, &plain(&word.word), &mut bring)? else { return Ok(None) };
            // A single word is usually the beginning of another word.
            let is_whole = known.is_some() && words.len() > 1;
            let weight = if is_whole { CONTINUATION_WEIGHT } else { COMPLETION_WEIGHT };
            completions.iter().for_each(|term| add(&mut resolved.terms, term, weight));
            known = known.or_else(|| completions.first().cloned());
        }
        if known.is_none() {
            unknown.push((number, &word.word));
        }
        resolved.stands.push(known);
    }
    if analyzer.has_compounds() {
        let mut whole = Vec::with_capacity(unknown.len());
        for (number, word) in unknown {
            let Some(parts) = parts_of(reader, analyzer, word, &mut bring)? else { return Ok(None) };
            parts.iter().for_each(|part| add(&mut resolved.terms, part, COMPOUND_WEIGHT));
            match parts.last() {
                Some(part) => resolved.stands[number] = Some(part.clone()),
                None => whole.push((number, word)),
            }
        }
        unknown = whole;
    }
    if words.len() > MAX_RESPELLED {
        unknown.clear();
    }
    if reader.has_query_encoder() {
        let mut mistyped = Vec::with_capacity(unknown.len());
        let mut missing = SortedSet::default();
        for (number, word) in unknown {
            match query_encoder::is_english(word, reader.root(), |block| reader.get(Part::Tokens, block))? {
                Ok(true) => {}
                Ok(false) => mistyped.push((number, word)),
                Err(block) => drop(missing.insert(BlockId { part: Part::Tokens, block })),
            }
        }
        if !bring(&missing) {
            return Ok(None);
        }
        unknown = mistyped;
    }
    let blocks_of = |word: &str| spelling::blocks_of(&reader.root().spelling_keys, word);
    let spelling_blocks = |word: &&str| blocks_of(word).map(|block| BlockId { part: Part::Spelling, block });
    if !bring(&unknown.iter().map(|(_, word)| word).flat_map(spelling_blocks).collect()) {
        return Ok(None);
    }
    let mut corrected_terms = SortedSet::default();
    for (number, word) in unknown {
        let mut best: Option<Correction> = None;
        for block in blocks_of(word) {
            best = spelling::correct(word, reader.block(Part::Spelling, block)?, best)?;
        }
        if let Some(Correction { word: meant, mistakes, .. }) = best {
            let term = analyzer.term_of(&meant);
            add(&mut resolved.terms, &term, MISTAKE_WEIGHT.powi(mistakes as i32));
            resolved.stands[number] = Some(term.clone());
            corrected_terms.insert(term);
            // A word that another language of the bundle has was not mistyped.
            if mistakes > 0 {
                resolved.corrections.push(Corrected { word: word.to_owned(), meant });
            }
        }
    }
    let mut last = term_blocks(reader, corrected_terms.as_slice());
    if whole {
        let rests: Vec<String> = resolved.terms.iter().map(|weighted| rest_of(&weighted.term)).collect();
        last.extend(term_blocks(reader, &rests).into_vec());
    }
    Ok(bring(&last).then_some(resolved))
}

/// Adds a term. A term that belongs to several words counts once, with the highest weight.
fn add(terms: &mut Vec<WeightedTerm>, term: &str, weight: f32) {
    match terms.iter_mut().find(|known| known.term == term) {
        Some(known) => known.weight = known.weight.max(weight),
        None => terms.push(WeightedTerm { term: term.to_owned(), weight }),
    }
}

/// The statistics of BM25F over all texts that are searched together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statistics {
    chunks: u32,
    tokens: u64,
    /// The terms, each with the number of chunks that contain it.
    holding: Vec<(String, u32)>,
}

impl Statistics {
    /// Adds the statistics of a bundle. Its blocks of `terms` must be loaded.
    pub(crate) fn add<'a>(
        &mut self,
        reader: &BundleReader,
        terms: impl Iterator<Item = &'a WeightedTerm>,
    ) -> Result<(), FormatError> {
        self.chunks = self.chunks.saturating_add(reader.root().chunks);
        self.tokens = self.tokens.saturating_add(reader.root().tokens);
        for WeightedTerm { term, .. } in terms {
            let chunks = find(reader, term)?.map_or(0, |entry| entry.chunks);
            match self.holding.iter_mut().find(|(known, _)| known == term) {
                Some((_, holding)) => *holding = holding.saturating_add(chunks),
                None => self.holding.push((term.clone(), chunks)),
            }
        }
        Ok(())
    }

    fn holding(&self, term: &str) -> u32 {
        self.holding.iter().find(|(known, _)| known == term).map_or(0, |(_, chunks)| *chunks)
    }

    /// Returns the inverse document frequency of `term`.
    pub(crate) fn rarity(&self, term: &str) -> f32 {
        inverse_document_frequency(self.chunks, self.holding(term))
    }

    fn mean_length(&self) -> f32 {
        self.tokens as f32 / self.chunks.max(1) as f32
    }
}

/// Returns the BM25F score of every chunk, from the `whole` lists of terms or only from their heads. The score is 0 for
/// a chunk without any of the terms. `phrases` has the chunks that contain each phrase. The rarity of terms in the
/// headings of a chunk is added to `headed`. The map and the blocks of the terms must be loaded.
pub(crate) fn score_chunks(
    reader: &BundleReader,
    terms: &[WeightedTerm],
    whole: bool,
    phrases: &[Vec<u32>],
    statistics: &Statistics,
    headed: &mut [f32],
) -> Result<Vec<f32>, FormatError> {
    let (root, map) = (reader.root(), reader.map()?);
    let mut scores = vec![0.0f32; root.chunks as usize];
    let mut weights = vec![0.0f32; root.chunks as usize];
    for WeightedTerm { term, weight } in terms {
        let Some(entry) = find(reader, term)? else { continue };
        let idf = statistics.rarity(term) * weight;
        let rest = if whole { find(reader, &rest_of(term))? } else { None };
        let lists = [entry.postings, rest.map_or(&[], |rest| rest.postings)];
        let held = weigh(reader, map, lists, statistics.mean_length(), &mut weights, idf, headed)?;
        for chunk in held.into_iter().flatten() {
            // The weight is reset, so that a chunk in two ranges counts once.
            scores[chunk as usize] += term_score(idf, std::mem::take(&mut weights[chunk as usize]));
        }
    }
    phrases.iter().flatten().for_each(|&chunk| scores[chunk as usize] *= PHRASE_WEIGHT);
    Ok(scores)
}

/// Returns the documents in `scope` whose name is the question, with points: one if the title is one of `names`,
/// another if the title is written in the same way, and, in source code, a third if its case is the same. The name of
/// the file has the same points. The map and the blocks of `names` must be loaded.
pub(crate) fn named(reader: &BundleReader, names: &[String], scope: &Scope) -> Result<Vec<(u32, u8)>, FormatError> {
    let map = reader.map()?;
    // A bit for each kind of name and each way to write it, by document, because thousands of documents may have the
    // same name.
    let mut called = vec![0u8; map.documents()];
    for name in names {
        let Some(entry) = find(reader, name)? else { continue };
        let form = if name.ends_with(IN_CASE) { 4 } else { u8::from(name.ends_with(AS_WRITTEN)) * 2 };
        postings::for_each(entry.postings, reader.root().chunks, |chunk, occurrences| {
            let is = (occurrences.title.min(1) | occurrences.path.min(1) << 1) << form;
            called[map.document_of(chunk) as usize] |= is;
        })?;
    }
    let found = (0u32..).zip(called).filter(|&(document, is)| is != 0 && scope.admits(document));
    Ok(found.map(|(document, is)| (document, is.count_ones() as u8)).collect())
}

/// Ranks the documents in `scope` by the scores of their chunks, best first.
pub(crate) fn rank_words(map: &ChunkMap, scores: &[f32], scope: &Scope, depth: usize) -> Vec<RankedDocument> {
    let matching = scores.iter().zip(0u32..).filter(|(score, _)| **score > 0.0);
    let matching = matching.filter(|(_, chunk)| scope.is_everything() || scope.admits(map.document_of(*chunk)));
    let scored = matching.map(|(&score, chunk)| (chunk, score));
    by_document(map, scored, depth, |best, next, chunks| (best + SUPPORT * next) / (1.0 + LENGTH * libm::logf(chunks)))
}

/// Adds the weight of a term to each chunk that contains it and, if a heading of the chunk contains it, its rarity to
/// `headed`. Returns these chunks.
fn weigh(
    reader: &BundleReader,
    map: &ChunkMap,
    lists: [&[u8]; 2],
    mean_length: f32,
    weights: &mut [f32],
    rarity: f32,
    headed: &mut [f32],
) -> Result<Vec<Range<u32>>, FormatError> {
    let root = reader.root();
    let mut held = Vec::new();
    let mut note = |chunk: u32, found: Occurrences| {
        let body = body_weight(found.body, root.chunk_lengths[usize::from(found.length)], mean_length);
        let written = WRITTEN_WEIGHT * f32::from(u8::from(found.written));
        let headings = f32::from(found.headings);
        weights[chunk as usize] += body + HEADING_WEIGHT * headings + written;
        headed[chunk as usize] += rarity * headings;
        // Title and path belong to all chunks of the document, which begins here.
        let shared = TITLE_WEIGHT * f32::from(found.title) + PATH_WEIGHT * f32::from(found.path);
        if shared > 0.0 {
            let document = map.chunks_of(map.document_of(chunk));
            weights[document.start as usize..document.end as usize].iter_mut().for_each(|weight| *weight += shared);
            held.push(document);
        } else {
            held.push(chunk..chunk + 1);
        }
    };
    for list in lists {
        postings::for_each(list, root.chunks, &mut note)?;
    }
    Ok(held)
}
