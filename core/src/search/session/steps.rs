//! Runs one query from text to answer, in one bundle or several. A session requests the blocks that it needs, and
//! continues as far as the loaded blocks allow. Words and meaning advance at the same time, and the answer by words is
//! shown while meaning is loading.
//!
//! Several bundles are searched as one: the rarity of words, the length of texts and the place of a document in its
//! list are measured over all of them, so that scores can be compared. The bundles must have the same model.

use super::answer::{Answer, Cost, with_corrections};
use super::candidates::{Candidate, Choice, candidates, go_to_top, hit};
use super::fit::Measure;
use crate::analysis::{QueryWord, key_of};
use crate::collection::{SortedSet, best_first};
use crate::excerpt::Wanted;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::rank::{EncodedBy, Standards, relevance};
use crate::reader::BundleReader;
use crate::search::lists::bundle_lists::{Lists, ParsedQuery};
use crate::search::lists::ranking::RankedDocument;
use crate::search::lists::word_list::Statistics;
use crate::search::query::query_settings::{Mode, Query, QueryError, Sort, Tier};
use crate::search::query::scope::{self, Scope};

/// The next step of a session.
///
/// [`Session`] has an example.
#[derive(Debug)]
pub enum Advance {
    /// Blocks to provide with [`BundleReader::provide`], each with the number of its bundle. Advance again after
    /// providing any of them.
    Need(Vec<(usize, BlockId)>),
    /// A preliminary answer, to show until a better one comes. Advance again to continue.
    Preview(Box<Answer>),
    /// The answer.
    Done(Box<Answer>),
}

/// A running query.
///
/// ```
/// use nearfind_core::search::{Advance, Mode, Query, Session};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let query = Query { text: "undo commits".into(), mode: Mode::Words, limit: 10, ..Query::default() };
/// let mut session = Session::new(&[&reader], query)?;
/// let answer = loop {
///     match session.advance(&[&reader])? {
///         Advance::Done(answer) => break answer,
///         // `Query::previews` is false, so there are none.
///         Advance::Preview(_) => unreachable!(),
///         Advance::Need(blocks) => {
///             for (_, block) in blocks {
///                 reader.provide(block, stored(&bundle, &reader, block))?;
///             }
///         }
///     }
/// };
/// assert_eq!(answer.hits[0].document, "docs/undo.md");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Session {
    parsed: ParsedQuery,
    /// The key of the query's text, for comparison with titles and headings.
    key: String,
    /// The number of the order to sort by, and whether the largest value comes first.
    order: Option<(usize, bool)>,
    /// The lists, by bundle. `None` for a bundle without a document that can pass the filters.
    bundles: Vec<Option<Lists>>,
    /// The statistics of the query's terms over all bundles, once all bundles know them.
    statistics: Option<Statistics>,
    /// The blocks that the query reads, and those of them that were requested from the host.
    read: Needed,
    requested: Needed,
    rounds: u32,
    /// The hits by words alone and the final hits, which are kept because a session advances with every block.
    by_words: Option<Choosing>,
    shown: Option<Choosing>,
    /// The number of hits that the last preview showed.
    previewed: usize,
}

/// A document to show, with the number of its bundle.
type Shown = (usize, Candidate);

/// The documents to show, and how many fit.
#[derive(Debug)]
struct Choosing {
    shown: Vec<Shown>,
    found: usize,
}

/// The number of a bundle, its lists, the documents that may answer the query, and the lists that take part.
type BundleChoice<'a> = (usize, &'a Lists, &'a Scope, [Option<&'a [RankedDocument]>; 2]);

/// Blocks, by bundle.
type Needed = Vec<SortedSet<BlockId>>;

