use super::super::Server;
use super::super::arguments::{Aliases, Texts, Whole};
use super::super::response::{beginning, fenced, one_line};
use super::tool::{Call, Tool};
use anyhow::{Result, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub(super) struct GetDocument;

const LINES: RangeInclusive<usize> = 1..=1_000_000;
const OFFSETS: RangeInclusive<usize> = 0..=100_000_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The document: its path as search or list_documents gives it, the end of one if there is only one such, its id or its
    /// address.
    path: String,
    /// The project that it is in; may be left out if the path alone tells.
    #[serde(default)]
    project: Option<String>,
    /// Where to begin: a heading, `page 34`, `slide 4`, the name of a sheet, `row 7`, of source code `L120` or what is
    /// defined, as in `Session.send`; what search gives as section.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    section: Option<Texts>,
    /// First line, from 1; after the beginning of the section if there is one.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 1), extend("default" = 1))]
    from_line: Option<Whole>,
    /// Lines, at most; all if it is left out.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 1))]
    lines: Option<Whole>,
    /// Characters to leave out in front: next_offset of the response before.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 0), extend("default" = 0))]
    offset: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// Project and path.
    document: String,
    /// Name of its project.
    project: String,
    /// Path inside its project.
    path: String,
    /// Title.
    title: String,
    /// One line on it.
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// The page; absent if it is published nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Where its file is shown; absent if nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_url: Option<String>,
    /// Where its file can be had as it is; absent if nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_url: Option<String>,
    /// When it was written or last changed, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Whether it is a reference page.
    is_reference: bool,
    /// Its text as it was written, the lines that were asked for.
    content: String,
    /// The line on which `content` begins.
    from_line: usize,
    /// Lines of the whole document.
    total_lines: usize,
    /// Where to go on with the same arguments; absent if this is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

impl Tool for GetDocument {
    const NAME: &'static str = "get_document";
    const TITLE: &'static str = "Read a document";
    const DESCRIPTION: &'static str = "Gives a document as it was written, whole or from a section, page, slide or line on. Use it to read on where \
        search has found something: with the path, project and line of the result. Long documents come in parts: call again \
        with next_offset.";
    const ALIASES: Aliases = &[
        ("document", "path"),
        ("document_id", "path"),
        ("doc", "path"),
        ("id", "path"),
        ("file", "path"),
        ("file_path", "path"),
        ("filename", "path"),
        ("source_path", "path"),
        ("name", "path"),
        ("url", "path"),
        ("uri", "path"),
        ("project_name", "project"),
        ("package", "project"),
        ("library", "project"),
        ("repo", "project"),
        ("repository", "project"),
        ("page", "section"),
        ("slide", "section"),
        ("sheet", "section"),
        ("heading", "section"),
        ("anchor", "section"),
        ("place", "section"),
        ("symbol", "section"),
        ("line", "from_line"),
        ("from", "from_line"),
        ("start_line", "from_line"),
        ("limit", "lines"),
        ("count", "lines"),
        ("line_count", "lines"),
        ("num_lines", "lines"),
        ("max_lines", "lines"),
    ];
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        ensure!(!arguments.path.trim().is_empty(), "argument `path` is empty: name a document");
        let from_line = Whole::within(arguments.from_line, "from_line", &LINES, 1)?;
        let lines = Whole::within(arguments.lines, "lines", &LINES, usize::MAX)?;
        let offset = Whole::within(arguments.offset, "offset", &OFFSETS, 0)?;
        server.0.library.read(|view| {
            let (found, piece) = view.find_piece(&arguments.path, arguments.project.as_deref())?;
            let document = found.read()?;
            let raw_url = document.raw_url();
            let text = document.text();
            let begin = arguments.section.iter().flat_map(|section| &section.0).next().map(String::as_str);
            let piece = piece.and_then(|piece| document.byte_of_code(piece)).unwrap_or(0);
            let begin = begin.map_or(Ok(piece), |section| document.byte_of(section))?;
            let lines_before = text[..begin].matches('\n').count();
            let from_line = from_line + lines_before;
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            let total_lines = all.len();
            ensure!(from_line <= total_lines.max(1), "{} has {total_lines} lines: ask for one of them", document.id);
            let asked: String = all.into_iter().skip(from_line - 1).take(lines).collect();
            let start = asked.char_indices().nth(offset).map_or(asked.len(), |(at, _)| at);
            ensure!(offset == 0 || start < asked.len(), "offset {offset} is past the end: there is no more of it");
            let (content, is_all) = beginning(&asked[start..], server.0.budget.chars());
            Ok(Outcome {
                document: document.id,
                project: document.project,
                path: document.path,
                title: document.title,
                description: document.description,
                url: document.url,
                source_url: document.source_url,
                raw_url,
                date: document.date.map(|date| date.to_string()),
                is_reference: document.is_reference,
                from_line: from_line + asked[..start].matches('\n').count(),
                total_lines,
                next_offset: (!is_all).then(|| offset + content.chars().count()),
                content: content.to_owned(),
            })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = format!("# {}\ndocument: {}\n", one_line(&outcome.title), one_line(&outcome.document));
        for (name, value) in [("url", &outcome.url), ("source", &outcome.source_url), ("date", &outcome.date)] {
            text += &value.as_ref().map(|value| format!("{name}: {}\n", one_line(value))).unwrap_or_default();
        }
        text += &format!("from line {} of {}\n", outcome.from_line, outcome.total_lines);
        text += &fenced(&outcome.content);
        if let Some(next) = outcome.next_offset {
            text += &format!("there is more: next_offset = {next}\n");
        }
        text
    }
}
