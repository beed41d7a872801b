use super::super::arguments::{Aliases, Flag, MOST_CHARS, NamedTexts, Texts, Whole};
use super::super::response::{beginning, counted, fenced_as, notes, one_line};
use super::super::{Server, resources};
use super::narrowing::{Narrowed, Narrowing, kinds, languages};
use super::tool::{Call, Reach, Tool};
use anyhow::{Result, ensure};
use nearfind_base::facets::{CODE_LANGUAGE, KIND};
use nearfind_bundles::library::{About, Content, FoundHit, PathFilter, PlaceNames, Question, Rerank, View};
use nearfind_core::content::ContentMode;
use nearfind_core::search::{CLASS, Filter, Mode, PATH, PATH_REGEX, PROJECT};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

pub(super) struct Search;

/// How many documents a response may have.
pub(super) const RESULTS: RangeInclusive<usize> = 1..=50;
pub(super) const DEFAULT_RESULTS: usize = 5;
/// How many documents a call may skip. Together with the longest response, this covers the 200 documents that are
/// ranked fully.
pub(super) const OFFSETS: RangeInclusive<usize> = 0..=150;
const CONTENT_CHARS: RangeInclusive<usize> = 100..=1_000_000;
/// Marks content that was cut off.
const TRUNCATED: &str = "\n\n[... content truncated, use content='full' for complete content]";
/// Default length of the content of a document, in characters.
const DEFAULT_CONTENT_CHARS: usize = 10_000;
/// Default length of all contents in a response, in characters. With the text around them, a response then has some
/// 5,000 tokens.
const DEFAULT_CONTENTS: usize = 11_000;
/// Maximum length of a document's passage, in characters. The passage is the content if the call does not ask for more.
const PASSAGE_CHARS: usize = 700;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Question in plain words, keywords, names, "exact phrases", -exclusions
    query: String,
    /// Only this project
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    project: Texts,
    /// all (default), docs, code, history, or a kind that list_projects shows
    #[serde(default)]
    kind: Option<String>,
    /// Programming language, such as python
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    language: Texts,
    /// For source code: source, test, example, fixture, config, reexport or preamble
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    class: Texts,
    /// Folder, file or glob
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path: Texts,
    /// Regex over paths
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path_regex: Texts,
    /// Text of each: truncated (default), the passages that answer; chunk, the best one; full; none
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    content: Option<ContentChoice>,
    /// 5 by default
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    max_results: Option<Whole>,
    /// Characters of each, if truncated
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    max_content_chars: Option<Whole>,
    /// Facets that list_projects shows, such as version; area, sub_area; dates: since, until
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    filters: NamedTexts,
    /// hybrid (default), by words and meaning; words, for exact names; meaning, for paraphrases
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    mode: Option<ModeChoice>,
    /// Follow what is near the best by meaning; takes a few seconds
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    multi_hop: Option<Flag>,
    /// next_offset of the previous response
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    offset: Option<Whole>,
}

/// The ranking method, which also has names that other tools use.
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
                let message = format!("{name:?} is not hybrid, words or meaning; for exact text, use grep");
                return Err(serde::de::Error::custom(message));
            }
        }))
    }
}

/// How much content the call asks for.
#[derive(Clone, Copy, Debug)]
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
                let message = format!("{value} is not truncated, chunk, full or none");
                return Err(serde::de::Error::custom(message));
            }
        }))
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The query.
    query: String,
    /// What ranked: hybrid, words or meaning.
    mode: &'static str,
    /// Documents, best first.
    results: Vec<Found>,
    /// If no document fits, the nearest ones, which may not answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearest: Vec<Found>,
    /// The offset of the documents after these; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Words that no document has, and the words that were searched for instead.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    corrections: BTreeMap<String, String>,
    /// Phrases in quotes that no document has: their words were searched for instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_phrases: Vec<String>,
    /// Notes on how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

/// A document that was found.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Found {
    /// Its path, after its project if there are several; for a piece of source code, with what it defines.
    document: String,
    /// The same of its file.
    #[serde(skip)]
    place: String,
    /// Name of its project.
    project: String,
    /// Path inside its project, for get_document.
    path: String,
    /// Title of the document.
    title: String,
    /// One line on it.
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// True for a reference page.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_reference: bool,
    /// When it was written or last changed, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Address of the page, at the section that answers; absent if it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Address that shows its file; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_url: Option<String>,
    /// Headings above the best passage; for a piece of source code, the signatures in it.
    #[serde(skip_serializing_if = "String::is_empty")]
    section: String,
    /// The line of the document on which the best passage begins, for get_document.
    line: usize,
    /// Lines of a piece of source code, as in 120-148.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// Its programming language; absent for other documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// The class of source code.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    /// True if the file has changed since it was indexed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    /// The current lines of a file that has changed; absent if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<String>,
    /// Confidence that it answers, 0 to 1, comparable between questions; .5 for a document that just fits.
    relevance_score: f32,
    /// The versions of the page, the latest first; absent if it has one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    versions: Vec<String>,
    /// The index that it is in; absent if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<String>,
    /// The resource with all of it.
    uri: String,
    /// A short passage; absent if there is content.
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
    /// Its text, as much as was requested, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// The offset at which get_document continues a document that does not fit; absent if this is all that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_next_offset: Option<usize>,
    /// First and last line of the content, if it is the best passage of a piece of source code.
    #[serde(skip)]
    shown: Option<(usize, usize)>,
}

