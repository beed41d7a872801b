use super::super::Server;
use super::super::arguments::{Aliases, Flag, OneOrSeveral, Texts, Whole};
use super::super::response::{fenced, one_line};
use super::tool::{Call, Tool};
use anyhow::Result;
use nearfind_bundles::library::{ExactPattern, ExactQuestion, path_filter};
use nearfind_core::grep::ShownLine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub(super) struct Grep;

const LIMITS: RangeInclusive<usize> = 1..=500;
const DEFAULT_LIMIT: usize = 20;
const OFFSETS: RangeInclusive<usize> = 0..=100_000_000;
const CONTEXTS: RangeInclusive<usize> = 0..=20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The text as it is written, with its punctuation, or a regular expression if regex is true. Within one line.
    pattern: String,
    /// Whether the pattern is a regular expression (syntax of Rust's regex crate: no look-around, no back-references). If it
    /// is left out, a pattern that is nowhere as it is written is tried as one.
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    regex: Option<Flag>,
    /// Whether upper and lower case are different letters.
    #[serde(default)]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    case_sensitive: Option<Flag>,
    /// Only documents of this project, as list_projects names it; several are alternatives.
    #[serde(default)]
    #[schemars(with = "Option<OneOrSeveral>")]
    project: Texts,
    /// Only documents whose path matches this regular expression somewhere.
    #[serde(default)]
    path: Option<String>,
    /// Lines to show before and after each.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 0, max = 20), extend("default" = 0))]
    context_lines: Option<Whole>,
    /// Lines wanted, at most.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 1, max = 500), extend("default" = 20))]
    max_results: Option<Whole>,
    /// Lines to leave out in front: next_offset of the response before.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 0), extend("default" = 0))]
    offset: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// How many lines match, in all documents.
    total_lines: usize,
    /// How many documents have such lines.
    total_documents: usize,
    /// Lines, by project, path and number.
    lines: Vec<Match>,
    /// The offset of the lines after these; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// What to know of how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

/// A line that matches.
#[derive(Clone, Serialize, JsonSchema)]
struct Match {
    /// Project and path, for get_document.
    document: String,
    /// Its number, for get_document.
    line: usize,
    /// Headings above it; in source code the symbol around it, as in Session.send.
    #[serde(skip_serializing_if = "String::is_empty")]
    section: String,
    /// The section on the page; absent if it is published nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The line, with those before and after it if they were asked for; a long one around its match.
    text: String,
}

impl From<ShownLine> for Match {
    fn from(found: ShownLine) -> Self {
        let lines = found.before.into_iter().chain([found.text]).chain(found.after);
        Self {
            document: found.document,
            line: found.line,
            section: found.section,
            url: found.url,
            text: lines.collect::<Vec<_>>().join("\n"),
        }
    }
}

impl Tool for Grep {
    const NAME: &'static str = "grep";
    const TITLE: &'static str = "Find exact text";
    const DESCRIPTION: &'static str = "Finds every line that holds a text as it is written, or that matches a regular \
        expression, in all documents and source code, with exact totals and the heading or function around each. Use it in \
        place of a grep of your own for punctuation, parts of words and patterns; use symbol for where a name is defined and \
        who calls it, and search for what answers a question.";
    const ALIASES: Aliases = &[
        ("query", "pattern"),
        ("text", "pattern"),
        ("q", "pattern"),
        ("is_regex", "regex"),
        ("use_regex", "regex"),
        ("match_case", "case_sensitive"),
        ("projects", "project"),
        ("project_name", "project"),
        ("package", "project"),
        ("library", "project"),
        ("repo", "project"),
        ("path_regex", "path"),
        ("glob", "path"),
        ("context", "context_lines"),
        ("lines", "context_lines"),
        ("limit", "max_results"),
        ("count", "max_results"),
        ("max_count", "max_results"),
        ("skip", "offset"),
        ("start", "offset"),
    ];
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let is = |flag: Option<Flag>| flag.is_some_and(|Flag(flag)| flag);
        let is_case_sensitive = is(arguments.case_sensitive);
        let mut question = ExactQuestion {
            pattern: ExactPattern::new(&arguments.pattern, is(arguments.regex), is_case_sensitive)?,
            projects: Vec::new(),
            path: path_filter(arguments.path.as_deref())?,
            offset: Whole::within(arguments.offset, "offset", &OFFSETS, 0)?,
            limit: Whole::within(arguments.max_results, "max_results", &LIMITS, DEFAULT_LIMIT)?,
            context: Whole::within(arguments.context_lines, "context_lines", &CONTEXTS, 0)?,
        };
        server.0.library.read(|view| {
            question.projects = arguments.project.0.iter().map(|name| view.project(name)).collect::<Result<_>>()?;
            let mut reply = view.find_exact(&question)?;
            if reply.lines == 0
                && arguments.regex.is_none()
                && looks_like_regex(&arguments.pattern)
                && let Ok(pattern) = ExactPattern::new(&arguments.pattern, true, is_case_sensitive)
            {
                question.pattern = pattern;
                reply = view.find_exact(&question)?;
                reply.notices.push("nothing is written so: the pattern was taken as a regular expression".into());
            }
            let mut lines: Vec<Match> = reply.found.into_iter().map(Match::from).collect();
            lines.truncate(server.0.budget.fitting(&lines));
            let next = question.offset + lines.len();
            Ok(Outcome {
                total_lines: reply.lines,
                total_documents: reply.documents,
                next_offset: (next < reply.lines && !lines.is_empty()).then_some(next),
                lines,
                notices: reply.notices,
            })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = format!("{} lines in {} documents\n", outcome.total_lines, outcome.total_documents);
        for notice in &outcome.notices {
            text += &format!("note: {}\n", one_line(notice));
        }
        let (mut found, mut document) = (String::new(), "");
        for line in &outcome.lines {
            if line.document != document {
                document = &line.document;
                found += &format!("{}\n", one_line(document));
            }
            let section =
                if line.section.is_empty() { String::new() } else { format!(" [{}]", one_line(&line.section)) };
            found += &format!("{}{section}: {}\n", line.line, line.text);
        }
        text += &if found.is_empty() { String::new() } else { fenced(&found) };
        text + &outcome.next_offset.map(|next| format!("\nthere are more: next_offset = {next}\n")).unwrap_or_default()
    }
}

/// Whether a text that nobody wrote was rather meant as an expression.
fn looks_like_regex(pattern: &str) -> bool {
    [".*", ".+", "\\", "|", "[", "^", "$"].iter().any(|sign| pattern.contains(sign))
}
