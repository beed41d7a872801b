use super::super::Server;
use super::super::arguments::{Aliases, Flag, Texts, Whole};
use super::super::response::notes;
use super::narrowing::Narrowing;
use super::page::{Page, as_text};
use super::search::{DEFAULT_RESULTS, OFFSETS, RESULTS};
use super::tool::{Call, Reach, Tool};
use anyhow::{Result, ensure};
use nearfind_base::file_names::{file_stem, stem};
use nearfind_bundles::library::{FilesInScope, FoundPath, PathFilter, Question, View, likeness, near_names};
use nearfind_core::search::{Filter, PROJECT};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

pub(super) struct Pages;

/// The minimum similarity, from 0 to 1, of a suggested name to the missing one.
const MIN_LIKENESS: f64 = 0.5;
/// Default number of pages to list without a query.
const DEFAULT_LISTED: usize = 20;
/// Maximum length in characters of a single page's content if the call does not ask for content.
const SHOWN_CHARS: usize = 4_000;
/// Without a query, every page can be reached.
const LISTED_OFFSETS: std::ops::RangeInclusive<usize> = 0..=100_000_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// File name, with or without its extension: Audio.md
    #[serde(default)]
    name: Option<String>,
    /// Folder, file or glob
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path: Texts,
    /// Regex for paths
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path_regex: Texts,
    /// Rank the pages by how well they answer this
    #[serde(default)]
    query: Option<String>,
    /// Only this project
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    package: Texts,
    /// Whether to include text; by default, the beginning if only one page is found
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    content: Option<Flag>,
    /// 20 by default, 5 with a query
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    max_results: Option<Whole>,
    /// next_offset of the previous response
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    offset: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The pages.
    pages: Vec<Page>,
    /// Number of pages that match `name`, `path` and `package`, whether or not they answer the query.
    total: usize,
    /// The offset of the next pages; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Notes on how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

impl Tool for Pages {
    const NAME: &'static str = "pages";
    const TITLE: &'static str = "Find pages by name and path";
    const DESCRIPTION: &'static str = "Finds files by name or path, and ranks them if there is a query. Use it when \
    you know the names of files or where they are; use search when you know only what they are about.";
    const ALIASES: Aliases = &[
        ("file_name", "name"),
        ("filename", "name"),
        ("file", "name"),
        ("regex", "path_regex"),
        ("glob", "path"),
        ("folder", "path"),
        ("pattern", "path"),
        ("q", "query"),
        ("question", "query"),
        ("project", "package"),
        ("project_name", "package"),
        ("library", "package"),
        ("repo", "package"),
        ("include_content", "content"),
        ("limit", "max_results"),
        ("top_k", "max_results"),
        ("count", "max_results"),
        ("skip", "offset"),
        ("start", "offset"),
    ];
    const REACH: Reach = Reach::Questions;
    const NAMES_FILES: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    /// Treats a name with a folder or a pattern as a path.
    fn adapt(given: &mut JsonObject) {
        let is_path = |name: &Value| name.as_str().is_some_and(|name| name.contains(['/', '*', '?']));
        let name =
            ["name", "file_name", "filename", "file"].into_iter().find(|name| given.get(*name).is_some_and(is_path));
        if let Some(value) = name.filter(|_| !given.contains_key("path")).and_then(|name| given.remove(name)) {
            given.insert("path".to_owned(), value);
        }
    }

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let query = arguments.query.as_deref().filter(|query| !query.trim().is_empty());
        let usual = if query.is_some() { DEFAULT_RESULTS } else { DEFAULT_LISTED };
        let limit = Whole::within(arguments.max_results, "max_results", &RESULTS, usual)?;
        let offsets = if query.is_some() { &OFFSETS } else { &LISTED_OFFSETS };
        let offset = Whole::within(arguments.offset, "offset", offsets, 0)?;
        server.0.library.read(|view| {
            let (passing, mut notices) = passing(view, &arguments)?;
            let total = passing.len();
            // Names are short, whereas the text of many files would be more than a call expects.
            let with_content = arguments.content.map_or(total == 1, |Flag(content)| content);
            let most_chars = match arguments.content {
                Some(_) => server.0.options.budget.chars() * 4 / 5,
                None => SHOWN_CHARS.min(server.0.options.budget.chars() * 4 / 5),
            };
            let (chosen, has_more, more) = if let Some(query) = query {
                ranked(server, view, passing, query, offset, limit)?
            } else {
                let chosen: Vec<_> = passing.into_iter().skip(offset).take(limit).map(|path| (path, None)).collect();
                let has_more = offset + chosen.len() < total;
                (chosen, has_more, Vec::new())
            };
            notices.extend(more);
            let names = view.place_names();
            let mut pages = Vec::new();
            for (path, relevance_score) in &chosen {
                let page = Page::read(path, &names, with_content, most_chars)?;
                pages.push(Page { relevance_score: *relevance_score, ..page });
            }
            let shown = server.0.options.budget.fitting(&pages);
            let next_offset = (has_more || shown < pages.len()).then_some(offset + shown);
            pages.truncate(shown);
            Ok(Outcome { pages, total, next_offset: next_offset.filter(|next| offsets.contains(next)), notices })
        })
    }

    fn text(outcome: &Outcome) -> String {
        notes(&outcome.notices) + &as_text(&outcome.pages, outcome.total, outcome.next_offset)
    }
}

