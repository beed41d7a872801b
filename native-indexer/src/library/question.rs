//! A question to all bundles of a view. Those of one model answer as one; those of different models are asked apart, as
//! their scores do not compare, and answer in turns.

use super::open_bundle::OpenBundle;
use super::{Library, View};
use anyhow::Result;
use nearfind_core::content::ContentMode;
use nearfind_core::embed::bert_words::decomposed;
use nearfind_core::search::{
    Answer, Corrected, Filter, Hit, Mode, PATH_REGEX, PROJECT, PathPattern, Progress, Query, QueryError, Reach,
    Searcher, Session,
};
use std::sync::Arc;

/// Whether a path is wanted.
pub type WantedPath = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// What is asked.
#[derive(Clone, Default)]
pub struct Question {
    /// The question.
    pub text: String,
    /// Which lists rank.
    pub mode: Mode,
    /// Documents to leave out in front.
    pub offset: usize,
    /// Documents wanted behind them, at most.
    pub limit: usize,
    /// Filters, see [`Filter`].
    pub filters: Vec<Filter>,
    /// The paths that may answer.
    pub path: Option<WantedPath>,
    /// The text that goes with each.
    pub content: Content,
}

/// The text that goes with a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Content {
    /// How much of it.
    pub mode: ContentMode,
    /// Characters, at most, where it is shortened.
    pub most_chars: usize,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// What answered: words, meaning or both.
    pub mode: Mode,
    /// Documents in their order.
    pub hits: Vec<FoundHit>,
    /// Whether there are more behind them.
    pub has_more: bool,
    /// Words that stand in no bundle, and what they were taken for.
    pub corrections: Vec<Corrected>,
    /// Phrases in quotes that no document has.
    pub missing_phrases: Vec<String>,
    /// What readers should know of how this was found.
    pub notices: Vec<String>,
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
    /// The line of the document, from 1, on which the passage begins.
    pub line: usize,
}

impl Library {
    /// Asks the bundles of `view`.
    pub fn ask(&self, view: &View, question: &Question) -> Result<Reply> {
        let mut reply = Reply { mode: Mode::Words, notices: view.problems.clone(), ..Reply::default() };
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
        let in_turns = (0..deepest).flat_map(|rank| {
            answers.iter().filter_map(move |(group, answer)| answer.hits.get(rank).map(|hit| (group, answer, hit)))
        });
        let mut wanted: Vec<_> = in_turns.skip(question.offset).take(question.limit + 1).collect();
        reply.has_more = wanted.len() > question.limit;
        wanted.truncate(question.limit);
        for (group, answer, hit) in wanted {
            let bundle = &group[hit.bundle];
            let Content { mode, most_chars } = question.content;
            let (content, line) = bundle.content(&answer.terms, hit, mode, most_chars)?;
            let mut hit = hit.clone();
            hit.url = hit.url.map(|url| bundle.address(&url));
            reply.hits.push(FoundHit { hit, bundle: Arc::clone(bundle), content, line });
        }
        for (_, answer) in answers {
            reply.mode = if answer.mode == Mode::Words { reply.mode } else { answer.mode };
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
        let mut vector = None;
        if question.mode != Mode::Words && !question.text.trim().is_empty() {
            match self.models.encoder(&group[0]) {
                Ok(encoder) => vector = Some(encoder.encode_query(&Query::meant(&question.text))?),
                Err(why) => {
                    let has_table = group.iter().any(|bundle| bundle.searcher().has_query_encoder());
                    let instead = if has_table { "the bundle's own query encoder" } else { "words alone" };
                    notices.push(format!("searching by {instead}: {why}"));
                }
            }
        }
        let path_pattern = question.path.clone().map(|wanted| {
            filters.push(Filter { name: PATH_REGEX.to_owned(), values: Vec::new() });
            PathPattern::new(move |path| wanted(path))
        });
        let reach = if vector.is_none() { Reach::Near } else { Reach::Full };
        answer(
            group,
            Query {
                text: question.text.clone(),
                decomposed: Some(decomposed(&question.text)),
                mode: question.mode,
                // One more tells whether there are more.
                limit: (question.offset + question.limit + 1).min(Query::MAX_LIMIT),
                vector,
                reach,
                filters,
                path_pattern,
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
            Progress::Done(answer) => return Ok(*answer),
            Progress::Preview(_) => {}
            Progress::Need(blocks) => {
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

/// The filters as they are for one group: without the values that others have alone. `None` if they leave nothing of it.
fn filters_for(group: &[Arc<OpenBundle>], all: &[Arc<OpenBundle>], filters: &[Filter]) -> Option<Vec<Filter>> {
    let has = |bundles: &[Arc<OpenBundle>], name: &str, value: &String| {
        bundles.iter().any(|bundle| {
            let searcher = bundle.searcher();
            let root = searcher.root();
            if name == PROJECT {
                return root.projects.iter().any(|project| project.name == *value);
            }
            root.facets.iter().any(|facet| facet.name == name && facet.values.contains(value))
        })
    };
    let mut filters = filters.to_vec();
    for Filter { name, values } in &mut filters {
        let wanted = !values.is_empty();
        // What nobody has stays, and is refused with its name.
        values.retain(|value| has(group, name, value) || !has(all, name, value));
        if wanted && values.is_empty() {
            return None;
        }
    }
    Some(filters)
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
