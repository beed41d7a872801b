//! A question to all bundles of a view. Those of one model answer as one; those of different models are asked apart, as
//! their scores do not compare, and answer in turns.

use super::filters::{PathFilter, filters_for};
use super::open_bundle::OpenBundle;
use super::{Library, View};
use anyhow::Result;
use nearfind_core::content::{ContentMode, TRUNCATION_NOTICE};
use nearfind_core::embed::bert_words::decomposed;
use nearfind_core::records::Date;
use nearfind_core::search::{
    Advance, Answer, Corrected, Cost, Filter, Hit, Mode, PATH_REGEX, PathPattern, Query, QueryError, QueryText, Reach,
    Searcher, Session, Sort, Tier,
};
use std::sync::Arc;

/// What is asked.
#[derive(Clone)]
pub struct Question {
    /// The question.
    pub text: QueryText,
    /// Which lists rank.
    pub mode: Mode,
    /// What encodes the question at best: the model, or the bundle's own table.
    pub tier: Tier,
    /// Whether vectors are compared as in pages, by the coarse codes of promising documents, and not all of them.
    pub near: bool,
    /// Documents to leave out at the start.
    pub offset: usize,
    /// Documents wanted after them, at most.
    pub limit: usize,
    /// Whether [`Reply::has_more`] is wanted: it costs a document more.
    pub looks_further: bool,
    /// Passages of each document, at most; 0 stands for 1.
    pub passages: usize,
    /// Filters, see [`Filter`].
    pub filters: Vec<Filter>,
    /// The paths that may answer.
    pub path: Option<PathFilter>,
    /// The reader's language, see [`Query::language`].
    pub language: Option<String>,
    /// What documents are sorted by, in place of how well they answer.
    pub sort: Option<Sort>,
    /// Whether documents are wanted too that hardly fit.
    pub unfit: bool,
    /// The text that goes with each.
    pub content: Content,
    /// What a reranker is to do, if there is one.
    pub rerank: Rerank,
}

/// What a reranker is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rerank {
    /// Nothing.
    #[default]
    No,
    /// Order the best.
    Best,
    /// Order the best, look at what is near them by meaning, and again from the best of all.
    MultiHop,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            text: QueryText::default(),
            mode: Mode::default(),
            tier: Tier::Model,
            near: false,
            offset: 0,
            limit: 0,
            looks_further: false,
            passages: 1,
            filters: Vec::new(),
            path: None,
            language: None,
            sort: None,
            unfit: false,
            content: Content { mode: ContentMode::None, most_chars: 0, notice: TRUNCATION_NOTICE },
            rerank: Rerank::No,
        }
    }
}

/// The text that goes with a document.
#[derive(Clone, Copy, Debug)]
pub struct Content {
    /// How much of it.
    pub mode: ContentMode,
    /// Characters, at most, where it is shortened.
    pub most_chars: usize,
    /// What then ends it.
    pub notice: &'static str,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Reply {
    /// What answered: words, meaning or both.
    pub mode: Mode,
    /// What encoded the question.
    pub tier: Tier,
    /// Documents in their order.
    pub hits: Vec<FoundHit>,
    /// Whether there are more after them.
    pub has_more: bool,
    /// Words that no bundle has, and what they were taken for.
    pub corrections: Vec<Corrected>,
    /// Phrases in quotes that no document has.
    pub missing_phrases: Vec<String>,
    /// What readers should know of how this was found.
    pub notices: Vec<String>,
    /// What it cost.
    pub cost: Cost,
}

/// A document that was found.
#[derive(Clone, Debug)]
pub struct FoundHit {
    /// As core gives it, its address made whole.
    pub hit: Hit,
    /// The bundle that it is in.
    pub bundle: Arc<OpenBundle>,
    /// The text that was asked for.
    pub content: Option<String>,
    /// How well it answers by the reranker, 0 to 1, if that scored it.
    pub relevance: Option<f32>,
    /// The words that were searched for.
    pub(super) terms: Arc<[String]>,
}

