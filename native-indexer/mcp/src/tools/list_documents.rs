use super::super::Server;
use super::super::arguments::{Aliases, Flag, Whole};
use super::super::response::one_line;
use super::tool::{Call, Tool};
use anyhow::Result;
use nearfind_bundles::library::path_regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub(super) struct ListDocuments;

const LIMITS: RangeInclusive<usize> = 1..=500;
const DEFAULT_LIMIT: usize = 100;
const OFFSETS: RangeInclusive<usize> = 0..=100_000_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Name of a project; all projects if it is left out.
    #[serde(default)]
    project: Option<String>,
    /// Only documents whose path matches this regular expression somewhere.
    #[serde(default)]
    path: Option<String>,
    /// Only reference pages (true), or only others (false).
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    is_reference: Option<Flag>,
    /// Documents wanted, at most.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 1, max = 500), extend("default" = 100))]
    limit: Option<Whole>,
    /// Documents to leave out in front: next_offset of the response before.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 0), extend("default" = 0))]
    offset: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// Documents, by project and path.
    documents: Vec<Row>,
    /// How many there are in all.
    total: usize,
    /// The offset of the documents after these; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

#[derive(Clone, Serialize, JsonSchema)]
struct Row {
    /// Name of its project.
    project: String,
    /// Path inside its project, for get_document.
    path: String,
    /// Title.
    title: String,
    /// The page; absent if it is published nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Whether it is a reference page.
    is_reference: bool,
}

impl Tool for ListDocuments {
    const NAME: &'static str = "list_documents";
    const TITLE: &'static str = "List documents";
    const DESCRIPTION: &'static str = "Lists the documents of a project, by path, with their titles; long lists come in \
        parts. Use it to see what there is; use search to find something.";
    const ALIASES: Aliases = &[
        ("project_name", "project"),
        ("package", "project"),
        ("library", "project"),
        ("repo", "project"),
        ("path_regex", "path"),
        ("pattern", "path"),
        ("regex", "path"),
        ("reference", "is_reference"),
        ("max_results", "limit"),
        ("count", "limit"),
        ("page_size", "limit"),
        ("skip", "offset"),
        ("start", "offset"),
        ("cursor", "offset"),
    ];
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let limit = Whole::within(arguments.limit, "limit", &LIMITS, DEFAULT_LIMIT)?;
        let offset = Whole::within(arguments.offset, "offset", &OFFSETS, 0)?;
        let path = arguments.path.as_deref().map(path_regex).transpose()?;
        server.0.library.read(|view| {
            let project = arguments.project.as_deref().map(|project| view.project(project)).transpose()?;
            let mut paths = view.paths(project.as_deref())?;
            paths.retain(|document| {
                arguments.is_reference.is_none_or(|Flag(wanted)| wanted == document.listed.is_reference)
                    && path.as_ref().is_none_or(|regex| document.names().any(|path| regex.is_match(path)))
            });
            let total = paths.len();
            let mut documents = Vec::new();
            for path in paths.iter().skip(offset).take(limit) {
                let document = path.read()?;
                documents.push(Row {
                    project: document.project,
                    path: document.path,
                    title: document.title,
                    url: document.url,
                    is_reference: document.is_reference,
                });
            }
            documents.truncate(server.0.budget.fitting(&documents));
            let next = offset + documents.len();
            Ok(Outcome { next_offset: (next < total && !documents.is_empty()).then_some(next), documents, total })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = format!("{} of {} documents\n", outcome.documents.len(), outcome.total);
        for row in &outcome.documents {
            text += &format!("- {}/{}: {}\n", one_line(&row.project), one_line(&row.path), one_line(&row.title));
        }
        text + &outcome.next_offset.map(|next| format!("there are more: next_offset = {next}\n")).unwrap_or_default()
    }
}
