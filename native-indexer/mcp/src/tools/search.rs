use super::super::arguments::{Aliases, Flag, NamedTexts, OneOrSeveral, Texts, Whole};
use super::super::response::{beginning, fenced, one_line};
use super::super::{Server, resources};
use super::tool::{Call, Reach, Tool};
use anyhow::{Result, ensure};
use nearfind_base::facets::{CODE_LANGUAGE, KIND};
use nearfind_bundles::library::{About, Content, FoundHit, PathFilter, Question, Rerank, View, path_regex};
use nearfind_core::content::ContentMode;
use nearfind_core::search::{CLASS, CODE, Filter, Mode, PATH, PROJECT};
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
/// Characters of a document's content where nothing else is asked for, at most.
const DEFAULT_CONTENT_CHARS: usize = 10_000;
/// Characters of the contents of a response where nothing else is asked for: with what surrounds them it is a question's
/// worth of some 5,000 tokens.
const DEFAULT_CONTENTS: usize = 11_000;
/// Characters of a document in the text of a response whose contents are in its structure: they need not be there twice.
const PASSAGE_CHARS: usize = 700;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// A question in plain words, or keywords, names, "exact phrases" and -exclusions.
    query: String,
    /// Only documents of this project, as list_projects names it; several are alternatives.
    #[serde(default)]
    #[schemars(with = "Option<OneOrSeveral>")]
    project: Texts,
    /// What to search: "all" (default), "docs" for what is written for readers, "code" for source code; or a kind that
    /// list_projects shows, such as guide or reference.
    #[serde(default)]
    kind: Option<String>,
    /// Of source code the programming language, as in "python"; several are alternatives.
    #[serde(default)]
    #[schemars(with = "Option<OneOrSeveral>")]
    language: Texts,
    /// What source code is there for: "source", "test", "example", "fixture", "config", "reexport" or "preamble"; all, but
    /// "source" first, if it is left out.
    #[serde(default)]
    #[schemars(with = "Option<OneOrSeveral>")]
    class: Texts,
    /// Only below this folder, or this file, by its path in its project.
    #[serde(default)]
    #[schemars(with = "Option<OneOrSeveral>")]
    path: Texts,
    /// How much of each document comes with it: "truncated" its passages that answer (default), "chunk" the best passage
    /// alone, "full" all of it, "none" nothing. true and false stand for truncated and none.
    #[serde(default)]
    #[schemars(with = "Option<ContentSchema>")]
    content: Option<ContentChoice>,
    /// Documents wanted, at most.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 1, max = 50), extend("default" = 5))]
    max_results: Option<Whole>,
    /// Characters of each document's content, at most, where it is truncated; by default what makes a response of some 5,000
    /// tokens, and no more than 10,000.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 100, max = 1_000_000))]
    max_content_chars: Option<Whole>,
    /// What to narrow by, name to value or values (alternatives): facets that list_projects shows, such as version or kind;
    /// area and sub_area, folders of the documentation; path, a folder or a file; path_regex; since and until, dates.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, OneOrSeveral>>")]
    filters: NamedTexts,
    /// What ranks: "hybrid" words and meaning (default), "words" for exact names, "meaning" for paraphrases.
    #[serde(default)]
    #[schemars(with = "Option<ModeSchema>")]
    mode: Option<ModeChoice>,
    /// Whether to follow what is near the best documents by meaning, and again from the best of all: finds what answers in words of
    /// its own, where this server has a reranker, and takes some seconds.
    #[serde(default)]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    multi_hop: Option<Flag>,
    /// Documents to leave out in front: next_offset of the response before.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 0, max = 150), extend("default" = 0))]
    offset: Option<Whole>,
}

/// What ranks, also by the names that others give it.
#[derive(Clone, Copy, Debug)]
struct ModeChoice(Mode);

impl<'de> Deserialize<'de> for ModeChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Self(match name.to_lowercase().as_str() {
            "hybrid" | "auto" => Mode::Hybrid,
            "words" | "keyword" | "keywords" | "lexical" | "bm25" => Mode::Words,
            "meaning" | "semantic" | "vector" | "dense" => Mode::Meaning,
            _ => {
                let message =
                    format!("{name:?} is none of hybrid, words and meaning; for text as it is written use grep");
                return Err(serde::de::Error::custom(message));
            }
        }))
    }
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
    /// Where no document fits, those that come nearest, which may not answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearest: Vec<Found>,
    /// The offset of the documents after these; absent if there are no more.
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
    /// One line on it.
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// Whether it is a reference page.
    is_reference: bool,
    /// When it was written or last changed, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// The page, at the section that answers; absent if it is published nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Where its file is shown; absent if nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_url: Option<String>,
    /// Headings above the best passage.
    section: String,
    /// The line of the document on which the best passage begins, for get_document.
    line: usize,
    /// Of source code the lines of the piece, as in 120-148.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// Its programming language; absent for other documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// What source code is there for.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    /// True where the file has changed since it was indexed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    /// The lines as a file that has changed has them now; absent if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<String>,
    /// How sure it is that it answers, 0 to 1, comparable between questions; .5 is for what just fits.
    relevance_score: f32,
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
    /// Of a document that does not fit, the offset at which get_document goes on; absent if this is all that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_next_offset: Option<usize>,
    /// Its best passage, for the text of a response that has the content once.
    #[serde(skip)]
    passage: Option<String>,
}