/// What is known of a document beside its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// One line on it; may be empty.
    pub description: String,
    /// Where its file is shown.
    pub source_url: Option<String>,
    /// Whether it is looked up rather than read.
    pub is_reference: bool,
    /// When it was written or last changed.
    pub date: Option<Date>,
}

impl FoundHit {
    /// What is known of the document beside its text.
    pub fn about(&self) -> Result<About> {
        let (record, _) = self.bundle.document(self.hit.number)?;
        let listed = self.bundle.listed()?.get(self.hit.number as usize);
        Ok(About {
            source_url: self.bundle.source_url(self.hit.number)?,
            description: record.description,
            is_reference: listed.is_some_and(|listed| listed.is_reference),
            date: listed.and_then(|listed| listed.date),
        })
    }

    /// The text of the chunk that was found.
    pub fn chunk(&self) -> Result<Option<String>> {
        self.bundle.content(&[], &self.hit, Content { mode: ContentMode::Chunk, most_chars: 0, notice: "" })
    }

    /// The line of the document, from 1, on which the passage begins.
    pub fn line(&self) -> Result<usize> {
        self.bundle.line_of(&self.hit)
    }
}

impl Library {
    /// Asks the bundles of `view`, or gives the answer that they gave before.
    pub fn ask(&self, view: &View, question: &Question) -> Result<Reply> {
        if let Some(reply) = self.recent_answers.get(view, question) {
            return Ok(reply);
        }
        let mut reply = match question.rerank {
            _ if question.sort.is_some() => self.ask_anew(view, question)?,
            Rerank::No => self.ask_anew(view, question)?,
            Rerank::Best => self.ask_reranked(view, question)?,
            Rerank::MultiHop => self.ask_in_hops(view, question)?,
        };
        for found in &mut reply.hits {
            // It was for the reranker alone.
            found.hit.text = None;
            found.content = found.bundle.content(&found.terms, &found.hit, question.content)?;
        }
        self.recent_answers.put(view, question, &reply);
        Ok(reply)
    }

    /// Asks all bundles. The texts that go with the documents are not read yet.
    pub(super) fn ask_anew(&self, view: &View, question: &Question) -> Result<Reply> {
        let mut reply = Reply {
            mode: Mode::Words,
            tier: Tier::Words,
            hits: Vec::new(),
            has_more: false,
            corrections: Vec::new(),
            missing_phrases: Vec::new(),
            notices: view.problems.clone(),
            cost: Cost::default(),
        };
        let groups = groups(&view.bundles);
        let mut refused = None;
        let mut answers = Vec::new();
        for group in groups {
            let Some(filters) = filters_for(&group, &view.bundles, &question.filters) else { continue };
            match self.ask_group(&group, question, filters, &mut reply.notices) {
                Ok(answer) => answers.push((group, answer)),
                // Another group may have what this one lacks.
                Err(error) if is_about_filters(&error) => drop(refused.get_or_insert(error)),
                Err(error) => return Err(error),
            }
        }
        if let (true, Some(error)) = (answers.is_empty(), refused) {
            return Err(error);
        }
        if answers.len() > 1 {
            let names: Vec<String> = answers.iter().map(|(group, _)| labels(group)).collect();
            reply.notices.push(format!(
                "{} were made with different models: they are searched apart and take turns, and their scores do not compare",
                names.join(" and ")
            ));
        }
        let deepest = answers.iter().map(|(_, answer)| answer.hits.len()).max().unwrap_or_default();
        let terms: Vec<Arc<[String]>> = answers.iter().map(|(_, answer)| answer.terms.clone().into()).collect();
        let in_turns = (0..deepest).flat_map(|rank| {
            let of_answers = answers.iter().zip(&terms);
            of_answers.filter_map(move |((group, answer), terms)| Some((group, terms, answer.hits.get(rank)?)))
        });
        let mut wanted: Vec<_> = in_turns.skip(question.offset).take(question.limit + 1).collect();
        reply.has_more = wanted.len() > question.limit;
        wanted.truncate(question.limit);
        for (group, terms, hit) in wanted {
            let bundle = &group[hit.bundle];
            let (mut hit, terms) = (hit.clone(), Arc::clone(terms));
            hit.url = hit.url.map(|url| bundle.origin().address(&url));
            reply.hits.push(FoundHit { hit, bundle: Arc::clone(bundle), content: None, relevance: None, terms });
        }
        for (_, answer) in answers {
            reply.mode = if answer.mode == Mode::Words { reply.mode } else { answer.mode };
            reply.tier = reply.tier.max(answer.tier);
            reply.cost.add(&answer.cost);
            for corrected in answer.corrections {
                if !reply.corrections.contains(&corrected) {
                    reply.corrections.push(corrected);
                }
            }
            if reply.missing_phrases.is_empty() {
                reply.missing_phrases = answer.missing_phrases;
            }
        }
        Ok(reply)
    }

