//! One query from text to answer. A session names the blocks that it needs and goes as far as those that are there
//! allow: words and meaning advance side by side, and the list by words is shown while meaning is still on its way.

use super::answer::{Answer, Corrected, Cost, VectorCost};
use super::candidates::{Candidate, Choice, candidates, hit};
use super::filter_counts::{CountedScopes, FilterCounts};
use super::meaning_list::{self, cell_cosines, promising};
use super::method::VectorMethod;
use super::phrases::chunks_with;
use super::query::{Filter, Mode, Query, QueryError, Reach, Tier, beginning};
use super::query_syntax::{Phrase, QuerySyntax};
use super::query_words::{QueryWord, query_words, terms_of};
use super::ranking::Ranked;
use super::scope::{self, Scope};
use super::searcher::Searcher;
use super::word_list::{Resolved, rank_words, resolve, score_chunks};
use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::query_encoder::{self, Encoded};
use crate::rank::LIST_DOCUMENTS;
use crate::records::ChunkMap;
use crate::vector::query_codes::QueryCodes;

/// What a session wants, or what it found.
#[derive(Debug)]
pub enum Progress {
    /// Blocks to bring with [`Searcher::provide`]. Advancing again is worth while after any of them.
    Need(Vec<BlockId>),
    /// An answer by less than was asked for, to be shown until a better one comes. Advancing again goes on.
    Preview(Box<Answer>),
    /// The answer.
    Done(Box<Answer>),
}

/// One query on its way.
#[derive(Debug)]
pub struct Session {
    query: Query,
    mode: Mode,
    tier: Tier,
    depth: usize,
    syntax: QuerySyntax,
    query_words: Vec<QueryWord>,
    /// Which documents may answer, once that is known.
    scope: Option<Scope>,
    /// The scopes without one filter, where documents are counted.
    without: Vec<(String, Scope)>,
    counts: Vec<FilterCounts>,
    /// The chunks that hold each phrase that an answer must have.
    phrases: Vec<Vec<u32>>,
    /// Whether no document has all phrases, so that none is asked for.
    phrases_are_missing: bool,
    /// What stands for them in the bundle, once that is known.
    resolved: Option<Resolved>,
    encoder_words: Vec<String>,
    /// Blocks that the query reads, and those of them that were asked for.
    touched: SortedSet<BlockId>,
    asked: SortedSet<BlockId>,
    rounds: u32,
    words: Option<Vec<Ranked>>,
    vector: Option<QueryCodes>,
    near: Option<Near>,
    meaning: Option<Vec<Ranked>>,
    vector_cost: Option<VectorCost>,
    /// What is shown by words alone, and what is shown in the end: kept, as a session advances with every block.
    by_words: Option<Vec<Candidate>>,
    shown: Option<Vec<Candidate>>,
    /// Hits of the preview that were shown already.
    previewed: usize,
}

/// The first level of a near search.
#[derive(Debug)]
struct Near {
    cosines: Vec<f32>,
    promising: SortedSet<u32>,
}

impl Session {
    /// Checks the query and picks its terms.
    pub fn new(searcher: &Searcher, query: Query) -> Result<Self, QueryError> {
        if query.text.trim().is_empty() {
            return Err(QueryError::Empty);
        }
        if !(1..=Query::MAX_LIMIT).contains(&query.limit) {
            return Err(QueryError::Limit(query.limit));
        }
        scope::check(searcher.root(), &query.filters)?;
        let dimensions = searcher.root().vectors.dimensions;
        if let Some(vector) = &query.vector
            && vector.len() != dimensions as usize
        {
            return Err(QueryError::Dimensions { expected: dimensions, got: vector.len() });
        }
        let tier = match (query.mode, &query.vector) {
            (Mode::Words, _) => Tier::Words,
            (_, Some(_)) => Tier::Model,
            (_, None) if searcher.has_query_encoder() => Tier::Table,
            (Mode::Meaning, None) => return Err(QueryError::NoVector),
            (Mode::Hybrid, None) => Tier::Words,
        };
        let encoder_words = if tier == Tier::Table {
            let decomposed = query.decomposed.as_ref().unwrap_or(&query.text);
            query_encoder::words_of(&Query::meant(decomposed), searcher.root().normalizer)
        } else {
            Vec::new()
        };
        let syntax = QuerySyntax::of(beginning(&query.text));
        Ok(Self {
            mode: if tier == Tier::Words { Mode::Words } else { query.mode },
            tier,
            depth: query.limit.max(LIST_DOCUMENTS),
            query_words: query_words(&syntax.text),
            syntax,
            scope: None,
            without: Vec::new(),
            counts: Vec::new(),
            phrases: Vec::new(),
            phrases_are_missing: false,
            resolved: None,
            encoder_words,
            query,
            touched: SortedSet::default(),
            asked: SortedSet::default(),
            rounds: 0,
            words: None,
            vector: None,
            near: None,
            meaning: None,
            vector_cost: None,
            by_words: None,
            shown: None,
            previewed: 0,
        })
    }