impl Session {
    /// Checks the query against the bundles. There must be at least one.
    pub fn new(readers: &[&BundleReader], query: Query) -> Result<Self, QueryError> {
        let parsed = ParsedQuery::new(query, readers)?;
        let mut bundles = Vec::with_capacity(readers.len());
        let mut refused = None;
        for reader in readers {
            match Lists::new(reader, &parsed) {
                Ok(lists) => bundles.push(Some(lists)),
                // Another bundle may have the property, the value or a query encoder.
                Err(
                    error @ (QueryError::UnknownFilter(_) | QueryError::UnknownValue { .. } | QueryError::NoVector),
                ) => {
                    bundles.push(None);
                    refused.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(error) = refused.filter(|_| bundles.iter().all(Option::is_none)) {
            return Err(error);
        }
        scope::check_values(readers, &parsed.query.filters)?;
        let order = parsed.query.sort.as_ref().map(|sort| order_of(readers, sort)).transpose()?;
        Ok(Self {
            key: key_of(&parsed.analyzer, &parsed.syntax().text),
            order,
            parsed,
            read: vec![SortedSet::default(); bundles.len()],
            requested: vec![SortedSet::default(); bundles.len()],
            bundles,
            statistics: None,
            rounds: 0,
            by_words: None,
            shown: None,
            previewed: 0,
        })
    }

    /// Continues without meaning, so that the results by words become the answer. This is meant for hosts that cannot
    /// load the data that meaning needs. Only a hybrid query can continue in this way. Returns whether this is
    /// possible.
    pub fn settle_for_words(&mut self) -> bool {
        let mut can = false;
        for lists in self.bundles.iter_mut().flatten() {
            can |= lists.settle_for_words();
        }
        if can {
            self.shown = None;
        }
        can
    }

    /// Continues as far as the loaded blocks of `readers` allow. Pass the readers that the session was created with.
    pub fn advance(&mut self, readers: &[&BundleReader]) -> Result<Advance, QueryError> {
        let mut needed = vec![SortedSet::default(); readers.len()];
        let mut all_resolved = true;
        for (number, (lists, reader)) in self.bundles.iter_mut().zip(readers).enumerate() {
            let Some(lists) = lists else { continue };
            all_resolved &= lists.resolve(reader, &self.parsed, &mut needed[number])?.is_done();
        }
        if all_resolved && self.statistics.is_none() {
            self.reconcile(readers);
            self.statistics = Some(self.count_terms(readers)?);
        }
        let (mut all_words, mut all_done) = (true, true);
        for (number, (lists, reader)) in self.bundles.iter_mut().zip(readers).enumerate() {
            let Some(lists) = lists else { continue };
            all_done &= lists.rank(reader, &self.parsed, self.statistics.as_ref(), &mut needed[number])?.is_done();
            all_words &= lists.both()[0].is_some();
        }
        if all_done {
            let mut choosing = match self.shown.take() {
                Some(shown) => shown,
                None => self.choose(readers, true)?,
            };
            let mut all_there = true;
            for (number, candidate) in &mut choosing.shown {
                let reader = readers[*number];
                if reader.has(reader.map()?.page_of(candidate.chunks[0]).0) {
                    go_to_top(reader, candidate, &self.parsed.analyzer, &self.key)?;
                }
                for &chunk in &candidate.chunks {
                    let page = reader.map()?.page_of(chunk).0;
                    all_there &= reader.has(page);
                    needed[*number].insert(page);
                }
            }
            if all_there {
                self.note_read(&needed);
                let answer = self.answer(readers, &choosing.shown, choosing.found)?;
                return Ok(Advance::Done(Box::new(answer)));
            }
            self.shown = Some(choosing);
        }
        if all_words
            && self.parsed.query.previews
            && let Some(preview) = self.preview(readers, all_done, &mut needed)?
        {
            return Ok(Advance::Preview(Box::new(preview)));
        }
        self.note_read(&needed);
        let mut missing = Vec::new();
        let mut is_new = false;
        for (number, blocks) in needed.iter().enumerate() {
            let unread = blocks.as_slice().iter().copied().filter(|&id| !readers[number].has(id));
            for &id in readers[number].known_first(unread)?.as_slice() {
                self.read[number].insert(id);
                is_new |= self.requested[number].insert(id);
                missing.push((number, id));
            }
        }
        self.rounds += u32::from(is_new);
        Ok(Advance::Need(missing))
    }

    /// Records which blocks the query reads.
    fn note_read(&mut self, needed: &Needed) {
        for (read, blocks) in self.read.iter_mut().zip(needed) {
            read.extend(blocks.as_slice().iter().copied());
        }
    }

    /// Reconciles the bundles: a word that one bundle has is not corrected in another, and if a bundle has a phrase,
    /// only bundles with the phrase answer the query.
    fn reconcile(&mut self, readers: &[&BundleReader]) {
        if readers.len() < 2 {
            return;
        }
        let is_known = |word: &&QueryWord| self.bundles.iter().flatten().any(|lists: &Lists| lists.has_word(word));
        let known: Vec<String> = self.parsed.words.iter().filter(is_known).map(|word| word.word.clone()).collect();
        let some_have_phrases = self.bundles.iter().flatten().any(|lists| !lists.phrases_are_missing());
        for (lists, reader) in self.bundles.iter_mut().zip(readers) {
            let Some(lists) = lists else { continue };
            lists.keep_corrections(&self.parsed.analyzer, |word| known.iter().any(|known| known == word));
            if some_have_phrases {
                lists.leave_to_others(reader);
            }
        }
    }

    fn count_terms(&self, readers: &[&BundleReader]) -> Result<Statistics, FormatError> {
        let mut statistics = Statistics::default();
        for (lists, reader) in self.bundles.iter().zip(readers) {
            let terms = lists.iter().filter_map(Lists::resolved).flat_map(|resolved| &resolved.terms);
            statistics.add(reader, terms)?;
        }
        Ok(statistics)
    }

    /// Returns the answer by words as far as its pages are loaded: first with its first hit, then with all hits.
    fn preview(
        &mut self,
        readers: &[&BundleReader],
        final_is_next: bool,
        needed: &mut Needed,
    ) -> Result<Option<Answer>, QueryError> {
        let Choosing { shown, found } = match self.by_words.take() {
            Some(shown) => shown,
            None => self.choose(readers, false)?,
        };
        let (mut there, mut all_before) = (0, true);
        for (number, candidate) in &shown {
            let reader = readers[*number];
            let page = reader.map()?.page_of(candidate.chunks[0]).0;
            all_before &= reader.has(page);
            there += usize::from(all_before);
            if !final_is_next {
                needed[*number].insert(page);
            }
        }
        let worth_showing = there > self.previewed && (self.previewed == 0 || there == shown.len());
        let answer = worth_showing.then(|| self.answer(readers, &shown[..there], found)).transpose()?;
        self.by_words = Some(Choosing { shown, found });
        Ok(answer.map(|answer| {
            self.previewed = there;
            Answer { mode: Mode::Words, tier: Tier::Words, ..answer }
        }))
    }

    /// Returns the documents to show, either fused or by words alone. Documents by words alone are for a preview, and
    /// have one passage each.
    fn choose(&self, readers: &[&BundleReader], with_meaning: bool) -> Result<Choosing, FormatError> {
        let everything = Scope::EVERYTHING;
        let mut choices: Vec<BundleChoice<'_>> = Vec::with_capacity(self.bundles.len());
        let mut total = 0;
        for (number, (lists, reader)) in self.bundles.iter().zip(readers).enumerate() {
            let Some(lists) = lists else { continue };
            let scope = lists.scope().unwrap_or(&everything);
            let [words, meaning] = lists.both();
            total += scope.len(reader.root().documents);
            choices.push((number, lists, scope, [words, meaning.filter(|_| with_meaning)]));
        }
        let scores = [0, 1].map(|list| {
            let ranked = choices.iter().filter_map(|(_, _, _, lists)| lists[list]);
            ranked.map(|ranked| ranked.iter().map(|ranked| ranked.score).collect()).collect()
        });
        let standards = Standards::of(scores, total);
        let weights = self.weights(readers, &choices, &standards, with_meaning);
        let mut shown: Vec<Shown> = Vec::new();
        let (mut found, mut best) = (0, 0.0f32);
        for &(number, of, scope, lists) in &choices {
            let choice = Choice {
                lists,
                chunk_scores: of.chunk_scores(with_meaning),
                named: of.named(),
                code: of.code(),
                scope,
                standards: &standards,
                weights,
                text: &self.parsed.syntax().text,
                limit: self.parsed.query.limit,
                passages: if with_meaning { self.parsed.query.passages } else { 1 },
                measure: self.measure(readers, number, with_meaning),
                unfit: self.parsed.query.unfit,
                order: self.order,
            };
            let candidates = candidates(readers[number], &choice)?;
            found += candidates.found;
            best = best.max(candidates.best);
            shown.extend(candidates.shown.into_iter().map(|candidate| (number, candidate)));
        }
        if choices.len() > 1 {
            let order = best_first(shown.iter().map(|(_, candidate)| candidate.order()));
            shown = order.into_iter().take(self.parsed.query.limit).map(|at| shown[at as usize].clone()).collect();
        }
        if best < 1.0 && !(self.parsed.query.unfit || self.parsed.query.nearest) {
            // Nothing fits in any of the bundles.
            shown.retain(|(_, candidate)| candidate.pinned);
            found = shown.len();
        }
        let fits: Vec<f32> = shown.iter().map(|(_, candidate)| candidate.why.fit).collect();
        let relevance = relevance(&fits);
        for ((_, candidate), relevance) in shown.iter_mut().zip(relevance) {
            candidate.relevance = relevance;
        }
        Ok(Choosing { shown, found })
    }

    /// Returns the weight of each list, by the share of the question that the best document by words contains.
    fn weights(
        &self,
        readers: &[&BundleReader],
        choices: &[BundleChoice<'_>],
        standards: &Standards,
        with_meaning: bool,
    ) -> [f32; 2] {
        // These are plain loops, because sorts and adapters for another type would make every page larger.
        let mut best: Option<(usize, RankedDocument)> = None;
        for (at, (.., lists)) in choices.iter().enumerate() {
            if let Some(&[first, ..]) = lists[0]
                && best.is_none_or(|(_, best)| first.score > best.score)
            {
                best = Some((at, first));
            }
        }
        let Some((at, best)) = best else { return [1.0; 2] };
        let (number, lists, _, [_, meaning]) = choices[at];
        let coverage = self.measure(readers, number, with_meaning).coverage(best.score);
        let mut agreement = None;
        for ranked in meaning.unwrap_or_default() {
            if ranked.document == best.document {
                agreement = Some(ranked.score);
            }
        }
        let by = match lists.tier {
            Tier::Table if readers[number].root().is_general => EncodedBy::GeneralTable,
            Tier::Table => EncodedBy::Table,
            Tier::Words | Tier::Model => EncodedBy::Model,
        };
        standards.weights(coverage, agreement, by, lists.is_name(&self.parsed))
    }

    /// Returns the measure of the documents of a bundle.
    fn measure(&self, readers: &[&BundleReader], number: usize, with_meaning: bool) -> Measure {
        let Some(lists) = &self.bundles[number] else { return Measure::default() };
        let tier = if with_meaning { lists.tier } else { Tier::Words };
        let statistics = self.statistics.as_ref();
        Measure::new(readers[number].root(), &self.parsed, lists.resolved(), statistics, tier)
    }

    fn answer(&self, readers: &[&BundleReader], shown: &[Shown], found: usize) -> Result<Answer, QueryError> {
        let mut terms: Vec<(String, f32)> = Vec::new();
        let statistics = self.statistics.as_ref();
        for shown in self.bundles.iter().flatten().flat_map(|lists| lists.shown_terms(&self.parsed, statistics)) {
            if terms.iter().all(|(term, _)| *term != shown.0) {
                terms.push(shown);
            }
        }
        let wanted = Wanted { terms: &terms, analyzer: &self.parsed.analyzer, key: &self.key };
        let mut hits = Vec::with_capacity(shown.len());
        for (number, candidate) in shown {
            hits.push(hit(readers[*number], *number, candidate, wanted, self.parsed.query.texts)?);
        }
        let mut answer = Answer {
            query: self.parsed.query.text.as_typed().to_owned(),
            mode: Mode::Words,
            tier: Tier::Words,
            corrections: Vec::new(),
            searched: None,
            missing_phrases: Vec::new(),
            language: self.language(readers),
            found,
            hits,
            filters: Vec::new(),
            cost: self.cost(readers)?,
            terms: terms.into_iter().map(|(term, _)| term).collect(),
        };
        for lists in self.bundles.iter().flatten() {
            answer.tier = answer.tier.max(lists.tier);
            answer.mode = if lists.mode == Mode::Words { answer.mode } else { lists.mode };
            for corrected in lists.resolved().into_iter().flat_map(|resolved| &resolved.corrections) {
                if !answer.corrections.contains(corrected) {
                    answer.corrections.push(corrected.clone());
                }
            }
            if lists.phrases_are_missing() && answer.missing_phrases.is_empty() {
                answer.missing_phrases =
                    self.parsed.syntax().phrases.iter().map(|phrase| phrase.text.clone()).collect();
            }
            crate::search::lists::filter_counts::add(&mut answer.filters, lists.counts());
        }
        answer.searched = with_corrections(&answer.query, &answer.corrections);
        Ok(answer)
    }

    /// Returns the language that the answer is limited to. It is the language of the first bundle with a language that
    /// matches the reader's.
    fn language(&self, readers: &[&BundleReader]) -> Option<String> {
        readers.iter().find_map(|reader| {
            let (facet, values) = scope::preferred_language(reader.root(), &self.parsed.query)?;
            reader.root().facets[facet].values.get(*values.first()? as usize).cloned()
        })
    }

    fn cost(&self, readers: &[&BundleReader]) -> Result<Cost, FormatError> {
        let mut by_part = [0u64; Part::ALL.len()];
        for (read, reader) in self.read.iter().zip(readers) {
            for &id in read.as_slice() {
                let place = reader.table(id.part)?.place(id.block);
                by_part[id.part.index()] += place.map_or(0, |place| u64::from(place.bytes));
            }
        }
        let bytes = Part::ALL.iter().map(|part| (part.name(), by_part[part.index()])).filter(|(_, bytes)| *bytes > 0);
        let mut cost = Cost { bytes: bytes.collect(), rounds: self.rounds, vectors: None };
        self.bundles.iter().flatten().for_each(|lists| cost.add_vectors(lists.vector_cost()));
        Ok(cost)
    }
}

/// Returns the number of an order of the bundle, and whether it is descending. With several bundles, returns an error,
/// because the places in their orders cannot be compared.
fn order_of(readers: &[&BundleReader], sort: &Sort) -> Result<(usize, bool), QueryError> {
    let found = match readers {
        [reader] => reader.root().orders.iter().position(|name| *name == sort.by),
        _ => None,
    };
    found.map(|order| (order, sort.descending)).ok_or_else(|| QueryError::UnknownOrder(sort.by.clone()))
}
