//! The two tools that ChatGPT's connectors and deep research require, in the expected form: `search` returns ids with
//! titles and addresses, and `fetch` returns the text of a document.

use super::super::arguments::Aliases;
use super::super::response::beginning;
use super::super::{Server, resources};
use super::tool::{Call, Reach, Tool};
use anyhow::{Result, ensure};
use nearfind_bundles::library::{Question, Rerank};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct ConnectorSearch;
pub(super) struct Fetch;

/// Maximum number of pieces that a search finds. All pieces of a file are one result.
const RESULTS: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArguments {
    /// A question in plain words, or names
    query: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct SearchOutcome {
    /// Documents, best first.
    results: Vec<Row>,
}

/// A document that was found.
#[derive(Serialize, JsonSchema)]
struct Row {
    /// The id for fetch.
    id: String,
    /// Its title; for source code, its path.
    title: String,
    /// Its address.
    url: String,
}

impl Tool for ConnectorSearch {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search";
    const DESCRIPTION: &'static str = "Finds documents by words and meaning. Use it first, then fetch the results.";
    const ALIASES: Aliases = &[("q", "query"), ("question", "query")];
    const REACH: Reach = Reach::Questions;
    type Arguments = SearchArguments;
    type Outcome = SearchOutcome;

    fn run(server: &Server, arguments: SearchArguments, _: &Call) -> Result<SearchOutcome> {
        ensure!(!arguments.query.trim().is_empty(), "argument `query` is empty: say what to search for");
        let library = &server.0.library;
        library.read(|view| {
            let question = Question {
                text: arguments.query.as_str().into(),
                limit: RESULTS,
                rerank: Rerank::Best,
                ..Question::default()
            };
            let mut known = BTreeSet::new();
            let mut results = Vec::new();
            for found in library.ask(view, &question)?.hits {
                let is_code = found.code()?.is_some();
                let source_url = found.about()?.source_url;
                let hit = found.hit;
                let id = format!("{}/{}", hit.project, hit.path);
                // Several pieces of a file are one document.
                if known.insert(id.clone()) {
                    let uri = || resources::document_uri(&hit.project, &hit.path);
                    results.push(Row {
                        title: if is_code { hit.path.clone() } else { hit.title },
                        url: hit.url.or(source_url).unwrap_or_else(uri),
                        id,
                    });
                }
            }
            Ok(SearchOutcome { results })
        })
    }

    fn text(outcome: &SearchOutcome) -> String {
        serde_json::to_string(outcome).unwrap_or_default()
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FetchArguments {
    /// The id of a search result
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct FetchOutcome {
    /// The id.
    id: String,
    /// Its title.
    title: String,
    /// As much of its text as fits into a response.
    text: String,
    /// Its address.
    url: String,
    /// Other properties.
    metadata: BTreeMap<&'static str, String>,
}

impl Tool for Fetch {
    const NAME: &'static str = "fetch";
    const TITLE: &'static str = "Fetch a document";
    const DESCRIPTION: &'static str = "Returns the text of a document. Use it with the id of a search result.";
    const ALIASES: Aliases = &[("path", "id"), ("url", "id"), ("document", "id")];
    type Arguments = FetchArguments;
    type Outcome = FetchOutcome;

    fn run(server: &Server, arguments: FetchArguments, _: &Call) -> Result<FetchOutcome> {
        ensure!(!arguments.id.trim().is_empty(), "argument `id` is empty: use the id of a search result");
        server.0.library.read(|view| {
            let (found, _) = view.find_place(&arguments.id, None)?;
            let document = found.read()?;
            let text = document.text();
            let (text, is_all) = beginning(&text, server.0.options.budget.chars());
            let mut metadata = BTreeMap::from([("project", document.project.clone()), ("path", document.path.clone())]);
            metadata.extend(document.date.map(|date| ("date", date.to_string())));
            metadata.extend((!is_all).then(|| ("truncated", "true".to_owned())));
            let uri = || resources::document_uri(&document.project, &document.path);
            Ok(FetchOutcome {
                id: found.id(),
                text: text.to_owned(),
                url: document.url.clone().or_else(|| document.source_url.clone()).unwrap_or_else(uri),
                title: document.title,
                metadata,
            })
        })
    }

    fn text(outcome: &FetchOutcome) -> String {
        serde_json::to_string(outcome).unwrap_or_default()
    }
}