    /// Goes on without meaning: what the words find becomes the answer. For hosts that cannot get what meaning needs.
    /// Only a hybrid query can; whether this is one.
    pub fn settle_for_words(&mut self) -> bool {
        let can = self.mode == Mode::Hybrid;
        if can {
            (self.mode, self.tier) = (Mode::Words, Tier::Words);
            self.shown = None;
        }
        can
    }

    /// Goes as far as the blocks that `searcher` has allow.
    pub fn advance(&mut self, searcher: &Searcher) -> Result<Progress, QueryError> {
        let mut needed = SortedSet::default();
        needed.insert(BlockId { part: Part::Map, block: 0 });
        let map_is_there = searcher.has(BlockId { part: Part::Map, block: 0 });
        if self.uses_words() && self.resolved.is_none() {
            self.resolved = resolve(searcher, &self.query_words, self.query.typing, &mut needed)?;
            self.touched.extend(needed.as_slice().iter().copied());
            self.correct_encoder_words();
        }
        if self.scope.is_none() {
            self.find_scope(searcher, map_is_there, &mut needed)?;
        }
        if self.words.is_none()
            && let (Some(resolved), Some(scope), true) = (&self.resolved, &self.scope, map_is_there)
        {
            let (map, scores) = (searcher.map()?, score_chunks(searcher, &resolved.terms, &self.phrases)?);
            self.words = Some(rank_words(map, &scores, scope, self.depth));
            if self.query.counts {
                self.counts = self.count(searcher, map, &scores);
            }
        }
        if self.uses_meaning() {
            self.advance_meaning(searcher, map_is_there, &mut needed)?;
        }
        let words_are_done = !self.uses_words() || self.words.is_some();
        let meaning_is_done = !self.uses_meaning() || self.meaning.is_some();
        if words_are_done && meaning_is_done {
            let candidates = match self.shown.take() {
                Some(candidates) => candidates,
                None => self.candidates(searcher, true)?,
            };
            let map = searcher.map()?;
            let chunks = candidates.iter().flat_map(|candidate| &candidate.chunks);
            let pages: Vec<BlockId> = chunks.map(|&chunk| map.page_of(chunk).0).collect();
            needed.extend(pages.iter().copied());
            if pages.iter().all(|&id| searcher.has(id)) {
                self.touched.extend(needed.as_slice().iter().copied());
                let answer = self.answer(searcher, &candidates)?;
                return Ok(Progress::Done(Box::new(answer)));
            }
            self.shown = Some(candidates);
        }
        if self.words.is_some()
            && self.query.previews
            && let Some(preview) = self.preview(searcher, words_are_done && meaning_is_done, &mut needed)?
        {
            return Ok(Progress::Preview(Box::new(preview)));
        }
        self.touched.extend(needed.as_slice().iter().copied());
        needed.retain(|&id| !searcher.has(id));
        if needed.as_slice().iter().any(|id| !self.asked.contains(id)) {
            self.rounds += 1;
        }
        self.asked.extend(needed.as_slice().iter().copied());
        Ok(Progress::Need(needed.into_vec()))
    }