    /// Asks bundles of one model.
    fn ask_group(
        &self,
        group: &[Arc<OpenBundle>],
        question: &Question,
        mut filters: Vec<Filter>,
        notices: &mut Vec<String>,
    ) -> Result<Answer> {
        let vector = self.encoders.vector(group, question, notices)?;
        let path_pattern = question.path.clone().map(|wanted| {
            filters.push(Filter { name: PATH_REGEX.to_owned(), values: Vec::new() });
            PathPattern::new(move |path| wanted(path))
        });
        let reach = if question.near || vector.is_none() { Reach::Near } else { Reach::Full };
        let wanted = question.offset + question.limit;
        let limit = if question.looks_further { (wanted + 1).min(Query::MAX_LIMIT) } else { wanted };
        answer(
            group,
            Query {
                text: question.text.clone(),
                decomposed: Some(decomposed(question.text.meant())),
                mode: question.mode,
                limit,
                vector,
                reach,
                passages: question.passages,
                texts: question.rerank != Rerank::No && self.has_reranker(),
                filters,
                path_pattern,
                language: question.language.clone(),
                sort: question.sort.clone(),
                unfit: question.unfit,
                ..Query::default()
            },
        )
    }
}

/// Answers a query, reading the blocks that it needs.
fn answer(group: &[Arc<OpenBundle>], query: Query) -> Result<Answer> {
    let mut session = with_searchers(group, |searchers| Session::new(searchers, query))?;
    loop {
        match with_searchers(group, |searchers| session.advance(searchers))? {
            Advance::Done(answer) => return Ok(*answer),
            Advance::Preview(_) => {}
            Advance::Need(blocks) => {
                for (number, bundle) in group.iter().enumerate() {
                    bundle.bring(blocks.iter().filter(|(of, _)| *of == number).map(|(_, id)| *id))?;
                }
            }
        }
    }
}

fn with_searchers<T>(group: &[Arc<OpenBundle>], run: impl FnOnce(&[&Searcher]) -> T) -> T {
    let guards: Vec<_> = group.iter().map(|bundle| bundle.searcher()).collect();
    let searchers: Vec<&Searcher> = guards.iter().map(|guard| &**guard).collect();
    run(&searchers)
}

/// Bundles by model, in the order of their first.
fn groups(bundles: &[Arc<OpenBundle>]) -> Vec<Vec<Arc<OpenBundle>>> {
    let mut groups: Vec<Vec<Arc<OpenBundle>>> = Vec::new();
    for bundle in bundles {
        let is_of = |group: &&mut Vec<Arc<OpenBundle>>| group[0].manifest().model.hash == bundle.manifest().model.hash;
        match groups.iter_mut().find(is_of) {
            Some(group) => group.push(Arc::clone(bundle)),
            None => groups.push(vec![Arc::clone(bundle)]),
        }
    }
    groups
}

fn labels(group: &[Arc<OpenBundle>]) -> String {
    let labels: Vec<&str> = group.iter().map(|bundle| bundle.label.as_str()).collect();
    format!("{} ({})", labels.join(", "), group[0].manifest().model.name)
}

fn is_about_filters(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(QueryError::UnknownFilter(_) | QueryError::UnknownValue { .. }))
}

impl std::fmt::Debug for Question {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Question").field("text", &self.text).finish_non_exhaustive()
    }
}
