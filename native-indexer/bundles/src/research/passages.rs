//! Collects the passages for research. These are the best passages for each question, found by words and meaning, or
//! with a reranker in several hops, and the source code that calls the best of them or is called by them.

use super::question::ResearchQuestion;
use super::{normalize::normalize, word_vectors};
use crate::library::{FoundHit, Library, OpenBundle, PathFilter, Question, Reply, Rerank, SymbolQuestion, View, Want};
use anyhow::Result;
use nearfind_base::facets::CodeClass;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Number of characters per token in English. Other languages have more tokens.
const TOKEN_CHARS: usize = 4;

/// Number of documents per question, and number of passages per document.
const DOCUMENTS: usize = 40;
const PASSAGES: usize = 3;
/// Maximum number of passages in total, because distances are computed for each pair.
const MAX_PASSAGES: usize = 1000;
/// Number of symbols per question whose callers and callees are followed, and number of calls to follow in each
/// direction.
const SYMBOLS: usize = 3;
const CALLS: usize = 10;
/// Minimum length of names, because shorter ones occur in every text.
const NAME_CHARS: usize = 4;
/// The score of a document that just fits, and the relevance that makes a passage worth following if a reranker scored
/// it. If enough passages reach these values, the others are left out.
const FITS: f32 = 0.5;
const IS_RELEVANT: f32 = 0.3;
const ENOUGH: usize = 10;

/// A passage.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Passage {
    /// Name of the passage's project.
    pub project: String,
    /// Path in the project.
    pub path: String,
    /// The first and last line, starting at 1.
    pub lines: (usize, usize),
    /// Title of the document. For source code, the names that it defines.
    pub title: String,
    /// Headings above the passage.
    pub section: String,
    /// Whether the passage is source code.
    pub is_code: bool,
    /// The names that source code defines, with their scopes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// The address that readers open.
    pub url: Option<String>,
    /// How likely the passage is to answer the question that it fits best, from 0 to 1.
    pub score: f32,
    /// Numbers of the questions that found the passage, starting at 1.
    pub questions: Vec<usize>,
    /// Whether the file is known to have changed since it was indexed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_stale: bool,
    /// The text.
    pub text: String,
}

impl Passage {
    /// Returns the citation of the passage: its file and lines.
    pub fn citation(&self) -> String {
        format!("{}/{}:{}-{}", self.project, self.path, self.lines.0, self.lines.1)
    }

    /// Returns its approximate number of tokens.
    pub(super) fn tokens(&self) -> usize {
        self.text.chars().count().div_ceil(TOKEN_CHARS)
    }

    /// Returns the names that it defines, without their scopes.
    pub(super) fn defines(&self) -> impl Iterator<Item = &str> {
        let own = self.symbols.iter().filter_map(|symbol| symbol.rsplit('.').next());
        own.filter(|name| name.chars().count() >= NAME_CHARS)
    }
}

/// A passage, and the location of its vector.
pub(super) struct Found {
    pub(super) passage: Passage,
    bundle: Arc<OpenBundle>,
    chunk: u32,
}

/// The passages of all questions, best first.
#[derive(Default)]
pub(super) struct AllFound {
    pub(super) passages: Vec<Found>,
    pub(super) notices: Vec<String>,
    known: HashMap<(*const OpenBundle, u32), usize>,
}

/// Finds the passages for `question`.
pub(super) fn find(library: &Library, view: &View, question: &ResearchQuestion) -> Result<AllFound> {
    let mut all = AllFound::default();
    for (number, text) in (1..).zip(&question.questions) {
        let asked = Question {
            text: text.as_str().into(),
            limit: DOCUMENTS,
            passages: PASSAGES,
            filters: question.filters.clone(),
            path: question.path.clone(),
            rerank: if library.has_reranker() { Rerank::MultiHop } else { Rerank::No },
            ..Question::default()
        };
        let mut reply = library.ask(view, &asked)?;
        let fits = reply.hits.iter().take_while(|found| fits(found)).count();
        reply.hits.truncate(fits.max(ENOUGH));
        let calls = lines_of_calls(view, &reply)?;
        all.take(number, reply, |_| true)?;
        if !calls.is_empty() {
            let paths: BTreeSet<String> = calls.keys().map(|(_, path)| path.clone()).collect();
            let among = PathFilter::of_paths(move |path| paths.contains(path)).and(question.path.clone());
            // Callers and callees need not contain a word of the question.
            let of_calls = Question { path: Some(among), unfit: true, rerank: Rerank::No, ..asked };
            let reply = library.ask(view, &of_calls)?;
            all.take(number, reply, |passage| {
                let of_file = calls.get(&(passage.project.clone(), passage.path.clone()));
                let (first, last) = passage.lines;
                of_file.is_some_and(|lines| lines.iter().any(|line| (first..=last).contains(line)))
            })?;
        }
    }
    all.passages.sort_by(|a, b| b.passage.score.total_cmp(&a.passage.score));
    all.passages.truncate(MAX_PASSAGES);
    Ok(all)
}

fn fits(found: &FoundHit) -> bool {
    found.relevance.map_or(found.hit.score >= FITS, |relevance| relevance >= IS_RELEVANT)
}

