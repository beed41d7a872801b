use super::super::Server;
use super::super::arguments::{Aliases, Flag, MOST_CHARS, NamedTexts, Texts, Whole};
use super::super::response::{counted, notes, one_line};
use super::narrowing::{Narrowed, Narrowing, kinds, languages};
use super::search_result::{Found, Shown, TextOf, entry, found};
use super::tool::{Call, Reach, Tool};
use anyhow::{Result, ensure};
use nearfind_base::facets::{CODE_LANGUAGE, KIND};
use nearfind_bundles::library::{Content, PathFilter, Question, Rerank, View};
use nearfind_core::content::ContentMode;
use nearfind_core::search::{CLASS, Filter, Mode, PATH, PATH_REGEX, PROJECT};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

pub(super) struct Search;

/// Number of documents in a response.
pub(super) const RESULTS: RangeInclusive<usize> = 1..=50;
pub(super) const DEFAULT_RESULTS: usize = 5;
/// Number of documents that a call may skip. Together with the longest response, this covers the 200 fully ranked
/// documents.
pub(super) const OFFSETS: RangeInclusive<usize> = 0..=150;
const CONTENT_CHARS: RangeInclusive<usize> = 100..=1_000_000;
/// The mark at the end of truncated content.
const TRUNCATED: &str = "\n\n[... content truncated, use content='full' for complete content]";
/// Default length of a document's content in characters.
const DEFAULT_CONTENT_CHARS: usize = 10_000;
/// Default length of all contents in a response in characters. With the text around them, such a response has about
/// 5,000 tokens.
const DEFAULT_CONTENTS: usize = 11_000;
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
    /// Regex for paths
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path_regex: Texts,
    /// Text per document: truncated (relevant passages), chunk (the best passage), full or none; short by default
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    content: Option<ContentChoice>,
    /// 5 by default
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    max_results: Option<Whole>,
    /// Characters per document, if truncated
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
    /// Also find texts similar to the best results; takes a few seconds
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    multi_hop: Option<Flag>,
    /// next_offset of the previous response
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    offset: Option<Whole>,
}

/// The ranking method. Names from other tools are also accepted.
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

/// The amount of content that the call requests.
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
    /// The ranking method: hybrid, words or meaning.
    mode: &'static str,
    /// Documents, best first.
    results: Vec<Found>,
    /// If no document fits, the nearest ones, which may not answer the question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearest: Vec<Found>,
    /// The offset of the next documents; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Words that no document contains, and the words that were searched for instead.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    corrections: BTreeMap<String, String>,
    /// Quoted phrases that no document contains: their words were searched for instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_phrases: Vec<String>,
    /// Notes on how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

impl Tool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search documentation and source code";
    const DESCRIPTION: &'static str = "Finds documents, functions and classes by words and meaning, best first, each \
    with the passages that answer the question. Start here, with a whole question or with names. Read on with \
    get_document.";
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
            let nearest = reply.nearest.into_iter().map(|hit| found(hit, &shown, TextOf::Nothing));
            let nearest = nearest.collect::<Result<Vec<Found>>>()?;
            let most_chars = budget.chars() * 4 / 5;
            let text = |place| match is_default {
                true if place == 0 => TextOf::First,
                true => TextOf::Further,
                false => TextOf::Mode(mode, most_chars),
            };
            let hits = reply.hits.into_iter().enumerate();
            let found = hits.map(|(place, hit)| found(hit, &shown, text(place)));
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

/// Returns the filters in the arguments, the paths to search, and notes on how the paths were interpreted. Fails for an
/// unknown project, filter or value.
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
