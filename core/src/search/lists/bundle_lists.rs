//! The lists of a bundle, by words and by meaning, which advance as blocks are loaded. Between the steps,
//! [`Session`](super::Session) reconciles bundles that are searched together.
//!
//! ```text
//! admission  Unknown ─────────────────────────→ Known (scope, phrases)
//! words      Unresolved ──→ Resolved (terms) ──→ Ranked          needs Known, and the statistics of all bundles
//! meaning    Unencoded ───→ Encoded ──→ (near: Promising) ──→ Ranked     needs Known; near waits for words
//! ```

use super::chunk_scores::ChunkScores;
use super::code_signals::{CodeSignals, asked_names};
use super::filter_counts::{CountedScopes, FilterCounts};
use super::found::{Corrected, VectorCost};
use super::meaning_state::{Inputs, Meaning};
use super::phrases::chunks_with;
use super::ranking::RankedDocument;
use super::word_list::{LookedUp, Resolved, Statistics, WeightedTerm, named, rank_words, resolve, score_chunks};
use crate::analysis::{Analyzer, Guess, QueryWord, letters_beyond_latin, names_of, query_words, terms_of};
use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::vocabulary::CLASS;
use crate::format::{FormatError, Language};
use crate::query_encoder;
use crate::rank::LIST_DOCUMENTS;
use crate::reader::BundleReader;
use crate::records::ChunkMap;
use crate::search::query::query_settings::{LANGUAGE, Mode, Query, QueryError, Tier};
use crate::search::query::query_syntax::{Phrase, QuerySyntax};
use crate::search::query::scope::{self, Scope};

/// The minimum number of letters in a different script for a question to count as written in that script. An English
/// question may be about a `λ`, and a Japanese question may consist almost entirely of names in Latin letters.
const WORD: usize = 2;

/// A query and its parsed text, independent of the bundle.
#[derive(Debug)]
pub(crate) struct ParsedQuery {
    pub query: Query,
    pub words: Vec<QueryWord>,
    /// The rules of the query's language.
    pub analyzer: Analyzer,
    /// The terms of documents whose name is the question: see [`names_of`].
    pub names: Vec<String>,
    /// The terms of source code that defines names in the question: see [`asked_names`].
    pub asked_names: Vec<String>,
    /// The number of documents in a list.
    pub depth: usize,
    /// Whether to read the rest of long lists of chunks.
    pub whole: bool,
}

impl ParsedQuery {
    /// Checks everything that can be checked without the text of the bundles.
    pub(crate) fn new(mut query: Query, readers: &[&BundleReader]) -> Result<Self, QueryError> {
        if query.text.as_typed().trim().is_empty() {
            return Err(QueryError::Empty);
        }
        if !(1..=Query::MAX_LIMIT).contains(&query.limit) {
            return Err(QueryError::Limit(query.limit));
        }
        let mut guess = Guess::default();
        for reader in readers {
            for language in Language::read_all(&reader.root().languages)? {
                guess.consider(&query.text.syntax().text, query.language.as_deref(), language);
            }
        }
        let analyzer = guess.analyzer;
        query.text.analyze(&analyzer);
        let text = &query.text.syntax().text;
        let (words, asked_names) = (query_words(&analyzer, text), asked_names(text));
        let is_latin_alone = |reader: &&BundleReader| reader.root().knows_latin_alone;
        if query.mode == Mode::Hybrid && letters_beyond_latin(text) >= WORD && readers.iter().all(is_latin_alone) {
            // The model's vector of the question would lead away from the results by words.
            query.mode = Mode::Words;
        }
        let whole = Self::reads_whole_lists(&query, readers);
        let depth = query.limit.max(LIST_DOCUMENTS);
        Ok(Self { depth, whole, names: names_of(&words), asked_names, words, analyzer, query })
    }

    /// Returns the names to look up in a bundle.
    fn names_in(&self, reader: &BundleReader) -> Vec<String> {
        let mut names = self.names.clone();
        if reader.root().has_code() {
            names.extend(self.asked_names.iter().cloned());
        }
        names
    }

