use super::super::Server;
use super::super::arguments::{Aliases, Flag, Whole};
use super::super::response::one_line;
use super::page::{Page, as_text};
use super::search::{DEFAULT_RESULTS, OFFSETS, RESULTS};
use super::tool::{Call, Reach, Tool};
use anyhow::{Result, ensure};
use nearfind_bundles::library::{FoundPath, Question, View, path_regex};
use nearfind_core::search::{Filter, PROJECT};
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

pub(super) struct Pages;

/// How many paths and folders a hint names.
const MAX_NAMED: usize = 6;
/// Without a query any page may be reached.
const LISTED_OFFSETS: std::ops::RangeInclusive<usize> = 0..=100_000_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Exact file name, such as Audio.md; a notebook is also known by its name with .md.
    #[serde(default)]
    name: Option<String>,
    /// Regular expression that the path must match somewhere: reference/.*\.md$, docs/how_to/.*
    #[serde(default)]
    path: Option<String>,
    /// Rank the pages by how well they answer this; without it they come by project and path.
    #[serde(default)]
    query: Option<String>,
    /// Only pages of this project.
    #[serde(default)]
    package: Option<String>,
    /// Whether the text of each page comes with it.
    #[serde(default)]
    #[schemars(with = "Option<bool>", extend("default" = true))]
    content: Option<Flag>,
    /// Pages wanted, at most.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 1, max = 50), extend("default" = 5))]
    max_results: Option<Whole>,
    /// Pages to leave out in front: next_offset of the response before.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 0), extend("default" = 0))]
    offset: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The pages.
    pages: Vec<Page>,
    /// How many pages pass name, path and package, whether they answer the query or not.
    total: usize,
    /// The offset of the pages after these; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// What to know of how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

impl Tool for Pages {
    const NAME: &'static str = "pages";
    const TITLE: &'static str = "Find pages by name and path";
    const DESCRIPTION: &'static str = "Finds pages by exact file name, by a regular expression over the path, by project, or \
        all of them together, and ranks what passes if there is a query. Use it when you know how the files are called or \
        where they lie; use search when you know only what they are about.";
    const ALIASES: Aliases = &[
        ("file_name", "name"),
        ("filename", "name"),
        ("file", "name"),
        ("path_regex", "path"),
        ("regex", "path"),
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
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let limit = Whole::within(arguments.max_results, "max_results", &RESULTS, DEFAULT_RESULTS)?;
        let query = arguments.query.as_deref().filter(|query| !query.trim().is_empty());
        let offsets = if query.is_some() { &OFFSETS } else { &LISTED_OFFSETS };
        let offset = Whole::within(arguments.offset, "offset", offsets, 0)?;
        let with_content = arguments.content.is_none_or(|Flag(content)| content);
        let path = arguments.path.as_deref().map(path_regex).transpose()?;
        server.0.library.read(|view| {
            let passing = passing(view, &arguments, path.as_ref())?;
            let total = passing.len();
            let hint = if total == 0 { hint(view, &arguments)? } else { None };
            let (chosen, has_more, mut notices) = if let Some(query) = query {
                ranked(server, view, passing, query, offset, limit)?
            } else {
                let chosen: Vec<_> = passing.into_iter().skip(offset).take(limit).map(|path| (path, None)).collect();
                let has_more = offset + chosen.len() < total;
                (chosen, has_more, Vec::new())
            };
            notices.extend(hint);
            let mut pages = Vec::new();
            for (path, relevance_score) in &chosen {
                let page = Page::read(path, with_content, server.0.budget.chars() * 4 / 5)?;
                pages.push(Page { relevance_score: *relevance_score, ..page });
            }
            let shown = server.0.budget.fitting(&pages);
            let next_offset = (has_more || shown < pages.len()).then_some(offset + shown);
            pages.truncate(shown);
            Ok(Outcome { pages, total, next_offset: next_offset.filter(|next| offsets.contains(next)), notices })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let notes: String = outcome.notices.iter().map(|notice| format!("note: {}\n", one_line(notice))).collect();
        notes + &as_text(&outcome.pages, outcome.total, outcome.next_offset)
    }
}

/// The pages that pass name, path and package.
fn passing(view: &View, arguments: &Arguments, path: Option<&Regex>) -> Result<Vec<FoundPath>> {
    let project = arguments.package.as_deref().map(|package| view.project(package)).transpose()?;
    let mut passing = view.paths(project.as_deref())?;
    if let Some(name) = arguments.name.as_deref().map(str::trim) {
        ensure!(!name.is_empty(), "argument `name` is empty: leave it out or name a file");
        passing.retain(|path| path.names().any(|path| path.rsplit('/').next() == Some(name)));
    }
    if let Some(regex) = path {
        passing.retain(|path| path.names().any(|path| regex.is_match(path)));
    }
    Ok(passing)
}

/// What may be wrong with a path or a name that no page has: the paths that come nearest, or the folders that there are.
fn hint(view: &View, arguments: &Arguments) -> Result<Option<String>> {
    let Some(asked) = arguments.path.as_deref().or(arguments.name.as_deref()) else { return Ok(None) };
    let project = arguments.package.as_deref().map(|package| view.project(package)).transpose()?;
    let paths = view.paths(project.as_deref())?;
    // The longest word of the pattern says most of what is meant.
    let word = asked.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').max_by_key(|word| word.len());
    let word = word.unwrap_or_default().to_lowercase();
    let near: Vec<String> = paths
        .iter()
        .filter(|path| word.len() > 2 && path.listed.path.to_lowercase().contains(&word))
        .take(MAX_NAMED)
        .map(|path| path.listed.path.clone())
        .collect();
    if !near.is_empty() {
        return Ok(Some(format!(
            "no path matches {asked:?}; paths with {word:?} in them begin with {}",
            near.join(", ")
        )));
    }
    let folders: BTreeSet<&str> =
        paths.iter().filter_map(|path| path.listed.path.split_once('/')).map(|(folder, _)| folder).collect();
    let folders: Vec<&str> = folders.into_iter().take(MAX_NAMED).collect();
    Ok(Some(format!("no path matches {asked:?}; paths begin with {}", folders.join(", "))))
}

/// Pages with how sure it is that they answer a query.
type PagesByRelevance = Vec<(FoundPath, Option<f32>)>;

/// Those of `passing` that answer `query`, best first; whether there are more, and what to know of it.
fn ranked(
    server: &Server,
    view: &View,
    passing: Vec<FoundPath>,
    query: &str,
    offset: usize,
    limit: usize,
) -> Result<(PagesByRelevance, bool, Vec<String>)> {
    let paths: Arc<BTreeSet<String>> = Arc::new(passing.iter().map(|path| path.listed.path.clone()).collect());
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
            path: Some(Arc::new(move |path| paths.contains(path))),
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
