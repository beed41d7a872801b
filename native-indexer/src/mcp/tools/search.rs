use super::super::arguments::{Aliases, OneOrSeveral, Texts, Whole};
use super::super::response::{beginning, fenced, one_line};
use super::super::{Server, resources};
use super::{Call, Tool};
use crate::library::{Content, FoundHit, PathFilter, Question, View, path_regex};
use anyhow::{Result, ensure};
use nearfind_core::content::ContentMode;
use nearfind_core::search::{Filter, Hit, Mode, PROJECT};
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

pub(super) struct Search;

/// Documents of one response.
pub(super) const RESULTS: RangeInclusive<usize> = 1..=50;
pub(super) const DEFAULT_RESULTS: usize = 5;
/// Documents that may be left out in front of them: as many as are ranked with care.
pub(super) const OFFSETS: RangeInclusive<usize> = 0..=150;
const CONTENT_CHARS: RangeInclusive<usize> = 100..=1_000_000;
/// Ends a text that was shortened.
const TRUNCATED: &str = "\n\n[... content truncated, use content='full' for complete content]";
const DEFAULT_CONTENT_CHARS: usize = 10_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// A question in plain words, or keywords, names, "exact phrases" and -exclusions.
    query: String,
    /// Only documents of this project, as list_projects names it; several are alternatives.
    #[serde(default)]
    #[schemars(with = "Option<OneOrSeveral>")]
    project: Texts,
    /// How much of each document comes with it: "truncated" its passages that answer (default), "chunk" the best passage
    /// alone, "full" all of it, "none" nothing. true and false stand for truncated and none.
    #[serde(default)]
    #[schemars(with = "Option<ContentSchema>")]
    content: ContentChoice,
    /// Documents wanted, at most.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 1, max = 50), extend("default" = 5))]
    max_results: Option<Whole>,
    /// Characters of each document's content, at most, where it is truncated.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 100, max = 1_000_000), extend("default" = 10_000))]
    max_content_chars: Option<Whole>,
    /// What to narrow by, name to value or values (alternatives): facets that list_projects shows, such as version or kind;
    /// area and sub_area, folders of the documentation; path, a folder or a file; path_regex; since and until, dates.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, OneOrSeveral>>")]
    filters: BTreeMap<String, Texts>,
    /// What ranks: "hybrid" words and meaning (default), "words" for exact names, "meaning" for paraphrases.
    #[serde(default)]
    #[schemars(with = "Option<ModeSchema>")]
    mode: Option<Mode>,
    /// Documents to leave out in front: next_offset of the response before.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 0, max = 150), extend("default" = 0))]
    offset: Option<Whole>,
}

/// How much content, as it was asked for.
#[derive(Clone, Copy, Debug, Default)]
struct ContentChoice(ContentMode);

impl<'de> Deserialize<'de> for ContentChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text = value.as_str().map(str::to_lowercase);
        Ok(Self(match (&value, text.as_deref()) {
            (Value::Bool(true), _) | (_, Some("truncated" | "true")) => ContentMode::Truncated,
            (Value::Bool(false), _) | (_, Some("none" | "false")) => ContentMode::None,
            (_, Some("chunk")) => ContentMode::Chunk,
            (_, Some("full")) => ContentMode::Full,
            _ => {
                let message = format!("{value} is none of truncated, chunk, full and none");
                return Err(serde::de::Error::custom(message));
            }
        }))
    }
}

#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "there for its schema alone")]
enum ContentSchema {
    Named(ContentName),
    Whether(bool),
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "there for its schema alone")]
enum ContentName {
    Truncated,
    Chunk,
    Full,
    None,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "there for its schema alone")]