    /// Whether to read the rest of long lists. Filters need it, because the chunks in the heads of lists may not pass
    /// them. Counts need it, because they need all chunks. Counts are not shown if there is nothing to choose from.
    fn reads_whole_lists(query: &Query, readers: &[&BundleReader]) -> bool {
        let syntax = query.text.syntax();
        let narrows = !query.filters.is_empty() || !syntax.phrases.is_empty() || !syntax.excluded.is_empty();
        let of_bundle = |reader: &&BundleReader| {
            let root = reader.root();
            let is_choice = |facet: usize| root.facets.get(facet).is_some_and(|facet| facet.values.len() > 1);
            let keeps_language = scope::preferred_language(root, query).is_some_and(|(facet, _)| is_choice(facet));
            let can_choose = root.projects.len() > 1 || (0..root.facets.len()).any(is_choice);
            keeps_language || (query.counts && can_choose)
        };
        let counts_bundles = query.counts && readers.len() > 1;
        narrows || query.sort.is_some() || counts_bundles || readers.iter().any(of_bundle)
    }

    pub(crate) const fn syntax(&self) -> &QuerySyntax {
        self.query.text.syntax()
    }
}

/// The progress of a step. If the step waits, the missing blocks have been added to the needed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Waiting,
    Done,
}

impl Stage {
    pub(crate) fn is_done(self) -> bool {
        self == Self::Done
    }

    fn done_if(done: bool) -> Self {
        if done { Self::Done } else { Self::Waiting }
    }
}

/// The state of finding the documents that may answer the query.
#[derive(Debug)]
enum Admission {
    Unknown,
    Known(Admitted),
}

/// The documents that may answer the query, and why.
#[derive(Debug)]
struct Admitted {
    scope: Scope,
    /// If documents are counted, the scopes that each leave out one filter.
    without: Vec<(String, Scope)>,
    /// For each phrase that an answer must contain, the chunks with the phrase.
    phrases: Vec<Vec<u32>>,
    /// Whether no document contains all phrases, so that none is required.
    phrases_are_missing: bool,
}

/// The state of the list by words.
#[derive(Debug)]
enum Words {
    Unresolved,
    Resolved(Resolved),
    Ranked {
        resolved: Resolved,
        ranked: Vec<RankedDocument>,
        /// The score of every chunk.
        scores: Vec<f32>,
        /// The documents whose name is the question, with points for how exact the match is.
        named: Vec<(u32, u8)>,
        code: CodeSignals,
        counts: Vec<FilterCounts>,
    },
}

/// The lists of a bundle while they are built.
#[derive(Debug)]
pub(crate) struct Lists {
    pub mode: Mode,
    pub tier: Tier,
    admission: Admission,
    words: Words,
    meaning: Meaning,
}

impl Lists {
    /// Checks the query against the bundle.
    pub(crate) fn new(reader: &BundleReader, parsed: &ParsedQuery) -> Result<Self, QueryError> {
        let query = &parsed.query;
        scope::check(reader.root(), &query.filters)?;
        let dimensions = reader.root().vectors.dimensions;
        if let Some(vector) = &query.vector
            && vector.len() != dimensions as usize
        {
            return Err(QueryError::Dimensions { expected: dimensions, got: vector.len() });
        }
        let tier = match (query.mode, &query.vector) {
            (Mode::Words, _) => Tier::Words,
            (_, Some(_)) => Tier::Model,
            (_, None) if reader.has_query_encoder() => Tier::Table,
            (Mode::Meaning, None) => return Err(QueryError::NoVector),
            (Mode::Hybrid, None) => Tier::Words,
        };
        let encoder_words = if tier == Tier::Table {
            let decomposed = query.decomposed.as_ref().unwrap_or(&parsed.syntax().text);
            query_encoder::words_of(decomposed, reader.root().normalizer)
        } else {
            Vec::new()
        };
        Ok(Self {
            mode: if tier == Tier::Words { Mode::Words } else { query.mode },
            tier,
            admission: Admission::Unknown,
            words: Words::Unresolved,
            meaning: Meaning::Unencoded { words: encoder_words },
        })
    }

    /// Continues without meaning. Returns whether this is possible.
    pub(crate) fn settle_for_words(&mut self) -> bool {
        let can = self.mode == Mode::Hybrid;
        if can {
            (self.mode, self.tier) = (Mode::Words, Tier::Words);
        }
        can
    }

