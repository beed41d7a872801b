use super::super::Server;
use super::super::arguments::{Aliases, Flag, Texts, Whole};
use super::super::offer::Needs;
use super::super::response::{counted, one_line};
use super::narrowing::Narrowing;
use super::tool::{Call, Tool};
use anyhow::Result;
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
    /// Only this project
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    project: Texts,
    /// Folder, file or glob
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path: Texts,
    /// Regex for paths
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path_regex: Texts,
    /// true: only reference pages; false: only others
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    is_reference: Option<Flag>,
    /// 100 by default
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    limit: Option<Whole>,
    /// next_offset of the previous response
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    offset: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// Documents, by project and path.
    documents: Vec<Row>,
    /// Total number of documents.
    total: usize,
    /// The offset of the next documents; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

#[derive(Clone, Serialize, JsonSchema)]
struct Row {
    /// Its path, preceded by its project if there are several projects.
    #[serde(skip)]
    place: String,
    /// Name of its project.
    project: String,
    /// Path inside its project, for get_document.
    path: String,
    /// Title.
    title: String,
    /// Address of the page; absent if it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Whether it is a reference page.
    is_reference: bool,
}

impl Tool for ListDocuments {
    const NAME: &'static str = "list_documents";
    const TITLE: &'static str = "List documents";
    const DESCRIPTION: &'static str =
        "Lists documents by path, with their titles. Use it to see what there is; use search to find something.";
    const ALIASES: Aliases = &[
        ("project_name", "project"),
        ("package", "project"),
        ("library", "project"),
        ("repo", "project"),
        ("glob", "path"),
        ("folder", "path"),
        ("pattern", "path"),
        ("regex", "path_regex"),
        ("reference", "is_reference"),
        ("max_results", "limit"),
        ("count", "limit"),
        ("page_size", "limit"),
        ("skip", "offset"),
        ("start", "offset"),
        ("cursor", "offset"),
    ];
    const NEEDS: Needs = Needs::Documents;
    const NAMES_FILES: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let limit = Whole::within(arguments.limit, "limit", &LIMITS, DEFAULT_LIMIT)?;
        let offset = Whole::within(arguments.offset, "offset", &OFFSETS, 0)?;
        server.0.library.read(|view| {
            let narrowing = Narrowing {
                project: &arguments.project.0,
                path: &arguments.path.0,
                path_regex: &arguments.path_regex.0,
                ..Narrowing::default()
            };
            let mut paths = narrowing.files(view)?.files;
            let names_paths = !(arguments.path.0.is_empty() && arguments.path_regex.0.is_empty());
            // There are many commits, and they are not files, so a call must name their folder to list them.
            paths.retain(|document| names_paths || !document.listed.is_commit);
            paths.retain(|document| {
                arguments.is_reference.is_none_or(|Flag(wanted)| wanted == document.listed.is_reference)
            });
            let names = view.place_names();
            let total = paths.len();
            let mut documents = Vec::new();
            for path in paths.iter().skip(offset).take(limit) {
                let document = path.read()?;
                documents.push(Row {
                    place: path.shown(&names),
                    project: document.project,
                    path: document.path,
                    title: document.title,
                    url: document.url,
                    is_reference: document.is_reference,
                });
            }
            documents.truncate(server.0.options.budget.fitting(&documents));
            let next = offset + documents.len();
            Ok(Outcome { next_offset: (next < total && !documents.is_empty()).then_some(next), documents, total })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = format!("{} of {}\n", outcome.documents.len(), counted(outcome.total, "document"));
        for row in &outcome.documents {
            text += &format!("- {}: {}\n", one_line(&row.place), one_line(&row.title));
        }
        text + &outcome.next_offset.map(|next| format!("there are more: next_offset = {next}\n")).unwrap_or_default()
    }
}
