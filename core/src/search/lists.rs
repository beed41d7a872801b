//! The two lists of one bundle, by words and by meaning, as far as the blocks that are there allow. What bundles that are
//! asked together must agree on, [`Session`](super::Session) finds between the steps.

use super::answer::{Corrected, VectorCost};
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
use super::word_list::{Resolved, Statistics, rank_words, resolve, score_chunks};
use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::query_encoder::{self, Encoded};
use crate::rank::LIST_DOCUMENTS;
use crate::records::ChunkMap;
use crate::vector::query_codes::QueryCodes;

/// A query and what its text says, whatever bundle is asked.
#[derive(Debug)]
pub(super) struct Asked {
    pub query: Query,
    pub syntax: QuerySyntax,
    pub words: Vec<QueryWord>,
    /// Documents of a list.
    pub depth: usize,
}

impl Asked {
    /// Checks what can be checked without a bundle.
    pub(super) fn new(query: Query) -> Result<Self, QueryError> {
        if query.text.trim().is_empty() {
            return Err(QueryError::Empty);
        }
        if !(1..=Query::MAX_LIMIT).contains(&query.limit) {
            return Err(QueryError::Limit(query.limit));
        }
        let syntax = QuerySyntax::of(beginning(&query.text));
        let words = query_words(&syntax.text);
        Ok(Self { depth: query.limit.max(LIST_DOCUMENTS), words, syntax, query })
    }
}

/// The lists of one bundle on their way.
#[derive(Debug)]
pub(super) struct Lists {
    pub mode: Mode,
    pub tier: Tier,
    /// Which documents may answer, once that is known.
    pub scope: Option<Scope>,
    /// The scopes without one filter, where documents are counted.
    without: Vec<(String, Scope)>,
    pub counts: Vec<FilterCounts>,
    /// The chunks that hold each phrase that an answer must have.
    phrases: Vec<Vec<u32>>,
    /// Whether no document has all phrases, so that none is asked for.
    pub phrases_are_missing: bool,
    /// What stands for the words in the bundle, once that is known.
    pub resolved: Option<Resolved>,
    encoder_words: Vec<String>,
    pub words: Option<Vec<Ranked>>,
    vector: Option<QueryCodes>,
    near: Option<Near>,
    pub meaning: Option<Vec<Ranked>>,
    pub vector_cost: Option<VectorCost>,
}

/// The first level of a near search.
#[derive(Debug)]
struct Near {
    cosines: Vec<f32>,
    promising: SortedSet<u32>,
}

impl Lists {
    /// Checks the query against the bundle.
    pub(super) fn new(searcher: &Searcher, asked: &Asked) -> Result<Self, QueryError> {
        let query = &asked.query;
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
        Ok(Self {
            mode: if tier == Tier::Words { Mode::Words } else { query.mode },
            tier,
            scope: None,
            without: Vec::new(),
            counts: Vec::new(),
            phrases: Vec::new(),
            phrases_are_missing: false,
            resolved: None,
            encoder_words,
            words: None,
            vector: None,
            near: None,
            meaning: None,
            vector_cost: None,
        })
    }

    /// Goes on without meaning; whether it can.
    pub(super) fn settle_for_words(&mut self) -> bool {
        let can = self.mode == Mode::Hybrid;
        if can {
            (self.mode, self.tier) = (Mode::Words, Tier::Words);
        }
        can
    }