    /// Finds which documents may answer, as far as the blocks that are there allow.
    fn find_scope(
        &mut self,
        searcher: &Searcher,
        map_is_there: bool,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<(), FormatError> {
        let mut chunks_of = |phrases: &[Phrase]| -> Result<Option<Vec<Vec<u32>>>, FormatError> {
            let lists: Vec<_> =
                phrases.iter().map(|phrase| chunks_with(searcher, phrase, needed)).collect::<Result<_, _>>()?;
            Ok(lists.into_iter().collect())
        };
        let (phrases, excluded) = (chunks_of(&self.syntax.phrases)?, chunks_of(&self.syntax.excluded)?);
        let mut catalog_is_there = true;
        if self.query.filters.iter().any(scope::is_by_catalog) {
            catalog_is_there = searcher.catalog_blocks().all(|id| searcher.has(id));
            needed.extend(searcher.catalog_blocks());
        }
        let (Some(phrases), Some(excluded), true) = (phrases, excluded, map_is_there && catalog_is_there) else {
            return Ok(());
        };
        let map = searcher.map()?;
        let of_filters = |except: Option<&str>| -> Result<Scope, FormatError> {
            let mut scope = Scope::of_filters(searcher, map, &self.query, except)?;
            scope.exclude(searcher, map, &excluded);
            Ok(scope)
        };
        let mut scope = of_filters(None)?;
        let has_phrases = scope.require(searcher, map, &phrases);
        if self.query.counts {
            for Filter { name, .. } in &self.query.filters {
                let mut without = of_filters(Some(name))?;
                if has_phrases {
                    without.require(searcher, map, &phrases);
                }
                self.without.push((name.clone(), without));
            }
        }
        if has_phrases {
            self.phrases = phrases;
        } else {
            self.phrases_are_missing = true;
        }
        self.scope = Some(scope);
        Ok(())
    }

    /// The documents with a word, by the values of the bundle's filters.
    fn count(&mut self, searcher: &Searcher, map: &ChunkMap, scores: &[f32]) -> Vec<FilterCounts> {
        let mut matches = vec![false; map.documents()];
        let matching = (0u32..).zip(scores).filter(|(_, score)| **score > 0.0);
        matching.for_each(|(chunk, _)| matches[map.document_of(chunk) as usize] = true);
        let scopes =
            CountedScopes { scope: self.scope.clone().unwrap_or_default(), without: std::mem::take(&mut self.without) };
        scopes.count(searcher, map, &matches)
    }

    /// What is a mistake for the list by words is one for the query encoder too.
    fn correct_encoder_words(&mut self) {
        for Corrected { word, meant } in self.resolved.iter().flat_map(|resolved| &resolved.corrections) {
            let mistaken = self.encoder_words.iter_mut().filter(|known| *known == word);
            mistaken.for_each(|known| known.clone_from(meant));
        }
    }

    const fn uses_words(&self) -> bool {
        !matches!(self.mode, Mode::Meaning)
    }

    const fn uses_meaning(&self) -> bool {
        !matches!(self.mode, Mode::Words)
    }

    /// Encodes the query and ranks by meaning, as far as the blocks that are there allow.
    fn advance_meaning(
        &mut self,
        searcher: &Searcher,
        map_is_there: bool,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<(), QueryError> {
        let near = self.query.reach == Reach::Near;
        if near {
            needed.insert(BlockId { part: Part::Cells, block: 0 });
        }
        if self.vector.is_none() {
            self.encode(searcher, needed)?;
        }
        let (Some(vector), Some(scope)) = (&self.vector, &self.scope) else { return Ok(()) };
        if !map_is_there || self.meaning.is_some() {
            return Ok(());
        }
        let is_there = |blocks: &[BlockId]| blocks.iter().all(|&id| searcher.has(id));
        if !near {
            let blocks = meaning_list::full_blocks(searcher, self.depth, scope)?;
            if is_there(&blocks) {
                let (ranked, method, compared) = meaning_list::rank_full(searcher, vector, self.depth, scope)?;
                self.vector_cost = Some(VectorCost { method, compared });
                self.meaning = Some(ranked);
            }
            needed.extend(blocks);
            return Ok(());
        }
        // The chunks of what words found are compared too, so words come first.
        let words_are_done = !self.uses_words() || self.words.is_some();
        if self.near.is_none() && words_are_done && searcher.has(BlockId { part: Part::Cells, block: 0 }) {
            let cosines = cell_cosines(searcher, vector)?;
            let promising = promising(&cosines, self.words.as_deref().unwrap_or_default(), scope);
            self.near = Some(Near { cosines, promising });
        }
        if let Some(Near { cosines, promising }) = &self.near {
            let blocks: Vec<BlockId> = meaning_list::code_blocks(promising).collect();
            if is_there(&blocks) {
                let (ranked, compared) = meaning_list::rank_near(searcher, vector, cosines, promising, scope)?;
                self.vector_cost = Some(VectorCost { method: VectorMethod::Cells, compared });
                self.meaning = Some(ranked);
            }
            needed.extend(blocks);
        }
        Ok(())
    }

    /// Makes the query's codes: of the model's vector, or by the table.
    fn encode(&mut self, searcher: &Searcher, needed: &mut SortedSet<BlockId>) -> Result<(), QueryError> {
        let root = searcher.root();
        if let Some(vector) = &self.query.vector {
            let rotation = BlockId { part: Part::Rotation, block: 0 };
            needed.insert(rotation);
            if searcher.has(rotation) {
                self.vector = Some(QueryCodes::new(&searcher.rotation()?.apply(vector)));
            }
            return Ok(());
        }
        // Concluded when it is known which words are mistyped, whatever order blocks come in.
        let words_are_known = !self.uses_words() || self.resolved.is_some();
        match query_encoder::encode(&self.encoder_words, root, |block| searcher.get(Part::Tokens, block))? {
            Encoded::Need(blocks) => {
                needed.extend(blocks.into_iter().map(|block| BlockId { part: Part::Tokens, block }));
            }
            _ if !words_are_known => {}
            Encoded::Vector(mut near) => {
                near.resize(root.vectors.dimensions as usize, 0.0);
                self.vector = Some(QueryCodes::new(&near));
            }
            Encoded::Nothing => {
                self.settle_for_words();
                // Meaning alone of unknown words: nothing is near.
                self.meaning = Some(Vec::new());
            }
        }
        Ok(())
    }

    /// The answer by words, as far as its pages are there: first with its first hit, then whole.
    fn preview(
        &mut self,
        searcher: &Searcher,
        final_is_next: bool,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<Option<Answer>, QueryError> {
        let candidates = match self.by_words.take() {
            Some(candidates) => candidates,
            None => self.candidates(searcher, false)?,
        };
        let map = searcher.map()?;
        let pages: Vec<BlockId> = candidates.iter().map(|candidate| map.page_of(candidate.chunks[0]).0).collect();
        if !final_is_next {
            needed.extend(pages.iter().copied());
        }
        let there = pages.iter().take_while(|&&id| searcher.has(id)).count();
        let worth_showing = there > self.previewed && (self.previewed == 0 || there == pages.len());
        let answer = worth_showing.then(|| self.answer(searcher, &candidates[..there])).transpose()?;
        self.by_words = Some(candidates);
        Ok(answer.map(|answer| {
            self.previewed = there;
            Answer { mode: Mode::Words, tier: Tier::Words, ..answer }
        }))
    }

    /// The documents to show: fused, or by words alone, which a preview shows by one passage.
    fn candidates(&self, searcher: &Searcher, with_meaning: bool) -> Result<Vec<Candidate>, FormatError> {
        let meaning = self.meaning.as_deref().filter(|_| with_meaning && self.uses_meaning());
        let choice = Choice {
            lists: [self.words.as_deref(), meaning],
            scope: self.scope.as_ref().unwrap_or(&Scope::EVERYTHING),
            text: &self.syntax.text,
            limit: self.query.limit,
            passages: if with_meaning { self.query.passages } else { 1 },
        };
        candidates(searcher, &choice)
    }

    fn answer(&self, searcher: &Searcher, candidates: &[Candidate]) -> Result<Answer, QueryError> {
        let terms = self.shown_terms();
        let hits = candidates.iter().map(|candidate| hit(searcher, candidate, &terms)).collect::<Result<_, _>>()?;
        let mut by_part = [0u64; Part::ALL.len()];
        for &id in self.touched.as_slice() {
            let place = searcher.table(id.part)?.place(id.block);
            by_part[id.part.index()] += place.map_or(0, |place| u64::from(place.bytes));
        }
        let bytes = Part::ALL.iter().map(|part| (part.name(), by_part[part.index()])).filter(|(_, bytes)| *bytes > 0);
        Ok(Answer {
            query: self.query.text.clone(),
            mode: self.mode,
            tier: self.tier,
            corrections: self.resolved.iter().flat_map(|resolved| resolved.corrections.iter().cloned()).collect(),
            missing_phrases: if self.phrases_are_missing {
                self.syntax.phrases.iter().map(|phrase| phrase.text.clone()).collect()
            } else {
                Vec::new()
            },
            hits,
            filters: self.counts.clone(),
            cost: Cost { bytes: bytes.collect(), rounds: self.rounds, vectors: self.vector_cost },
            terms,
        })
    }

    /// The terms that excerpts show: without words those of the query as it is.
    fn shown_terms(&self) -> Vec<String> {
        match &self.resolved {
            Some(resolved) => resolved.terms.iter().map(|weighted| weighted.term.clone()).collect(),
            None => terms_of(&self.query_words).into_vec(),
        }
    }
}