impl Tool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search documentation and source code";
    const DESCRIPTION: &'static str = "Finds documents, and functions and classes of source code, by words and by meaning, best first, each \
        with the passages that answer. Start here, with a whole question or with names. Read on with get_document.";
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
        ("glob", "path"),
        ("file", "path"),
        ("folder", "path"),
        ("target_directories", "path"),
        ("include_pattern", "path"),
        ("lang", "language"),
        ("languages", "language"),
        ("type", "mode"),
        ("search_type", "mode"),
        ("start", "offset"),
        ("skip", "offset"),
    ];
    const REACH: Reach = Reach::Questions;
    const NAMES_FILES: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        ensure!(!arguments.query.trim().is_empty(), "argument `query` is empty: say what to search for");
        let chars = arguments.query.chars().count();
        ensure!(chars <= MOST_CHARS, "argument `query` has {chars} characters: shorten it to {MOST_CHARS} at most");
        let limit = Whole::within(arguments.max_results, "max_results", &RESULTS, DEFAULT_RESULTS)?;
        let offset = Whole::within(arguments.offset, "offset", &OFFSETS, 0)?;
        let fitting = (DEFAULT_CONTENTS / limit).clamp(*CONTENT_CHARS.start(), DEFAULT_CONTENT_CHARS);
        let most_chars = Whole::within(arguments.max_content_chars, "max_content_chars", &CONTENT_CHARS, fitting)?;
        let is_default = arguments.content.is_none() && arguments.max_content_chars.is_none();
        let usual = if is_default { ContentMode::Chunk } else { ContentMode::Truncated };
        let mode = arguments.content.map_or(usual, |ContentChoice(mode)| mode);
        let budget = server.0.options.budget;
        let library = &server.0.library;
        library.read(|view| {
            let (filters, path, mut notices) = filters(view, &arguments)?;
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
                    content: Content { mode, most_chars, notice: TRUNCATED },
                    rerank: if arguments.multi_hop == Some(Flag(true)) { Rerank::MultiHop } else { Rerank::Best },
                    ..Question::default()
                },
            )?;
            let shown = Shown { several: view.bundles.len() > 1, names: view.place_names() };
            let nearest =
                reply.nearest.into_iter().map(|hit| found(hit, &shown, ContentMode::None, PASSAGE_CHARS, false));
            let nearest = nearest.collect::<Result<Vec<Found>>>()?;
            let most_chars = budget.chars() * 4 / 5;
            let found = reply.hits.into_iter().map(|hit| found(hit, &shown, mode, most_chars, is_default));
            let mut results = found.collect::<Result<Vec<Found>>>()?;
            let shown = budget.fitting(&results);
            let has_more = reply.has_more || shown < results.len();
            results.truncate(shown);
            notices.extend(reply.notices);
            Ok(Outcome {
                query: arguments.query.clone(),
                mode: reply.mode.name(),
                results,
                nearest,
                next_offset: Some(offset + shown).filter(|next| has_more && OFFSETS.contains(next)),
                corrections: reply.corrections.into_iter().map(|corrected| (corrected.word, corrected.meant)).collect(),
                missing_phrases: reply.missing_phrases,
                notices,
            })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let found = counted(outcome.results.len(), "result");
        let mut text = format!("{found} for {:?}, by {}\n", one_line(&outcome.query), outcome.mode);
        text += &notes(&outcome.notices);
        for (word, meant) in &outcome.corrections {
            text += &format!("no document contains `{word}`: searched for `{meant}`\n");
        }
        for phrase in &outcome.missing_phrases {
            text += &format!("no document contains the phrase \"{}\": searched for its words\n", one_line(phrase));
        }
        if outcome.results.is_empty() {
            text += if outcome.nearest.is_empty() {
                "nothing found: try other words, or without project, path and filters\n"
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

/// Returns a document as text.
fn entry(number: usize, found: &Found) -> String {
    let mut text = format!("\n## {number}. {}\n", one_line(&found.title));
    let reference = if found.is_reference { ", reference" } else { "" };
    text += &match &found.lines {
        Some(lines) => format!("code: {}:{lines}{}\n", one_line(&found.place), shown_lines(found, lines)),
        None => format!("document: {} (line {}{reference})\n", one_line(&found.document), found.line),
    };
    let language = found.language.as_deref().unwrap_or("markdown");
    if found.stale {
        text += "the file has changed since it was indexed; these lines are as they are now:\n";
        text += &found.current.as_deref().map_or_else(|| "it is gone\n".to_owned(), |now| fenced_as(language, now));
        return text;
    }
    // The title names what a piece of source code defines, and the passage begins with its signature.
    let has_section = found.lines.is_none() && !found.section.is_empty();
    for (name, value) in [
        ("section", has_section.then_some(&found.section)),
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
    if let Some(content) = found.content.as_ref().or(found.excerpt.as_ref()) {
        text += &fenced_as(language, content);
    }
    text
}

/// Names the lines of a piece of source code that are shown, if they are not all of its `lines`.
fn shown_lines(found: &Found, lines: &str) -> String {
    let shown = found.shown.map(|(first, last)| format!("{first}-{last}"));
    shown.filter(|shown| shown != lines).map(|shown| format!(", here {shown}")).unwrap_or_default()
}

/// Returns the filters that the arguments ask for, the paths to search, and notes on how the paths were interpreted.
/// Fails for an unknown project, filter or value.
fn filters(view: &View, arguments: &Arguments) -> Result<(Vec<Filter>, Option<PathFilter>, Vec<String>)> {
    let named = |name: &str| arguments.filters.0.get(name).map_or(&[][..], |Texts(values)| values);
    let both = |own: &Texts, name: &str| [&own.0, named(name)].concat();
    let (project, path) = (both(&arguments.project, PROJECT), both(&arguments.path, PATH));
    let path_regex = both(&arguments.path_regex, PATH_REGEX);
    let narrowed = Narrowing { project: &project, path: &path, path_regex: &path_regex, ..Narrowing::default() };
    let Narrowed { projects, path, notices } = narrowed.narrowed(view)?;
    let kind = arguments.kind.as_deref().map_or_else(|| Ok(Vec::new()), |kind| kinds(view, kind))?;
    let language = languages(view, &both(&arguments.language, CODE_LANGUAGE))?;
    let own = [(PROJECT, projects), (KIND, kind), (CODE_LANGUAGE, language), (CLASS, arguments.class.0.clone())];
    let own = own.into_iter().filter(|(_, values)| !values.is_empty());
    let is_other = |name: &str| ![PROJECT, PATH, PATH_REGEX, CODE_LANGUAGE].contains(&name);
    let others = arguments.filters.0.iter().filter(|(name, _)| is_other(name));
    let others = others.map(|(name, Texts(values))| (name.as_str(), values.clone()));
    let filters: Vec<Filter> =
        own.chain(others).map(|(name, values)| Filter { name: name.to_owned(), values }).collect();
    view.check_filters(&filters)?;
    Ok((filters, path, notices))
}

/// What the names of results depend on.
struct Shown {
    /// Whether there are several bundles.
    several: bool,
    names: PlaceNames,
}

/// Converts a hit to a result with at most `most_chars` of content. With `is_passage`, the content is only the best
/// passage.
fn found(found: FoundHit, names: &Shown, mode: ContentMode, most_chars: usize, is_passage: bool) -> Result<Found> {
    let line = found.line()?;
    let code = found.code()?;
    let About { description, source_url, is_reference, date } = found.about()?;
    let FoundHit { hit, bundle, content, .. } = found;
    let anchored = |url: String| match hit.anchor.as_str() {
        "" => url,
        anchor => format!("{url}#{anchor}"),
    };
    let (content, content_next_offset) = match content {
        // Passages are not the beginning of the document, so there is no offset to continue from.
        Some(content) if mode != ContentMode::Full => {
            let most_chars = if is_passage { PASSAGE_CHARS } else { most_chars };
            (Some(beginning(&content, most_chars).0.to_owned()), None)
        }
        Some(content) => {
            let (content, next_offset) = shortened(content, &hit.project, &hit.path, most_chars);
            (Some(content), next_offset)
        }
        None => (None, None),
    };
    let passage_lines = |passage: &String| (line, line + passage.trim_end().lines().count().saturating_sub(1));
    let shown = content.as_ref().filter(|_| is_passage && code.is_some()).map(passage_lines);
    Ok(Found {
        relevance_score: hit.score,
        uri: resources::document_uri(&hit.project, &hit.path),
        url: hit.url.map(anchored),
        source_url,
        excerpt: content.is_none().then_some(hit.excerpt.text),
        document: names.names.short(&hit.document).to_owned(),
        place: names.names.join(&hit.project, &hit.path),
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
        bundle: names.several.then(|| bundle.label.clone()),
        content_next_offset,
        content,
        shown,
    })
}

/// Returns the part of a document that fits, and the offset from which `get_document` continues if there is more.
pub(super) fn shortened(text: String, project: &str, path: &str, most_chars: usize) -> (String, Option<usize>) {
    let (start, is_all) = beginning(&text, most_chars);
    if is_all {
        return (text, None);
    }
    let next = start.chars().count();
    let more = format!("[... there is more: get_document(path={path:?}, project={project:?}, offset={next})]");
    (format!("{start}\n\n{more}"), Some(next))
}