    /// Finds the terms and the documents that are asked for. Whether they are known, and the map is there.
    pub(super) fn resolve(
        &mut self,
        searcher: &Searcher,
        asked: &Asked,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<bool, FormatError> {
        let map = BlockId { part: Part::Map, block: 0 };
        needed.insert(map);
        if self.uses_words() && self.resolved.is_none() {
            self.resolved = resolve(searcher, &asked.words, asked.query.typing, needed)?;
            self.correct_encoder_words();
        }
        if self.scope.is_none() {
            self.find_scope(searcher, asked, searcher.has(map), needed)?;
        }
        Ok((!self.uses_words() || self.resolved.is_some()) && self.scope.is_some())
    }

    /// Ranks by words once the `statistics` of all bundles are known, and by meaning. Whether both lists are done.
    pub(super) fn rank(
        &mut self,
        searcher: &Searcher,
        asked: &Asked,
        statistics: Option<&Statistics>,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<bool, QueryError> {
        if self.words.is_none()
            && let (Some(resolved), Some(scope), Some(statistics)) = (&self.resolved, &self.scope, statistics)
        {
            let map = searcher.map()?;
            let scores = score_chunks(searcher, &resolved.terms, &self.phrases, statistics)?;
            self.words = Some(rank_words(map, &scores, scope, asked.depth));
            if asked.query.counts {
                self.counts = self.count(searcher, map, &scores);
            }
        }
        if self.uses_meaning() {
            let map_is_there = searcher.has(BlockId { part: Part::Map, block: 0 });
            self.advance_meaning(searcher, asked, map_is_there, needed)?;
        }
        let words_are_done = !self.uses_words() || self.words.is_some();
        Ok(words_are_done && (!self.uses_meaning() || self.meaning.is_some()))
    }

    /// Both lists; `None` for one that takes no part.
    pub(super) fn both(&self) -> [Option<&[Ranked]>; 2] {
        [self.words.as_deref(), self.meaning.as_deref().filter(|_| self.uses_meaning())]
    }

    /// Finds which documents may answer, as far as the blocks that are there allow.
    fn find_scope(
        &mut self,
        searcher: &Searcher,
        asked: &Asked,
        map_is_there: bool,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<(), FormatError> {
        let mut chunks_of = |phrases: &[Phrase]| -> Result<Option<Vec<Vec<u32>>>, FormatError> {
            let lists: Vec<_> =
                phrases.iter().map(|phrase| chunks_with(searcher, phrase, needed)).collect::<Result<_, _>>()?;
            Ok(lists.into_iter().collect())
        };
        let (phrases, excluded) = (chunks_of(&asked.syntax.phrases)?, chunks_of(&asked.syntax.excluded)?);
        let mut catalog_is_there = true;
        if asked.query.filters.iter().any(scope::is_by_catalog) {
            catalog_is_there = searcher.catalog_blocks().all(|id| searcher.has(id));
            needed.extend(searcher.catalog_blocks());
        }
        let (Some(phrases), Some(excluded), true) = (phrases, excluded, map_is_there && catalog_is_there) else {
            return Ok(());
        };
        let map = searcher.map()?;
        let of_filters = |except: Option<&str>| -> Result<Scope, FormatError> {
            let mut scope = Scope::of_filters(searcher, map, &asked.query, except)?;
            scope.exclude(searcher, map, &excluded);
            Ok(scope)
        };
        let mut scope = of_filters(None)?;
        let has_phrases = scope.require(searcher, map, &phrases);
        if asked.query.counts {
            for Filter { name, .. } in &asked.query.filters {
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
        asked: &Asked,
        map_is_there: bool,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<(), QueryError> {
        let near = asked.query.reach == Reach::Near;
        if near {
            needed.insert(BlockId { part: Part::Cells, block: 0 });
        }
        if self.vector.is_none() {
            self.encode(searcher, asked, needed)?;
        }
        let (Some(vector), Some(scope)) = (&self.vector, &self.scope) else { return Ok(()) };
        if !map_is_there || self.meaning.is_some() {
            return Ok(());
        }
        let is_there = |blocks: &[BlockId]| blocks.iter().all(|&id| searcher.has(id));
        if !near {
            let blocks = meaning_list::full_blocks(searcher, asked.depth, scope)?;
            if is_there(&blocks) {
                let (ranked, method, compared) = meaning_list::rank_full(searcher, vector, asked.depth, scope)?;
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
    fn encode(
        &mut self,
        searcher: &Searcher,
        asked: &Asked,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<(), QueryError> {
        let root = searcher.root();
        if let Some(vector) = &asked.query.vector {
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

    /// Leaves out corrections of words that stand in another bundle, given whether one has the word as it is.
    pub(super) fn keep_corrections(&mut self, is_known: impl Fn(&str) -> bool) {
        let Some(Resolved { terms, corrections }) = &mut self.resolved else { return };
        let unwanted = |corrected: &Corrected| is_known(&corrected.word);
        for corrected in corrections.iter().filter(|corrected| unwanted(corrected)) {
            let term = crate::analysis::term_of(&corrected.meant);
            terms.retain(|weighted| weighted.weight >= 1.0 || weighted.term != term);
        }
        corrections.retain(|corrected| !unwanted(corrected));
    }

    /// Whether a word of the query stands in the bundle as it is.
    pub(super) fn has_word(&self, word: &QueryWord) -> bool {
        let terms = self.resolved.iter().flat_map(|resolved| &resolved.terms);
        terms.into_iter().any(|weighted| weighted.weight >= 1.0 && weighted.term == word.term)
    }

    /// Lets no document answer.
    pub(super) fn answer_nothing(&mut self, searcher: &Searcher) {
        if let Some(scope) = &mut self.scope {
            scope.narrow(searcher.root().documents, |_| false);
        }
    }

    /// The terms that excerpts show: without words those of the query as it is.
    pub(super) fn shown_terms(&self, asked: &Asked) -> Vec<String> {
        match &self.resolved {
            Some(resolved) => resolved.terms.iter().map(|weighted| weighted.term.clone()).collect(),
            None => terms_of(&asked.words).into_vec(),
        }
    }
}