impl Tool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search documentation and source code";
    const DESCRIPTION: &'static str = "Finds documents, and functions and classes of source code where it is indexed, by words and by meaning, best first, each with the passages that \
        answer. Start here, with a whole question or with names and keywords. Narrow with project when you know it, with kind to docs or code. Read \
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
        ("path_filter", "path"),
        ("folder", "path"),
        ("lang", "language"),
        ("languages", "language"),
        ("type", "mode"),
        ("search_type", "mode"),
        ("start", "offset"),
        ("skip", "offset"),
    ];
    const REACH: Reach = Reach::Questions;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        ensure!(!arguments.query.trim().is_empty(), "argument `query` is empty: say what to search for");
        let limit = Whole::within(arguments.max_results, "max_results", &RESULTS, DEFAULT_RESULTS)?;
        let offset = Whole::within(arguments.offset, "offset", &OFFSETS, 0)?;
        let fitting = (DEFAULT_CONTENTS / limit).clamp(*CONTENT_CHARS.start(), DEFAULT_CONTENT_CHARS);
        let most_chars = Whole::within(arguments.max_content_chars, "max_content_chars", &CONTENT_CHARS, fitting)?;
        let is_default = arguments.content.is_none() && arguments.max_content_chars.is_none();
        let content = arguments.content.unwrap_or_default();
        let budget = server.0.budget;
        let library = &server.0.library;
        library.read(|view| {
            let (filters, path) = filters(view, &arguments)?;
            let reply = library.ask(
                view,
                &Question {
                    text: arguments.query.as_str().into(),
                    mode: arguments.mode.map(|ModeChoice(mode)| mode).unwrap_or_default(),
                    offset,
                    limit,
                    filters,
                    path,
                    nearest: true,
                    looks_further: true,
                    content: Content { mode: content.0, most_chars, notice: TRUNCATED },
                    rerank: if arguments.multi_hop == Some(Flag(true)) { Rerank::MultiHop } else { Rerank::Best },
                    ..Question::default()
                },
            )?;
            let several = view.bundles.len() > 1;
            let nearest =
                reply.nearest.into_iter().map(|hit| found(hit, several, ContentMode::None, PASSAGE_CHARS, false));
            let nearest = nearest.collect::<Result<Vec<Found>>>()?;
            let most_chars = budget.chars() * 4 / 5;
            let found = reply.hits.into_iter().map(|hit| found(hit, several, content.0, most_chars, is_default));
            let mut results = found.collect::<Result<Vec<Found>>>()?;
            let shown = budget.fitting(&results);
            let has_more = reply.has_more || shown < results.len();
            results.truncate(shown);
            Ok(Outcome {
                query: arguments.query.clone(),
                mode: reply.mode.name(),
                results,
                nearest,
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
        if outcome.results.is_empty() {
            text += if outcome.nearest.is_empty() {
                "nothing found: try other words, or without project and filters\n"
            } else {
                "nothing found that fits: try other words; these come nearest, and may not answer\n"
            };
        }
        let shown = outcome.results.iter().chain(&outcome.nearest);
        text.extend((1..).zip(shown).map(|(number, found)| entry(number, found)));
        if let Some(next) = outcome.next_offset {
            text += &format!("\nthere are more: next_offset = {next}\n");
        }
        text
    }
}

/// A document as text.
fn entry(number: usize, found: &Found) -> String {
    let mut text = format!("\n## {number}. {}\n", one_line(&found.title));
    let reference = if found.is_reference { ", reference" } else { "" };
    text += &match &found.lines {
        Some(lines) => format!("code: {}/{}:{lines}\n", one_line(&found.project), one_line(&found.path)),
        None => format!("document: {} (line {}{reference})\n", one_line(&found.document), found.line),
    };
    if found.stale {
        text += "the file has changed since it was indexed; these lines are as they are now:\n";
        text += &found.current.as_deref().map_or_else(|| "it is gone\n".to_owned(), fenced);
        return text;
    }
    for (name, value) in [
        ("section", (!found.section.is_empty()).then_some(&found.section)),
        ("about", (!found.description.is_empty()).then_some(&found.description)),
        ("url", found.url.as_ref()),
        ("source", found.source_url.as_ref()),
        ("date", found.date.as_ref()),
        ("bundle", found.bundle.as_ref()),
    ] {
        text += &value.map(|value| format!("{name}: {}\n", one_line(value))).unwrap_or_default();
    }
    if !found.versions.is_empty() {
        text += &format!("versions: {}\n", one_line(&found.versions.join(", ")));
    }
    if let Some(content) = found.passage.as_ref().or(found.content.as_ref()).or(found.excerpt.as_ref()) {
        text += &fenced(content);
    }
    text
}

/// The filters that were asked for, with the names of projects as they are.
fn filters(view: &View, arguments: &Arguments) -> Result<(Vec<Filter>, Option<PathFilter>)> {
    let mut filters = Vec::new();
    let mut path = None;
    let kind = arguments.kind.as_deref().map_or(Ok(Texts::default()), |kind| kinds(view, kind))?;
    let own = [
        (PROJECT, &arguments.project),
        (KIND, &kind),
        (CODE_LANGUAGE, &arguments.language),
        (CLASS, &arguments.class),
        (PATH, &arguments.path),
    ];
    let own = own.into_iter().filter(|(_, values)| !values.0.is_empty());
    let others = arguments.filters.0.iter().map(|(name, values)| (name.as_str(), values));
    for (name, Texts(values)) in own.chain(others) {
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

/// The kinds of documents that `kind` stands for; none for all.
fn kinds(view: &View, kind: &str) -> Result<Texts> {
    let known = view.values_of(KIND);
    Ok(match kind.to_lowercase().as_str() {
        "all" | "any" | "both" => Texts::default(),
        // Where there is no code, everything is docs.
        "docs" | "doc" | "documentation" => {
            let docs = known.iter().filter(|kind| *kind != CODE).cloned().collect();
            if known.contains(CODE) { Texts(docs) } else { Texts::default() }
        }
        CODE => {
            ensure!(known.contains(CODE), "no source code is indexed here: search the documentation, kind=\"docs\"");
            Texts(vec![CODE.to_owned()])
        }
        other => Texts(vec![other.to_owned()]),
    })
}

/// The paths that match one of `patterns`.
pub(super) fn matching_one(patterns: &[String]) -> Result<PathFilter> {
    let regexes = patterns.iter().map(|pattern| path_regex(pattern)).collect::<Result<Vec<Regex>>>()?;
    Ok(Arc::new(move |path| regexes.iter().any(|regex| regex.is_match(path))))
}

/// A hit for readers, its content no longer than `most_chars`. With `has_passage` the text of the response has its best
/// passage alone.
fn found(found: FoundHit, several: bool, mode: ContentMode, most_chars: usize, has_passage: bool) -> Result<Found> {
    let line = found.line()?;
    let code = found.code()?;
    let About { description, source_url, is_reference, date } = found.about()?;
    let passage =
        if has_passage { found.chunk()?.map(|chunk| beginning(&chunk, PASSAGE_CHARS).0.to_owned()) } else { None };
    let FoundHit { hit, bundle, content, .. } = found;
    let anchored = |url: String| match hit.anchor.as_str() {
        "" => url,
        anchor => format!("{url}#{anchor}"),
    };
    let (content, content_next_offset) = match content {
        // Passages of a document are no beginning of it, so there is no place where it goes on.
        Some(content) if mode != ContentMode::Full => (Some(beginning(&content, most_chars).0.to_owned()), None),
        Some(content) => {
            let (content, next_offset) = shortened(content, &hit.project, &hit.path, most_chars);
            (Some(content), next_offset)
        }
        None => (None, None),
    };
    Ok(Found {
        relevance_score: hit.score,
        uri: resources::document_uri(&hit.project, &hit.path),
        url: hit.url.map(anchored),
        source_url,
        excerpt: content.is_none().then_some(hit.excerpt.text),
        document: hit.document,
        project: hit.project,
        path: hit.path,
        title: hit.title,
        description,
        is_reference,
        date: date.map(|date| date.to_string()),
        section: hit.section,
        line,
        lines: code.as_ref().map(|code| format!("{}-{}", code.lines.0, code.lines.1)),
        stale: code.as_ref().is_some_and(|code| code.is_stale),
        current: code
            .as_ref()
            .and_then(|code| code.current.as_deref())
            .map(|now| beginning(now, most_chars).0.to_owned()),
        language: code.as_ref().map(|code| code.language.clone()),
        class: code.map(|code| code.class),
        versions: hit.versions.into_iter().map(|version| version.version).collect(),
        bundle: several.then(|| bundle.label.clone()),
        content_next_offset,
        content,
        passage,
    })
}

/// A document's text that fits, and the offset at which get_document goes on, if there is more.
pub(super) fn shortened(text: String, project: &str, path: &str, most_chars: usize) -> (String, Option<usize>) {
    let (start, is_all) = beginning(&text, most_chars);
    if is_all {
        return (text, None);
    }
    let next = start.chars().count();
    let more = format!("[... there is more: get_document(path={path:?}, project={project:?}, offset={next})]");
    (format!("{start}\n\n{more}"), Some(next))
}
