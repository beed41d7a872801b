//! One query from text to answer, in stages that each name the blocks they need.

use super::answer::{Answer, Cost, Hit, ListEvidence, VectorCost, Why};
use super::query::{Mode, Query, QueryError};
use super::ranking::{self, LIST_DEPTH, Ranked, TermMatches};
use super::searcher::Searcher;
use crate::analysis::Analyzer;
use crate::excerpt::best_excerpt;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::lexical::term_dictionary::{self, TermEntry};
use crate::rank::{Fused, fuse};
use crate::records::{self, ChunkRecord, DocumentRecord};
use crate::vector::Neighbour;
use crate::vector::quantize::QueryCodes;
use std::collections::{BTreeMap, BTreeSet};

/// What a session wants, or what it found.
#[derive(Debug)]
pub enum Progress {
    /// Blocks to bring with [`Searcher::provide`], all at once if the host can, before advancing again.
    Need(Vec<BlockId>),
    /// The answer.
    Done(Box<Answer>),
}

/// One query on its way.
#[derive(Debug)]
pub struct Session {
    query: Query,
    mode: Mode,
    depth: usize,
    terms: BTreeSet<String>,
    vector: Option<QueryCodes>,
    touched: BTreeSet<BlockId>,
    rounds: u32,
    vector_cost: Option<VectorCost>,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Dictionary,
    Postings(Vec<TermEntry>),
    Ranking { words: Option<TermMatches>, nearest: Option<Vec<Neighbour>> },
    Records(Vec<Candidate>),
    Text(Vec<(Candidate, DocumentRecord, ChunkRecord)>),
}

/// A document of the fused list with the evidence of both lists.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    fused: Fused,
    chunk: u32,
    why: Why,
}

impl Session {
    /// Checks the query and picks its terms.
    pub fn new(searcher: &Searcher, query: Query) -> Result<Self, QueryError> {
        if query.text.trim().is_empty() {
            return Err(QueryError::Empty);
        }
        if query.text.len() > Query::MAX_BYTES {
            return Err(QueryError::TooLong(query.text.len()));
        }
        if !(1..=Query::MAX_LIMIT).contains(&query.limit) {
            return Err(QueryError::Limit(query.limit));
        }
        let dimensions = searcher.root().dimensions;
        if let Some(vector) = &query.vector
            && vector.len() != dimensions as usize
        {
            return Err(QueryError::Dimensions { expected: dimensions, got: vector.len() });
        }
        let mode = match (query.mode, &query.vector) {
            (Mode::Meaning, None) => return Err(QueryError::NoVector(searcher.manifest().model.name.clone())),
            (Mode::Hybrid, None) => Mode::Words,
            (mode, _) => mode,
        };
        let vector = query.vector.as_ref().filter(|_| mode != Mode::Words).map(|vector| QueryCodes::new(vector));
        Ok(Self {
            mode,
            depth: query.limit.max(LIST_DEPTH),
            terms: query_terms(&query.text),
            query,
            vector,
            touched: BTreeSet::new(),
            rounds: 0,
            vector_cost: None,
            stage: Stage::Dictionary,
        })
    }

    /// Goes as far as the blocks that `searcher` has allow.
    pub fn advance(&mut self, searcher: &Searcher) -> Result<Progress, QueryError> {
        loop {
            let mut needed = self.needed(searcher)?;
            self.touched.extend(needed.iter().copied());
            needed.retain(|&id| !searcher.has(id));
            if !needed.is_empty() {
                self.rounds += 1;
                return Ok(Progress::Need(needed.into_iter().collect()));
            }
            self.stage = match &self.stage {
                Stage::Dictionary => Stage::Postings(self.look_up(searcher)?),
                Stage::Postings(entries) => self.match_all(searcher, &entries.clone())?,
                Stage::Ranking { words, nearest } => {
                    Stage::Records(self.rank(searcher, words.as_ref(), nearest.as_deref())?)
                }
                Stage::Records(candidates) => Stage::Text(read_records(searcher, candidates)?),
                Stage::Text(found) => {
                    let hits = found.iter().map(|found| self.hit(searcher, found)).collect::<Result<_, _>>()?;
                    return Ok(Progress::Done(Box::new(self.answer(searcher, hits))));
                }
            };
        }
    }