/// Returns, by project and path, the lines of callers and callees of the best symbols of `reply`.
fn lines_of_calls(view: &View, reply: &Reply) -> Result<BTreeMap<(String, String), Vec<usize>>> {
    let mut lines: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    let mut symbols: Vec<String> = Vec::new();
    for found in &reply.hits {
        if symbols.len() >= SYMBOLS {
            break;
        }
        symbols.extend(found.symbols()?.into_iter().next().filter(|name| !symbols.contains(name)));
    }
    for name in symbols {
        for want in [Want::Callers, Want::Callees] {
            let question =
                SymbolQuestion { name: name.clone(), want, projects: Vec::new(), path: None, offset: 0, limit: CALLS };
            // Skip symbols that cannot be looked up, such as a name that is defined twice in one file.
            let Ok(known) = view.symbol(&question) else { continue };
            let callers = known.uses.into_iter().map(|caller| (caller.project, caller.path, caller.lines[0]));
            let callees = known.symbols.into_iter().map(|callee| (callee.project, callee.path, callee.lines.0));
            for (project, path, line) in callers.chain(callees) {
                lines.entry((project, path)).or_default().push(line as usize);
            }
        }
    }
    Ok(lines)
}

impl AllFound {
    /// Adds the `wanted` passages of a reply to question `number`.
    fn take(&mut self, number: usize, reply: Reply, wanted: impl Fn(&Passage) -> bool) -> Result<()> {
        for notice in reply.notices {
            if !self.notices.contains(&notice) {
                self.notices.push(notice);
            }
        }
        for mut found in reply.hits {
            let more = std::mem::take(&mut found.hit.more);
            self.take_one(number, &found, &wanted)?;
            for other in more {
                found.hit.chunk = other.chunk;
                (found.hit.section, found.hit.anchor) = (other.section, other.anchor);
                self.take_one(number, &found, &wanted)?;
            }
        }
        Ok(())
    }

    fn take_one(&mut self, number: usize, found: &FoundHit, wanted: impl Fn(&Passage) -> bool) -> Result<()> {
        let (bundle, chunk) = (Arc::clone(&found.bundle), found.hit.chunk);
        let score = found.relevance.unwrap_or(found.hit.score);
        if let Some(&place) = self.known.get(&(Arc::as_ptr(&bundle), chunk)) {
            let known = &mut self.passages[place].passage;
            known.score = known.score.max(score);
            if !known.questions.contains(&number) {
                known.questions.push(number);
            }
            return Ok(());
        }
        if let Some(passage) = passage(found, number, score)?.filter(|passage| wanted(passage)) {
            self.known.insert((Arc::as_ptr(&bundle), chunk), self.passages.len());
            self.passages.push(Found { passage, bundle, chunk });
        }
        Ok(())
    }
}

/// Returns the passage of a hit, or `None` if it is the preamble of a source file or only re-exports definitions.
fn passage(found: &FoundHit, number: usize, score: f32) -> Result<Option<Passage>> {
    let hit = &found.hit;
    let code = found.code()?;
    let is_aside = |class: &str| [CodeClass::Preamble, CodeClass::Reexport].iter().any(|aside| aside.name() == class);
    if code.as_ref().is_some_and(|code| is_aside(&code.class)) {
        return Ok(None);
    }
    let mut text = found.chunk()?.unwrap_or_default();
    let lines = if let Some(code) = &code {
        code.lines
    } else {
        let first = found.line()?;
        (first, first + text.trim_end().lines().count().saturating_sub(1))
    };
    let is_stale = code.as_ref().is_some_and(|code| code.is_stale);
    let is_code = code.is_some();
    if let Some(now) = code.and_then(|code| code.current) {
        text = now;
    }
    let url = hit.url.as_ref().map(|url| match hit.anchor.as_str() {
        "" => url.clone(),
        anchor => format!("{url}#{anchor}"),
    });
    Ok(Some(Passage {
        project: hit.project.clone(),
        path: hit.path.clone(),
        lines,
        title: hit.title.clone(),
        section: hit.section.clone(),
        is_code,
        symbols: found.symbols()?,
        url,
        score,
        questions: vec![number],
        is_stale,
        text,
    }))
}

/// Returns vectors of unit length that compare all passages. The vectors come from the model if all bundles of the
/// passages have the same model, and otherwise from words.
pub(super) fn vectors(found: &[Found]) -> Result<Vec<Vec<f32>>> {
    let model = found.first().map(|first| first.bundle.manifest().model.hash.clone());
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); found.len()];
    if found.iter().all(|one| Some(&one.bundle.manifest().model.hash) == model.as_ref()) {
        let mut of_bundles: BTreeMap<*const OpenBundle, Vec<usize>> = BTreeMap::new();
        for (place, one) in found.iter().enumerate() {
            of_bundles.entry(Arc::as_ptr(&one.bundle)).or_default().push(place);
        }
        for places in of_bundles.values() {
            let chunks: Vec<u32> = places.iter().map(|&place| found[place].chunk).collect();
            for (&place, vector) in places.iter().zip(found[places[0]].bundle.vectors(&chunks)?) {
                vectors[place] = vector;
            }
        }
    }
    if vectors.iter().any(Vec::is_empty) {
        let texts: Vec<&str> = found.iter().map(|one| one.passage.text.as_str()).collect();
        return Ok(word_vectors::vectors(&texts));
    }
    vectors.iter_mut().for_each(|vector| normalize(vector));
    Ok(vectors)
}
