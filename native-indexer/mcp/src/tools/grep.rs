use super::super::Server;
use super::super::arguments::{self, Aliases, Flag, Texts, Whole};
use super::super::response::{counted, fenced_as, notes, one_line};
use super::narrowing::Narrowing;
use super::tool::{Call, Tool};
use anyhow::{Result, ensure};
use nearfind_bundles::library::{ExactPattern, ExactQuestion};
use nearfind_core::grep::ShownLine;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::RangeInclusive;

pub(super) struct Grep;

const LIMITS: RangeInclusive<usize> = 1..=500;
const DEFAULT_LIMIT: usize = 20;
const OFFSETS: RangeInclusive<usize> = 0..=100_000_000;
const CONTEXTS: RangeInclusive<usize> = 0..=20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Text as it is written, or a regular expression if regex is true; within one line
    pattern: String,
    /// Rust syntax; if left out, a pattern that is nowhere as it is written is tried as one
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    regex: Option<Flag>,
    /// Whether upper and lower case are the same
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    ignore_case: Option<Flag>,
    /// Only this project
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    project: Texts,
    /// Folder, file or glob
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path: Texts,
    /// Regex over paths
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path_regex: Texts,
    /// docs, code or all (default)
    #[serde(default)]
    kind: Option<String>,
    /// Programming language
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    language: Texts,
    /// Lines before and after each
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    context_lines: Option<Whole>,
    /// 20 by default
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    max_results: Option<Whole>,
    /// next_offset of the response before
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
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
    /// Its path, after its project where there are several.
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
    const DESCRIPTION: &'static str = "Finds every line that holds a text as it is written, or matches a regular expression, in all documents and \
        source code, with exact totals and the heading or function around each. Use it for punctuation, parts of words and patterns; \
        for who defines or calls a name use symbol.";
    const ALIASES: Aliases = &[
        ("query", "pattern"),
        ("text", "pattern"),
        ("q", "pattern"),
        ("is_regex", "regex"),
        ("use_regex", "regex"),
        ("_i", "ignore_case"),
        ("i", "ignore_case"),
        ("case_insensitive", "ignore_case"),
        ("projects", "project"),
        ("project_name", "project"),
        ("package", "project"),
        ("library", "project"),
        ("repo", "project"),
        ("glob", "path"),
        ("include", "path"),
        ("file", "path"),
        ("type", "language"),
        ("lang", "language"),
        ("context", "context_lines"),
        ("lines", "context_lines"),
        ("_c", "context_lines"),
        ("_a", "context_lines"),
        ("_b", "context_lines"),
        ("limit", "max_results"),
        ("count", "max_results"),
        ("max_count", "max_results"),
        ("head_limit", "max_results"),
        ("skip", "offset"),
        ("start", "offset"),
    ];
    const NAMES_FILES: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    /// Others ask for the opposite, and for numbers of lines, which are always there.
    fn adapt(given: &mut JsonObject) {
        for name in ["case_sensitive", "match_case"] {
            if let Some(value) = arguments::take(given, name) {
                let is_sensitive =
                    value == true || value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"));
                given.entry("ignore_case").or_insert(Value::Bool(!is_sensitive));
            }
        }
        for name in ["_n", "line_numbers"] {
            arguments::take(given, name);
        }
    }

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let is = |flag: Option<Flag>| flag.is_some_and(|Flag(flag)| flag);
        ensure!(!arguments.pattern.is_empty(), "argument `pattern` is empty: give a text or an expression");
        let ignores_case = is(arguments.ignore_case);
        let pattern =
            |is_regex: bool, ignores_case: bool| ExactPattern::new(&arguments.pattern, is_regex, !ignores_case);
        let mut question = ExactQuestion {
            pattern: pattern(is(arguments.regex), ignores_case)?,
            projects: Vec::new(),
            path: None,
            offset: Whole::within(arguments.offset, "offset", &OFFSETS, 0)?,
            limit: Whole::within(arguments.max_results, "max_results", &LIMITS, DEFAULT_LIMIT)?,
            context: Whole::within(arguments.context_lines, "context_lines", &CONTEXTS, 0)?,
        };
        // What is nowhere as it was asked for is looked for as it may have been meant.
        let mut ways = Vec::new();
        let may_be_regex = arguments.regex.is_none() && looks_like_regex(&arguments.pattern);
        if may_be_regex && let Ok(pattern) = pattern(true, ignores_case) {
            ways.push((pattern, "nothing is written so: the pattern was taken as a regular expression"));
        }
        if arguments.ignore_case.is_none() {
            ways.push((
                pattern(is(arguments.regex), true)?,
                "nothing is written so: upper and lower case were taken for the same",
            ));
            if may_be_regex && let Ok(pattern) = pattern(true, true) {
                let said =
                    "nothing is written so: the pattern was taken as a regular expression without regard to case";
                ways.push((pattern, said));
            }
        }
        server.0.library.read(|view| {
            let narrowing = Narrowing {
                project: &arguments.project.0,
                path: &arguments.path.0,
                path_regex: &arguments.path_regex.0,
                kind: arguments.kind.as_deref(),
                language: &arguments.language.0,
            };
            let narrowed = narrowing.narrowed(view)?;
            (question.projects, question.path) = (narrowed.projects, narrowed.path);
            let mut reply = view.find_exact(&question)?;
            for (pattern, said) in &ways {
                if reply.lines > 0 {
                    break;
                }
                question.pattern = pattern.clone();
                let found = view.find_exact(&question)?;
                if found.lines > 0 {
                    reply = found;
                    reply.notices.push((*said).to_owned());
                }
            }
            reply.notices.splice(..0, narrowed.notices);
            let names = view.place_names();
            for line in &mut reply.found {
                line.document = names.short(&line.document).to_owned();
            }
            let mut lines: Vec<Match> = reply.found.into_iter().map(Match::from).collect();
            lines.truncate(server.0.options.budget.fitting(&lines));
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
        let (lines, files) = (counted(outcome.total_lines, "line"), counted(outcome.total_documents, "file"));
        let mut text = format!("{lines} in {files}\n") + &notes(&outcome.notices);
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
        text += &fenced_as("", &found);
        text + &outcome.next_offset.map(|next| format!("there are more: next_offset = {next}\n")).unwrap_or_default()
    }
}

/// Whether a text that nobody wrote was rather meant as an expression.
fn looks_like_regex(pattern: &str) -> bool {
    [".*", ".+", "\\", "|", "[", "^", "$"].iter().any(|sign| pattern.contains(sign))
}
