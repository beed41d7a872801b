use super::super::Server;
use super::super::arguments::{Aliases, Whole};
use super::super::response::{fenced, one_line};
use super::symbol::{Defined, Use};
use super::tool::{Call, Tool};
use anyhow::{Result, ensure};
use nearfind_bundles::library::RelatedDocument;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub(super) struct Related;

const LIMITS: RangeInclusive<usize> = 1..=50;
const DEFAULT_LIMIT: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The document or the piece of source code: the document of a result of search, as in project/src/a.py#Session.send, or a
    /// path.
    path: String,
    /// The project that it is in; may be left out if the path alone tells.
    #[serde(default)]
    project: Option<String>,
    /// Documents wanted, at most.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 1, max = 50), extend("default" = 10))]
    max_results: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// What the path stands for.
    document: String,
    /// Documents and pieces of source code by meaning, nearest first.
    nearest: Vec<Near>,
    /// The functions that mention what the piece defines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callers: Vec<Use>,
    /// What the piece mentions of what is defined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callees: Vec<Defined>,
}

/// A document that is near.
#[derive(Clone, Serialize, JsonSchema)]
struct Near {
    /// Its id, for get_document.
    document: String,
    /// Title; of a piece of source code what it defines.
    title: String,
    /// Of source code its first and last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// Where readers find it; absent if nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// How near, up to 1.
    score: f32,
}

impl From<RelatedDocument> for Near {
    fn from(found: RelatedDocument) -> Self {
        Self {
            document: found.document,
            title: found.title,
            lines: found.lines.map(|(first, last)| format!("{first}-{last}")),
            url: found.url,
            score: found.score,
        }
    }
}

impl Tool for Related {
    const NAME: &'static str = "related";
    const TITLE: &'static str = "Find what is related";
    const DESCRIPTION: &'static str = "Finds what is near a document or a piece of source code that you have: by meaning, and \
        in source code by who calls it and what it calls. Use it to find similar code, the guide to a function, or further \
        reading.";
    const ALIASES: Aliases = &[
        ("document", "path"),
        ("document_id", "path"),
        ("id", "path"),
        ("file", "path"),
        ("symbol", "path"),
        ("name", "path"),
        ("project_name", "project"),
        ("repo", "project"),
        ("limit", "max_results"),
        ("count", "max_results"),
        ("top_k", "max_results"),
    ];
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        ensure!(!arguments.path.trim().is_empty(), "argument `path` is empty: name a document");
        let limit = Whole::within(arguments.max_results, "max_results", &LIMITS, DEFAULT_LIMIT)?;
        server.0.library.read(|view| {
            let reply = view.related(&arguments.path, arguments.project.as_deref(), limit)?;
            let mut nearest: Vec<Near> = reply.nearest.into_iter().map(Near::from).collect();
            nearest.truncate(server.0.budget.fitting(&nearest));
            Ok(Outcome {
                document: reply.document,
                nearest,
                callers: reply.callers.into_iter().map(Use::from).collect(),
                callees: reply.callees.into_iter().map(Defined::from).collect(),
            })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut near = String::new();
        for found in &outcome.nearest {
            let lines = found.lines.as_ref().map(|lines| format!(":{lines}")).unwrap_or_default();
            near += &format!("{:.2} {}{lines} {}\n", found.score, one_line(&found.document), one_line(&found.title));
        }
        let mut text = format!("near {}\n{}", one_line(&outcome.document), fenced(&near));
        if !outcome.callers.is_empty() {
            text += &format!("callers\n{}", fenced(&outcome.callers.iter().map(Use::line).collect::<String>()));
        }
        if !outcome.callees.is_empty() {
            text += &format!("callees\n{}", fenced(&outcome.callees.iter().map(Defined::line).collect::<String>()));
        }
        text
    }
}