    fn uses_words(&self) -> bool {
        self.mode != Mode::Meaning
    }

    /// The blocks that the current stage reads.
    fn needed(&self, searcher: &Searcher) -> Result<BTreeSet<BlockId>, FormatError> {
        let root = searcher.root();
        let mut needed = BTreeSet::new();
        match &self.stage {
            Stage::Dictionary => {
                if self.uses_words() {
                    let blocks =
                        self.terms.iter().filter_map(|term| term_dictionary::block_of(&root.first_terms, term));
                    needed.extend(blocks.map(|block| BlockId { part: Part::Terms, block }));
                }
                if self.vector.is_some() {
                    needed.extend(ranking::vector_blocks(searcher, self.depth));
                }
            }
            Stage::Postings(entries) => {
                for entry in entries {
                    let blocks = searcher.covering(Part::Postings, entry.start, u64::from(entry.length))?;
                    needed.extend(blocks.map(|block| BlockId { part: Part::Postings, block }));
                }
            }
            Stage::Ranking { words, nearest } => {
                let matching = words.iter().flat_map(TermMatches::chunks);
                let near = nearest.iter().flatten().map(|neighbour| neighbour.chunk);
                needed.extend(matching.chain(near).map(|chunk| ranking::chunk_map_block(searcher, chunk)));
            }
            Stage::Records(candidates) => {
                for candidate in candidates {
                    let document = records::block_of(&root.first_documents, candidate.fused.document);
                    let chunk = records::block_of(&root.first_chunks, candidate.chunk);
                    needed.extend(document.map(|block| BlockId { part: Part::Documents, block }));
                    needed.extend(chunk.map(|block| BlockId { part: Part::Chunks, block }));
                }
            }
            Stage::Text(found) => {
                for (_, _, chunk) in found {
                    let blocks = searcher.covering(Part::Text, chunk.text_start, u64::from(chunk.text_bytes))?;
                    needed.extend(blocks.map(|block| BlockId { part: Part::Text, block }));
                }
            }
        }
        Ok(needed)
    }

    fn look_up(&self, searcher: &Searcher) -> Result<Vec<TermEntry>, FormatError> {
        let mut entries = Vec::new();
        for term in self.terms.iter().filter(|_| self.uses_words()) {
            if let Some(block) = term_dictionary::block_of(&searcher.root().first_terms, term) {
                entries.extend(term_dictionary::find(searcher.block(Part::Terms, block)?, term)?);
            }
        }
        Ok(entries)
    }

    fn match_all(&mut self, searcher: &Searcher, entries: &[TermEntry]) -> Result<Stage, FormatError> {
        let words = if self.uses_words() { Some(TermMatches::read(searcher, entries)?) } else { None };
        let mut nearest = None;
        if let Some(vector) = &self.vector {
            let (found, cost) = ranking::nearest_chunks(searcher, vector, self.depth)?;
            nearest = Some(found);
            self.vector_cost = Some(cost);
        }
        Ok(Stage::Ranking { words, nearest })
    }