    /// Finds the terms of the question and the documents that may answer the query, and requests the map.
    pub(crate) fn resolve(
        &mut self,
        reader: &BundleReader,
        parsed: &ParsedQuery,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<Stage, FormatError> {
        needed.insert(BundleReader::MAP);
        if self.uses_words() && matches!(self.words, Words::Unresolved) {
            let names = parsed.names_in(reader);
            let ParsedQuery { words, whole, .. } = parsed;
            let looked_up = LookedUp {
                words,
                analyzer: &parsed.analyzer,
                names: &names,
                typing: parsed.query.typing,
                whole: *whole,
            };
            if let Some(resolved) = resolve(reader, looked_up, needed)? {
                self.meaning.correct(&resolved.corrections);
                self.words = Words::Resolved(resolved);
            }
        }
        if matches!(self.admission, Admission::Unknown)
            && let Some(admitted) = admitted(reader, parsed, needed)?
        {
            self.admission = Admission::Known(admitted);
        }
        Ok(Stage::done_if(self.words_are_known() && matches!(self.admission, Admission::Known(_))))
    }

    /// Ranks by words, once the `statistics` of all bundles are known, and by meaning.
    pub(crate) fn rank(
        &mut self,
        reader: &BundleReader,
        parsed: &ParsedQuery,
        statistics: Option<&Statistics>,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<Stage, QueryError> {
        if let Some(statistics) = statistics {
            self.rank_words(reader, parsed, statistics)?;
        }
        if self.uses_meaning() {
            self.advance_meaning(reader, parsed, needed)?;
        }
        let meaning_is_done = !self.uses_meaning() || self.meaning.list().is_some();
        // A question without any meaning is done immediately, but even an empty answer needs the map.
        Ok(Stage::done_if(self.words_are_ranked() && meaning_is_done && reader.has(BundleReader::MAP)))
    }

    fn rank_words(
        &mut self,
        reader: &BundleReader,
        parsed: &ParsedQuery,
        statistics: &Statistics,
    ) -> Result<(), FormatError> {
        let (Words::Resolved(resolved), Admission::Known(admitted)) = (&mut self.words, &mut self.admission) else {
            return Ok(());
        };
        let map = reader.map()?;
        let mut headed = vec![0.0f32; reader.root().chunks as usize];
        let mut scores =
            score_chunks(reader, &resolved.terms, parsed.whole, &admitted.phrases, statistics, &mut headed)?;
        let ranked = rank_words(map, &scores, &admitted.scope, parsed.depth);
        let counts = if parsed.query.counts { admitted.count(reader, map, &scores) } else { Vec::new() };
        // Prefer a chunk with the words in its heading, however often the text of other chunks contains them.
        scores.iter_mut().zip(headed).for_each(|(score, rarity)| *score += rarity);
        let named = named(reader, &parsed.names, &admitted.scope)?;
        let terms: Vec<String> = parsed.words.iter().map(|word| word.term.clone()).collect();
        let names_class = parsed.query.filters.iter().any(|filter| filter.name == CLASS);
        let code = CodeSignals::of(reader, &parsed.asked_names, &terms, names_class)?;
        self.words = Words::Ranked { resolved: std::mem::take(resolved), ranked, scores, named, code, counts };
        Ok(())
    }

    fn advance_meaning(
        &mut self,
        reader: &BundleReader,
        parsed: &ParsedQuery,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<(), FormatError> {
        let scope = match &self.admission {
            Admission::Known(admitted) => Some(&admitted.scope),
            Admission::Unknown => None,
        };
        let by_words = match &self.words {
            Words::Ranked { ranked, .. } => Some(ranked.as_slice()),
            _ => (self.mode == Mode::Meaning).then_some(&[][..]),
        };
        let inputs = Inputs {
            vector: parsed.query.vector.as_deref(),
            reach: parsed.query.reach,
            depth: parsed.depth,
            words_are_known: self.words_are_known(),
            scope,
            by_words,
        };
        self.meaning.advance(reader, &inputs, needed)?;
        if self.meaning.found_no_word() {
            self.settle_for_words();
        }
        Ok(())
    }

    /// Returns both lists. A list that takes no part is `None`.
    pub(crate) fn both(&self) -> [Option<&[RankedDocument]>; 2] {
        let words = match &self.words {
            Words::Ranked { ranked, .. } => Some(ranked.as_slice()),
            _ => None,
        };
        [words, self.meaning.list().filter(|_| self.uses_meaning()).map(|list| list.ranked.as_slice())]
    }

    /// Returns the scores of chunks in both lists. Scores by meaning are left out unless they are requested and meaning
    /// takes part.
    pub(crate) fn chunk_scores(&self, with_meaning: bool) -> ChunkScores<'_> {
        let words = match &self.words {
            Words::Ranked { scores, .. } => scores.as_slice(),
            _ => &[],
        };
        let meaning = self.meaning.list().filter(|_| with_meaning && self.uses_meaning());
        ChunkScores { words, cosines: meaning.map_or(&[], |list| &list.cosines) }
    }

    /// Returns the documents whose name is the question, if words take part.
    pub(crate) fn named(&self) -> &[(u32, u8)] {
        match &self.words {
            Words::Ranked { named, .. } => named,
            _ => &[],
        }
    }

    /// Returns the signals for source code, if words take part.
    pub(crate) const fn code(&self) -> Option<&CodeSignals> {
        match &self.words {
            Words::Ranked { code, .. } => Some(code),
            _ => None,
        }
    }

    /// Returns the documents that may answer the query, once they are known.
    pub(crate) const fn scope(&self) -> Option<&Scope> {
        match &self.admission {
            Admission::Known(admitted) => Some(&admitted.scope),
            Admission::Unknown => None,
        }
    }

    /// Whether no document contains all phrases.
    pub(crate) const fn phrases_are_missing(&self) -> bool {
        matches!(&self.admission, Admission::Known(Admitted { phrases_are_missing: true, .. }))
    }

    /// Returns the terms of the bundle for the words, once they are known.
    pub(crate) const fn resolved(&self) -> Option<&Resolved> {
        match &self.words {
            Words::Unresolved => None,
            Words::Resolved(resolved) | Words::Ranked { resolved, .. } => Some(resolved),
        }
    }

    /// Whether the query is a single word that looks like a name, such as `addFilter`, `add_filter` or `add()`, and the
    /// bundle has it in this form.
    pub(crate) fn is_name(&self, parsed: &ParsedQuery) -> bool {
        let looks_so = |word: &QueryWord| !word.parts.is_empty() || parsed.syntax().text.ends_with(')');
        match (&parsed.words[..], self.resolved()) {
            ([word], Some(resolved)) => {
                looks_so(word) && resolved.stands.first().and_then(Option::as_ref) == Some(&word.term)
            }
            _ => false,
        }
    }

    /// Returns the counts, if they were requested.
    pub(crate) fn counts(&self) -> &[FilterCounts] {
        match &self.words {
            Words::Ranked { counts, .. } => counts,
            _ => &[],
        }
    }

    /// Returns how the vectors were searched, if they were.
    pub(crate) fn vector_cost(&self) -> Option<VectorCost> {
        self.meaning.list()?.cost
    }

    const fn uses_words(&self) -> bool {
        !matches!(self.mode, Mode::Meaning)
    }

    const fn uses_meaning(&self) -> bool {
        !matches!(self.mode, Mode::Words)
    }

    const fn words_are_known(&self) -> bool {
        !self.uses_words() || !matches!(self.words, Words::Unresolved)
    }

    /// Whether the list by words is complete, or takes no part.
    pub(crate) const fn words_are_ranked(&self) -> bool {
        !self.uses_words() || matches!(self.words, Words::Ranked { .. })
    }

    /// Drops corrections of words that another bundle has. `is_known` tells whether a bundle has the word.
    pub(crate) fn keep_corrections(&mut self, analyzer: &Analyzer, is_known: impl Fn(&str) -> bool) {
        let Words::Resolved(Resolved { terms, corrections, .. }) = &mut self.words else { return };
        let unwanted = |corrected: &Corrected| is_known(&corrected.word);
        for corrected in corrections.iter().filter(|corrected| unwanted(corrected)) {
            let term = analyzer.term_of(&corrected.meant);
            terms.retain(|weighted| weighted.weight >= 1.0 || weighted.term != term);
        }
        corrections.retain(|corrected| !unwanted(corrected));
    }

    /// Whether the bundle has the word itself, and not only a replacement for it.
    pub(crate) fn has_word(&self, word: &QueryWord) -> bool {
        let terms = self.resolved().into_iter().flat_map(|resolved| &resolved.terms);
        terms.into_iter().any(|weighted| weighted.weight >= 1.0 && weighted.term == word.term)
    }

    /// Admits no document if phrases are missing here, because another bundle contains them.
    pub(crate) fn leave_to_others(&mut self, reader: &BundleReader) {
        if let Admission::Known(admitted) = &mut self.admission
            && std::mem::take(&mut admitted.phrases_are_missing)
        {
            admitted.scope.narrow(reader.root().documents, |_| false);
        }
    }

    /// Returns the terms that excerpts show, with their weights. Without words, these are the terms of the query
    /// itself.
    pub(crate) fn shown_terms(&self, parsed: &ParsedQuery, statistics: Option<&Statistics>) -> Vec<(String, f32)> {
        match (self.resolved(), statistics) {
            (Some(resolved), Some(statistics)) => {
                let counted = |weighted: &WeightedTerm| statistics.rarity(&weighted.term) * weighted.weight;
                resolved.terms.iter().map(|weighted| (weighted.term.clone(), counted(weighted))).collect()
            }
            _ => terms_of(&parsed.words).into_vec().into_iter().map(|term| (term, 1.0)).collect(),
        }
    }
}

impl Admitted {
    /// Returns the number of documents with a word of the query, by the values of the bundle's filters.
    fn count(&mut self, reader: &BundleReader, map: &ChunkMap, scores: &[f32]) -> Vec<FilterCounts> {
        let mut matches = vec![false; map.documents()];
        let matching = (0u32..).zip(scores).filter(|(_, score)| **score > 0.0);
        matching.for_each(|(chunk, _)| matches[map.document_of(chunk) as usize] = true);
        let scopes = CountedScopes { scope: self.scope.clone(), without: std::mem::take(&mut self.without) };
        scopes.count(reader, map, &matches)
    }
}

/// Returns the documents that may answer the query, or `None` if blocks are missing.
fn admitted(
    reader: &BundleReader,
    parsed: &ParsedQuery,
    needed: &mut SortedSet<BlockId>,
) -> Result<Option<Admitted>, FormatError> {
    let mut chunks_of = |phrases: &[Phrase]| -> Result<Option<Vec<Vec<u32>>>, FormatError> {
        let lists: Vec<_> =
            phrases.iter().map(|phrase| chunks_with(reader, phrase, needed)).collect::<Result<_, _>>()?;
        Ok(lists.into_iter().collect())
    };
    let (phrases, excluded) = (chunks_of(&parsed.syntax().phrases)?, chunks_of(&parsed.syntax().excluded)?);
    let mut catalog_is_there = true;
    if parsed.query.filters.iter().any(scope::is_by_catalog) {
        catalog_is_there = reader.catalog_blocks().all(|id| reader.has(id));
        needed.extend(reader.catalog_blocks());
    }
    let (Some(phrases), Some(excluded), true) = (phrases, excluded, reader.has(BundleReader::MAP) && catalog_is_there)
    else {
        return Ok(None);
    };
    let map = reader.map()?;
    let of_filters = |except: Option<&str>| -> Result<Scope, FormatError> {
        let mut scope = Scope::of_filters(reader, map, &parsed.query, except)?;
        scope.exclude(reader, map, &excluded);
        Ok(scope)
    };
    let mut scope = of_filters(None)?;
    let has_phrases = scope.require(reader, map, &phrases);
    let mut scopes_without = Vec::new();
    if parsed.query.counts {
        let preferred = scope::preferred_language(reader.root(), &parsed.query).map(|_| LANGUAGE);
        for name in parsed.query.filters.iter().map(|filter| filter.name.as_str()).chain(preferred) {
            let mut without = of_filters(Some(name))?;
            if has_phrases {
                without.require(reader, map, &phrases);
            }
            scopes_without.push((name.to_owned(), without));
        }
    }
    Ok(Some(Admitted {
        scope,
        without: scopes_without,
        phrases: if has_phrases { phrases } else { Vec::new() },
        phrases_are_missing: !has_phrases,
    }))
}
