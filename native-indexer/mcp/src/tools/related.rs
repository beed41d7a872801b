use super::super::Server;
use super::super::arguments::{Aliases, Whole};
use super::super::offer::Needs;
use super::super::response::{fenced_as, one_line};
use super::symbol::{Defined, Use};
use super::tool::{Call, Tool};
use anyhow::{Result, ensure};
use nearfind_bundles::library::{PlaceNames, RelatedDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub(super) struct Related;

const LIMITS: RangeInclusive<usize> = 1..=50;
const DEFAULT_LIMIT: usize = 10;
const LINES: RangeInclusive<usize> = 1..=u32::MAX as usize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// A document or piece of code as other tools print it: src/a.py:12-40, src/a.py#Session.send
    path: String,
    /// A line in it
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    line: Option<Whole>,
    /// Its project
    #[serde(default)]
    project: Option<String>,
    /// 10 by default
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    max_results: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The document or piece of source code at the path.
    document: String,
    /// Documents and pieces of source code, the closest in meaning first.
    nearest: Vec<Near>,
    /// The functions that mention what the piece defines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callers: Vec<Use>,
    /// Definitions that the piece mentions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callees: Vec<Defined>,
}

/// A related document.
#[derive(Clone, Serialize, JsonSchema)]
struct Near {
    /// Its path, preceded by the project if there are several. For source code, followed by what the piece defines.
    document: String,
    /// The same of its file.
    #[serde(skip)]
    place: String,
    /// Title; for a piece of source code, what it defines.
    title: String,
    /// First and last line of a piece of source code.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// Address for readers; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// How close it is in meaning, up to 1.
    score: f32,
}

impl Near {
    fn new(found: RelatedDocument, names: &PlaceNames) -> Self {
        Self {
            place: names.join(&found.project, &found.path),
            document: names.short(&found.document).to_owned(),
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
    const DESCRIPTION: &'static str = "Finds what is related to a document or piece of source code: by meaning and, \
    for source code, what calls it and what it calls. Use it to find similar code, the guide to a function, or further \
    reading.";
    const ALIASES: Aliases = &[
        ("document", "path"),
        ("document_id", "path"),
        ("id", "path"),
        ("file", "path"),
        ("file_path", "path"),
        ("symbol", "path"),
        ("name", "path"),
        ("project_name", "project"),
        ("repo", "project"),
        ("limit", "max_results"),
        ("count", "max_results"),
        ("top_k", "max_results"),
    ];
    const NEEDS: Needs = Needs::Relations;
    const NAMES_FILES: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        ensure!(!arguments.path.trim().is_empty(), "argument `path` is empty: name a document");
        let limit = Whole::within(arguments.max_results, "max_results", &LIMITS, DEFAULT_LIMIT)?;
        let path = match arguments.line {
            None => arguments.path,
            line => format!("{}:{}", arguments.path, Whole::within(line, "line", &LINES, 1)?),
        };
        server.0.library.read(|view| {
            let reply = view.related(&path, arguments.project.as_deref(), limit)?;
            let names = view.place_names();
            let mut nearest: Vec<Near> = reply.nearest.into_iter().map(|found| Near::new(found, &names)).collect();
            nearest.truncate(server.0.options.budget.fitting(&nearest));
            Ok(Outcome {
                document: names.short(&reply.document).to_owned(),
                nearest,
                callers: reply.callers.into_iter().map(|found| Use::new(found, &names)).collect(),
                callees: reply.callees.into_iter().map(|found| Defined::new(found, &names)).collect(),
            })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut near = String::new();
        for found in &outcome.nearest {
            let lines = found.lines.as_ref().map(|lines| format!(":{lines}")).unwrap_or_default();
            near += &format!("{:.2} {}{lines} {}\n", found.score, one_line(&found.place), one_line(&found.title));
        }
        let nothing = if near.is_empty() { "nothing by meaning: the index has no vectors for it\n" } else { "" };
        let mut text = format!("near {}\n{nothing}{}", one_line(&outcome.document), fenced_as("", &near));
        if !outcome.callers.is_empty() {
            text += &format!("callers\n{}", fenced_as("", &outcome.callers.iter().map(Use::line).collect::<String>()));
        }
        if !outcome.callees.is_empty() {
            text +=
                &format!("callees\n{}", fenced_as("", &outcome.callees.iter().map(Defined::line).collect::<String>()));
        }
        text
    }
}