enum ModeSchema {
    Hybrid,
    Words,
    Meaning,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The query.
    query: String,
    /// What ranked: hybrid, words or meaning.
    mode: &'static str,
    /// Documents, best first.
    results: Vec<Found>,
    /// The offset of the documents behind these; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Words that no document has, and what they were taken for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    corrections: BTreeMap<String, String>,
    /// Phrases in quotes that no document has: their words were searched for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_phrases: Vec<String>,
    /// What to know of how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

/// A document that was found.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Found {
    /// Project and path.
    document: String,
    /// Name of its project.
    project: String,
    /// Path inside its project, for get_document.
    path: String,
    /// Title of the document.
    title: String,
    /// The page, at the section that answers; absent if it is published nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Headings above the best passage.
    section: String,
    /// The line of the document on which the best passage begins, for get_document.
    line: usize,
    /// How far it stands out by words and meaning; comparable within one response.
    score: f32,
    /// How near its best passage is in meaning, 0 to 1; absent where meaning took no part.
    #[serde(skip_serializing_if = "Option::is_none")]
    relevance_score: Option<f32>,
    /// The versions of the page, the latest first; absent if it has one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    versions: Vec<String>,
    /// The bundle that it is in; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<String>,
    /// The resource with all of it.
    uri: String,
    /// A short passage; absent where there is content.
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
    /// Its text, as much as was asked for, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

impl Tool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search the documentation";
    const DESCRIPTION: &'static str = "Finds documents by words and by meaning, best first, each with the passages that \
        answer. Start here, with a whole question or with names and keywords. Narrow with project when you know it. Read \
        more of a result with get_document, from its line. Use get_reference_guide instead for one component's reference \
        page, and pages to find files by name or path.";
    const ALIASES: Aliases = &[
        ("q", "query"),
        ("question", "query"),
        ("text", "query"),
        ("search", "query"),
        ("search_query", "query"),
        ("topic", "query"),
        ("keywords", "query"),
        ("prompt", "query"),
        ("projects", "project"),
        ("project_name", "project"),
        ("package", "project"),
        ("library", "project"),
        ("library_name", "project"),
        ("library_id", "project"),
        ("repo", "project"),
        ("repository", "project"),
        ("limit", "max_results"),
        ("top_k", "max_results"),
        ("k", "max_results"),
        ("n", "max_results"),
        ("n_results", "max_results"),
        ("num_results", "max_results"),
        ("count", "max_results"),
        ("page_size", "max_results"),
        ("max_chars", "max_content_chars"),
        ("max_length", "max_content_chars"),
        ("include_content", "content"),
        ("content_mode", "content"),
        ("filter", "filters"),
        ("type", "mode"),
        ("search_type", "mode"),
        ("start", "offset"),
        ("skip", "offset"),
    ];
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        ensure!(!arguments.query.trim().is_empty(), "argument `query` is empty: say what to search for");
        let limit = Whole::within(arguments.max_results, "max_results", &RESULTS, DEFAULT_RESULTS)?;
        let offset = Whole::within(arguments.offset, "offset", &OFFSETS, 0)?;
        let most_chars =
            Whole::within(arguments.max_content_chars, "max_content_chars", &CONTENT_CHARS, DEFAULT_CONTENT_CHARS)?;
        let budget = server.0.budget;
        let library = &server.0.library;
        library.read(|view| {
            let (filters, path) = filters(view, &arguments)?;
            let reply = library.ask(
                view,
                &Question {
                    text: arguments.query.as_str().into(),
                    mode: arguments.mode.unwrap_or_default(),
                    offset,
                    limit,
                    filters,
                    path,
                    looks_further: true,
                    content: Content { mode: arguments.content.0, most_chars, notice: TRUNCATED },
                    ..Question::default()
                },
            )?;
            let several = view.bundles.len() > 1;
            let found = reply.hits.into_iter().map(|hit| found(hit, several, budget.chars() * 4 / 5));
            let mut results = found.collect::<Result<Vec<Found>>>()?;
            let shown = budget.fitting(&results);
            let has_more = reply.has_more || shown < results.len();
            results.truncate(shown);
            Ok(Outcome {
                query: arguments.query.clone(),
                mode: reply.mode.name(),
                results,
                next_offset: Some(offset + shown).filter(|next| has_more && OFFSETS.contains(next)),
                corrections: reply.corrections.into_iter().map(|corrected| (corrected.word, corrected.meant)).collect(),
                missing_phrases: reply.missing_phrases,
                notices: reply.notices,
            })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = format!("{} documents for {:?}, by {}\n", outcome.results.len(), outcome.query, outcome.mode);
        for notice in &outcome.notices {
            text += &format!("note: {}\n", one_line(notice));
        }
        for (word, meant) in &outcome.corrections {
            text += &format!("no document has `{word}`: searched for `{meant}`\n");
        }
        for phrase in &outcome.missing_phrases {
            text += &format!("no document has \"{}\" as it stands: searched for its words\n", one_line(phrase));
        }
        for (number, found) in outcome.results.iter().enumerate() {
            text += &format!("\n## {}. {}\n", number + 1, one_line(&found.title));
            text += &format!("document: {} (line {})\n", one_line(&found.document), found.line);
            for (name, value) in [
                ("section", (!found.section.is_empty()).then_some(&found.section)),
                ("url", found.url.as_ref()),
                ("bundle", found.bundle.as_ref()),
            ] {
                text += &value.map(|value| format!("{name}: {}\n", one_line(value))).unwrap_or_default();
            }
            if !found.versions.is_empty() {
                text += &format!("versions: {}\n", one_line(&found.versions.join(", ")));
            }
            if let Some(content) = found.content.as_ref().or(found.excerpt.as_ref()) {
                text += &fenced(content);
            }
        }
        if outcome.results.is_empty() {
            text += "nothing found: try other words, or without project and filters\n";
        }
        if let Some(next) = outcome.next_offset {
            text += &format!("\nthere are more: next_offset = {next}\n");
        }
        text
    }
}

/// The filters that were asked for, with the names of projects as they are.
fn filters(view: &View, arguments: &Arguments) -> Result<(Vec<Filter>, Option<PathFilter>)> {
    let mut filters = Vec::new();
    let mut path = None;
    let projects = (!arguments.project.0.is_empty()).then_some((PROJECT, &arguments.project));
    let others = arguments.filters.iter().map(|(name, values)| (name.as_str(), values));
    for (name, Texts(values)) in projects.into_iter().chain(others) {
        if name == nearfind_core::search::PATH_REGEX {
            path = Some(matching_one(values)?);
            continue;
        }
        let known = |value: &String| if name == PROJECT { view.project(value) } else { Ok(value.clone()) };
        let values = values.iter().map(known).collect::<Result<_>>()?;
        filters.push(Filter { name: name.to_owned(), values });
    }
    view.check_filters(&filters)?;
    Ok((filters, path))
}

/// The paths that match one of `patterns`.
fn matching_one(patterns: &[String]) -> Result<PathFilter> {
    let regexes = patterns.iter().map(|pattern| path_regex(pattern)).collect::<Result<Vec<Regex>>>()?;
    Ok(Arc::new(move |path| regexes.iter().any(|regex| regex.is_match(path))))
}

/// A hit for readers, its content no longer than `most_chars`.
fn found(found: FoundHit, several: bool, most_chars: usize) -> Result<Found> {
    let line = found.line()?;
    let FoundHit { hit, bundle, content } = found;
    let anchored = |url: String| match hit.anchor.as_str() {
        "" => url,
        anchor => format!("{url}#{anchor}"),
    };
    let content = content.map(|content| shortened(content, &hit.project, &hit.path, most_chars));
    Ok(Found {
        relevance_score: relevance(&hit),
        uri: resources::document_uri(&hit.project, &hit.path),
        url: hit.url.map(anchored),
        excerpt: content.is_none().then_some(hit.excerpt.text),
        document: hit.document,
        project: hit.project,
        path: hit.path,
        title: hit.title,
        section: hit.section,
        line,
        score: hit.score,
        versions: hit.versions.into_iter().map(|version| version.version).collect(),
        bundle: several.then(|| bundle.label.clone()),
        content,
    })
}

/// How near the best passage of a hit is in meaning, 0 to 1; `None` for one that words alone have found.
pub(super) fn relevance(hit: &Hit) -> Option<f32> {
    let meaning = hit.why.meaning.filter(|meaning| meaning.rank.is_some())?;
    Some(f32::midpoint(1.0, meaning.score).clamp(0.0, 1.0))
}

/// A text that fits; where it goes on is said.
pub(super) fn shortened(text: String, project: &str, path: &str, most_chars: usize) -> String {
    let (start, is_all) = beginning(&text, most_chars);
    if is_all {
        return text;
    }
    let line = start.matches('\n').count() + 1;
    format!(
        "{start}\n\n[... more from line {line}: get_document(path={path:?}, project={project:?}, from_line={line})]"
    )
}