/// Returns the pages that match name, path and package, and notes on how they were found.
fn passing(view: &View, arguments: &Arguments) -> Result<(Vec<FoundPath>, Vec<String>)> {
    let narrowing = Narrowing {
        project: &arguments.package.0,
        path: &arguments.path.0,
        path_regex: &arguments.path_regex.0,
        ..Narrowing::default()
    };
    let FilesInScope { mut files, mut notices } = narrowing.files(view)?;
    let Some(name) = arguments.name.as_deref().map(str::trim) else { return Ok((files, notices)) };
    ensure!(!name.is_empty(), "argument `name` is empty: leave it out or name a file");
    let is_exact = |path: &FoundPath| path.names().any(|path| path.rsplit('/').next() == Some(name));
    // Names match without their extensions. The page `index` also has the name of its folder.
    let wanted = stem(name);
    let is_called = |path: &FoundPath| {
        path.names().any(|path| {
            let stem = stem(path);
            let page = stem.strip_suffix("/index").unwrap_or(stem);
            page.rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(wanted))
        })
    };
    if files.iter().any(is_exact) {
        files.retain(is_exact);
    } else if files.iter().any(is_called) {
        files.retain(is_called);
    } else {
        let names = view.place_names();
        let like = |path: &FoundPath| {
            let file = file_stem(&path.listed.path).to_lowercase();
            let has_it = wanted.len() > 2 && file.contains(&wanted.to_lowercase());
            if has_it { 1.0 } else { likeness(wanted, &file) }
        };
        let near = near_names(files.iter().map(|path| (like(path), path.shown(&names))), MIN_LIKENESS);
        let near = if near.is_empty() { String::new() } else { format!("; near are {}", near.join(", ")) };
        notices.push(format!("no file is called {name:?}{near}"));
        files.clear();
    }
    Ok((files, notices))
}

/// Pages, with a score from 0 to 1 for how likely each answers a query.
type PagesByRelevance = Vec<(FoundPath, Option<f32>)>;

/// Returns the pages in `passing` that answer `query`, best first, with whether there are more pages, and with notes on
/// how they were found.
fn ranked(
    server: &Server,
    view: &View,
    passing: Vec<FoundPath>,
    query: &str,
    offset: usize,
    limit: usize,
) -> Result<(PagesByRelevance, bool, Vec<String>)> {
    let paths = passing.iter().map(|path| (path.listed.project.clone(), path.listed.path.clone()));
    let paths = PathFilter::of_files(paths);
    let projects: BTreeSet<String> = passing.iter().map(|path| path.listed.project.clone()).collect();
    if passing.is_empty() {
        return Ok((Vec::new(), false, Vec::new()));
    }
    let reply = server.0.library.ask(
        view,
        &Question {
            text: query.into(),
            offset,
            limit,
            looks_further: true,
            filters: vec![Filter { name: PROJECT.to_owned(), values: projects.into_iter().collect() }],
            path: Some(paths),
            unfit: true,
            ..Question::default()
        },
    )?;
    let mut by_place: HashMap<(String, String), FoundPath> =
        passing.into_iter().map(|path| ((path.listed.project.clone(), path.listed.path.clone()), path)).collect();
    let chosen = reply.hits.into_iter().filter_map(|found| {
        let relevance = found.hit.score;
        Some((by_place.remove(&(found.hit.project, found.hit.path))?, Some(relevance)))
    });
    Ok((chosen.collect(), reply.has_more, reply.notices))
}