    fn rank(
        &self,
        searcher: &Searcher,
        words: Option<&TermMatches>,
        nearest: Option<&[Neighbour]>,
    ) -> Result<Vec<Candidate>, FormatError> {
        let words = words.map(|words| words.rank(searcher, self.depth)).transpose()?;
        let meaning = match (nearest, &self.vector) {
            (Some(nearest), Some(vector)) => Some(ranking::rank_neighbours(searcher, vector, nearest, self.depth)?),
            _ => None,
        };
        let documents = |list: &Vec<Ranked>| list.iter().map(|ranked| ranked.document).collect::<Vec<_>>();
        let (word_documents, meaning_documents) = (words.as_ref().map(documents), meaning.as_ref().map(documents));
        let fused = fuse([word_documents.as_deref(), meaning_documents.as_deref()]);
        let place = |list: &Option<Vec<Ranked>>, rank: Option<u32>| Some(list.as_ref()?[rank? as usize - 1]);
        let candidate = |fused: Fused| {
            let found = [place(&words, fused.ranks[0]), place(&meaning, fused.ranks[1])];
            let evidence = |list: usize| Some(ListEvidence { rank: fused.ranks[list]?, score: found[list]?.score });
            // The chunk of the list that ranks the document higher is shown; words win a tie, their match is visible.
            let shown = match (fused.ranks, found) {
                ([Some(words), Some(meaning)], [_, Some(by_meaning)]) if meaning < words => by_meaning,
                (_, [Some(by_words), _]) => by_words,
                (_, [None, Some(by_meaning)]) => by_meaning,
                (_, [None, None]) => return None,
            };
            Some(Candidate { fused, chunk: shown.chunk, why: Why { words: evidence(0), meaning: evidence(1) } })
        };
        Ok(fused.into_iter().take(self.query.limit).filter_map(candidate).collect())
    }

    fn hit(
        &self,
        searcher: &Searcher,
        (candidate, document, chunk): &(Candidate, DocumentRecord, ChunkRecord),
    ) -> Result<Hit, FormatError> {
        let text = searcher.raw(Part::Text, chunk.text_start, u64::from(chunk.text_bytes))?;
        let text =
            String::from_utf8(text).map_err(|_| FormatError::Corrupt { part: Part::Text.name(), what: "not UTF-8" })?;
        let terms = self.terms.iter().map(String::as_str).collect();
        let excerpt = best_excerpt(&text, &terms);
        let section = chunk.section_at(excerpt.start).cloned().unwrap_or_default();
        let project = searcher.manifest().projects.get(document.project as usize);
        let project = project.ok_or(FormatError::Corrupt { part: Part::Documents.name(), what: "project number" })?;
        Ok(Hit {
            document: document.id.clone(),
            project: project.name.clone(),
            path: document.path.clone(),
            url: Some(document.url.clone()).filter(|url| !url.is_empty()),
            title: document.title.clone(),
            section: section.title,
            anchor: section.anchor,
            score: candidate.fused.score,
            excerpt,
            why: candidate.why,
        })
    }

    fn answer(&self, searcher: &Searcher, hits: Vec<Hit>) -> Answer {
        let mut bytes = BTreeMap::new();
        for id in &self.touched {
            let entry = searcher.root().table(id.part).entry(id.block);
            *bytes.entry(id.part.name()).or_default() += entry.map_or(0, |entry| u64::from(entry.stored_bytes));
        }
        Answer {
            query: self.query.text.clone(),
            mode: self.mode,
            hits,
            cost: Cost { bytes, rounds: self.rounds, vectors: self.vector_cost },
        }
    }
}

/// The terms of a query without its stop words; all of them if nothing else is left.
fn query_terms(text: &str) -> BTreeSet<String> {
    let tokens = Analyzer.tokens(text);
    let only_stop_words = tokens.iter().all(|token| token.is_stop_word);
    tokens.into_iter().filter(|token| only_stop_words || !token.is_stop_word).map(|token| token.term).collect()
}

fn read_records(
    searcher: &Searcher,
    candidates: &[Candidate],
) -> Result<Vec<(Candidate, DocumentRecord, ChunkRecord)>, FormatError> {
    let root = searcher.root();
    candidates
        .iter()
        .map(|&candidate| {
            let document = read_record(searcher, Part::Documents, &root.first_documents, candidate.fused.document)?;
            let chunk = read_record(searcher, Part::Chunks, &root.first_chunks, candidate.chunk)?;
            Ok((candidate, document, chunk))
        })
        .collect()
}

fn read_record<R: records::Record>(
    searcher: &Searcher,
    part: Part,
    firsts: &[u32],
    number: u32,
) -> Result<R, FormatError> {
    let missing = FormatError::Corrupt { part: part.name(), what: "record number" };
    let block = records::block_of(firsts, number).ok_or(missing)?;
    records::find(part.name(), searcher.block(part, block)?, firsts[block as usize], number)
}
