use super::super::Server;
use super::super::arguments::{self, Aliases, Flag, Texts, Whole};
use super::super::response::{counted, fenced_as, notes, one_line};
use super::narrowing::Narrowing;
use super::tool::{Call, Tool};
use anyhow::{Result, ensure};
use nearfind_bundles::library::{ExactPattern, ExactQuestion, View};
use nearfind_core::grep::ShownLine;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

pub(super) struct Grep;

const LIMITS: RangeInclusive<usize> = 1..=500;
const DEFAULT_LIMIT: usize = 20;
const OFFSETS: RangeInclusive<usize> = 0..=100_000_000;
const CONTEXTS: RangeInclusive<usize> = 0..=20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Exact text, or a regular expression if regex is true; within one line
    pattern: String,
    /// Whether pattern is a Rust regex; by default, tried as one if no line contains it
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    regex: Option<Flag>,
    /// Whether upper and lower case match each other
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
    /// Regex for paths
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
    /// Lines before and after each match
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    context_lines: Option<Whole>,
    /// 20 by default
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
    /// Number of matching lines in all documents.
    total_lines: usize,
    /// Number of documents that contain matching lines.
    total_documents: usize,
    /// Lines, sorted by project, path and number.
    lines: Vec<Match>,
    /// The offset of the next lines; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Notes on how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

/// A line that matches.
#[derive(Clone, Serialize, JsonSchema)]
struct Match {
    /// Path of its document, preceded by its project if there are several projects.
    document: String,
    /// Its number, for get_document.
    line: usize,
    /// Headings above it; in source code, the symbol around it, such as Session.send.
    #[serde(skip_serializing_if = "String::is_empty")]
    section: String,
    /// Address of the section on the page; absent if it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The line, with the lines before and after it if requested; a long line is cut around its match.
    text: String,
    /// The same lines with their numbers.
    #[serde(skip)]
    numbered: Vec<(usize, String)>,
}

impl Match {
    /// Returns the headings above the line or the symbol that contains it, for a list.
    fn around(&self) -> String {
        if self.section.is_empty() { String::new() } else { format!(" [{}]", one_line(&self.section)) }
    }

    /// Returns the lines with their numbers, for a list. Leaves out lines up to `shown`, which the list already
    /// contains, and lines from `next` on, which the next match shows.
    fn numbered(&self, shown: usize, next: usize) -> String {
        let wanted = |number: usize| number == self.line || (number > shown && number < next);
        let mut lines = String::new();
        for (number, text) in self.numbered.iter().filter(|(number, _)| wanted(*number)) {
            lines += &if *number == self.line {
                format!("{number}{}: {text}\n", self.around())
            } else {
                format!("{number}- {text}\n")
            };
        }
        lines
    }
}

impl From<ShownLine> for Match {
    fn from(found: ShownLine) -> Self {
        let first = found.line.saturating_sub(found.before.len());
        let lines: Vec<String> = found.before.into_iter().chain([found.text]).chain(found.after).collect();
        Self {
            document: found.document,
            line: found.line,
            section: found.section,
            url: found.url,
            text: lines.join("\n"),
            numbered: (first..).zip(lines).collect(),
        }
    }
}

impl Tool for Grep {
    const NAME: &'static str = "grep";
    const TITLE: &'static str = "Find exact text";
    const DESCRIPTION: &'static str = "Finds every line that contains exact text or matches a regular expression, \
    in all source code and in documents as Markdown, with exact totals and the heading or function around each line. \
    Use it for punctuation, parts of words and patterns; for definitions and callers, use symbol.";
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
        ("include_pattern", "path"),
        ("target_directories", "path"),
        ("file", "path"),
        ("type", "language"),
        ("lang", "language"),
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

    /// Accepts arguments from other grep tools: flags with the opposite meaning, and context on one side. Ignores line
    /// numbers, which are always shown, and output modes, which this tool lacks.
    fn adapt(given: &mut JsonObject) {
        for name in ["case_sensitive", "match_case"] {
            if let Some(value) = arguments::take(given, name) {
                let is_sensitive =
                    value == true || value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"));
                given.entry("ignore_case").or_insert(Value::Bool(!is_sensitive));
            }
        }
        for name in ["_n", "line_numbers", "output_mode", "multiline"] {
            arguments::take(given, name);
        }
        let contexts = CONTEXT_NAMES.iter().filter_map(|name| arguments::take(given, name));
        // Use the largest number: this tool shows the same number of lines on both sides.
        let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        let order = |a: &Value, b: &Value| match (number(a), number(b)) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            // A value that is not a number counts as the largest, and causes an error that explains it.
            (a, b) => a.is_none().cmp(&b.is_none()),
        };
        if let Some(context) = contexts.max_by(order) {
            given.insert("context_lines".to_owned(), context);
        }
        adapt_expression(given);
        adapt_paths(given);
    }

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let is = |flag: Option<Flag>| flag.is_some_and(|Flag(flag)| flag);
        ensure!(!arguments.pattern.is_empty(), "argument `pattern` is empty: pass exact text or a regular expression");
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
        // If nothing matches, try what the pattern may have meant.
        let mut ways = Vec::new();
        let may_be_regex = arguments.regex.is_none() && has_signs(&arguments.pattern);
        if may_be_regex && let Ok(pattern) = pattern(true, ignores_case) {
            ways.push((pattern, "no line has this text: the pattern was treated as a regular expression"));
        }
        if arguments.ignore_case.is_none() {
            ways.push((
                pattern(is(arguments.regex), true)?,
                "no line has this text: upper and lower case were ignored",
            ));
            if may_be_regex && let Ok(pattern) = pattern(true, true) {
                let said =
                    "no line has this text: the pattern was treated as a regular expression without regard to case";
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
            if may_be_regex && reply.lines > 0 {
                let meant = pattern(true, ignores_case).ok();
                let said = meant.map(|meant| said_of_text(view, &question, meant, reply.lines)).transpose()?;
                reply.notices.extend(said.flatten());
            }
            for (way, said) in &ways {
                if reply.lines > 0 {
                    break;
                }
                question.pattern = way.clone();
                let found = view.find_exact(&question)?;
                if found.lines > 0 {
                    reply = found;
                    reply.notices.push((*said).to_owned());
                }
            }
            if reply.lines == 0 && view.bundles.iter().any(|bundle| !bundle.passed_over().is_empty()) {
                reply
                    .notices
                    .push("some files are not indexed and were not searched: index_status counts them".to_owned());
            }
            reply.notices.splice(..0, narrowed.notices);
            let names = view.place_names();
            for line in &mut reply.found {
                line.document = names.short(&line.document).to_owned();
            }
            let mut lines: Vec<Match> = reply.found.into_iter().map(Match::from).collect();
            let numbered: Vec<String> = lines.iter().map(|line| line.numbered(0, usize::MAX)).collect();
            let budget = server.0.options.budget;
            lines.truncate(budget.fitting(&lines).min(budget.fitting(&numbered)));
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
        let (mut found, mut document, mut shown) = (String::new(), "", 0);
        for (at, line) in outcome.lines.iter().enumerate() {
            if line.document != document {
                (document, shown) = (&line.document, 0);
                found += &format!("{}\n", one_line(document));
            }
            // Lines between two matches are shown once. As in other tools, a gap between groups of lines is marked.
            let first = line.numbered.first().map_or(line.line, |(number, _)| *number);
            if shown > 0 && line.numbered.len() > 1 && first > shown + 1 {
                found += "--\n";
            }
            let next = outcome.lines.get(at + 1).filter(|next| next.document == document);
            let next = next.map_or(usize::MAX, |next| next.line);
            found += &line.numbered(shown, next);
            let last = line.numbered.last().map_or(line.line, |(number, _)| *number);
            shown = shown.max(last.min(next.saturating_sub(1)));
        }
        text += &fenced_as("", &found);
        text + &outcome.next_offset.map(|next| format!("there are more: next_offset = {next}\n")).unwrap_or_default()
    }
}

/// Argument names for the number of lines around a match.
const CONTEXT_NAMES: [&str; 6] = ["context_lines", "context", "lines", "_a", "_b", "_c"];

/// Accepts an expression in `regex` if there is no pattern.
fn adapt_expression(given: &mut JsonObject) {
    let is_flag = |value: &Value| match value.as_str().map(str::trim) {
        Some(text) => text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false"),
        None => !value.is_string(),
    };
    let has_pattern = ["pattern", "query", "text", "q"].iter().any(|name| arguments::is_given(given, name));
    if has_pattern {
        return;
    }
    if let Some(value) = arguments::take(given, "regex") {
        if is_flag(&value) {
            given.insert("regex".to_owned(), value);
        } else {
            given.insert("pattern".to_owned(), value);
            given.insert("regex".to_owned(), json!(true));
        }
    }
}

/// Joins a file pattern with the folder in the call, and turns excluded patterns into paths that begin with `!`.
fn adapt_paths(given: &mut JsonObject) {
    let list = |value: Value| match value {
        Value::Array(values) => values,
        one => vec![one],
    };
    let excluded = ["exclude_pattern", "exclude"].iter().find_map(|name| arguments::take(given, name));
    let globs = ["glob", "include", "include_pattern"].iter().find_map(|name| arguments::take(given, name));
    if excluded.is_none() && globs.is_none() {
        return;
    }
    let mut paths = arguments::take(given, "path").map(list).unwrap_or_default();
    let is_folder = |path: &Value| path.as_str().is_some_and(|path| !path.contains('*') && !path.starts_with('!'));
    for glob in globs.map(list).unwrap_or_default() {
        match (glob.as_str().map(str::trim), &paths[..]) {
            (Some(pattern), [folder]) if !pattern.starts_with(['!', '/']) && is_folder(folder) => {
                let folder = folder.as_str().unwrap_or_default().trim().trim_end_matches(['/', '\\']);
                let between = if pattern.contains('/') { "/" } else { "/**/" };
                let is_all = folder.is_empty() || folder == ".";
                paths = vec![json!(if is_all { pattern.to_owned() } else { format!("{folder}{between}{pattern}") })];
            }
            _ => paths.push(glob),
        }
    }
    let is_out = |path: &Value| path.as_str().map(|path| json!(format!("!{}", path.trim_start_matches('!'))));
    paths.extend(excluded.map(list).unwrap_or_default().iter().filter_map(is_out));
    given.insert("path".to_owned(), Value::Array(paths));
}

/// Whether a text contains characters with a special meaning in regular expressions.
fn has_signs(pattern: &str) -> bool {
    pattern.contains(['\\', '?', '+', '*', '{', '(', '[', '|', '^', '$', '.'])
}

/// Returns a note about a text that was found on `lines` lines but may have been meant as `expression`. The lines that
/// the expression matches are counted only if this requires reading few texts, which are all on this machine.
fn said_of_text(
    view: &View,
    question: &ExactQuestion,
    expression: ExactPattern,
    lines: usize,
) -> Result<Option<String>> {
    if !expression.is_narrow() || !view.bundles.iter().all(|bundle| bundle.is_in_a_folder()) {
        return Ok(Some("treated as text: set regex=true for a regular expression".to_owned()));
    }
    let counting = ExactQuestion { pattern: expression, offset: 0, limit: 0, ..question.clone() };
    let found = view.find_exact(&counting)?.lines;
    Ok((found > lines).then(|| format!("treated as text; regex=true finds {}", counted(found, "line"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(given: Value) -> Arguments {
        let Value::Object(mut given) = given else { unreachable!() };
        Grep::adapt(&mut given);
        arguments::read(given, Grep::ALIASES).unwrap_or_else(|error| panic!("{error:#}"))
    }

    fn context(given: Value) -> usize {
        Whole::within(read(given).context_lines, "context_lines", &CONTEXTS, 0).unwrap_or_default()
    }

    #[test]
    fn lines_on_either_side_are_the_larger_number() {
        assert_eq!(context(json!({ "pattern": "a", "-A": 2, "-B": "5", "output_mode": "content" })), 5);
        assert_eq!(context(json!({ "pattern": "a", "-C": 3, "multiline": false, "-n": true })), 3);
        assert_eq!(context(json!({ "pattern": "a" })), 0);
    }

    #[test]
    fn an_expression_may_be_called_regex() {
        let read = read(json!({ "regex": "a.*b" }));
        assert_eq!((read.pattern.as_str(), read.regex), ("a.*b", Some(Flag(true))));
        let read = super::tests::read(json!({ "regex": true, "query": "a" }));
        assert_eq!((read.pattern.as_str(), read.regex), ("a", Some(Flag(true))));
    }

    #[test]
    fn a_pattern_of_files_is_in_the_folder_beside_it() {
        let path = |given: Value| read(given).path.0;
        assert_eq!(path(json!({ "pattern": "a", "path": "src/", "glob": "*.ts" })), ["src/**/*.ts"]);
        assert_eq!(path(json!({ "pattern": "a", "path": ".", "glob": "*.ts" })), ["*.ts"]);
        assert_eq!(path(json!({ "pattern": "a", "include_pattern": "*.ts" })), ["*.ts"]);
        assert_eq!(path(json!({ "pattern": "a", "path": "src", "exclude_pattern": "*.js" })), ["src", "!*.js"]);
        assert_eq!(path(json!({ "pattern": "a", "path": ["a", "!b"] })), ["a", "!b"]);
    }

    #[test]
    fn lines_around_matches_have_numbers_and_come_once() {
        let found = |line: usize, numbers: std::ops::RangeInclusive<usize>| Match {
            document: "a.py".into(),
            line,
            section: "f".into(),
            url: None,
            text: String::new(),
            numbered: numbers.map(|number| (number, format!("l{number}"))).collect(),
        };
        let outcome = Outcome {
            total_lines: 3,
            total_documents: 1,
            lines: vec![found(5, 4..=6), found(7, 6..=8), found(20, 19..=21)],
            next_offset: None,
            notices: Vec::new(),
        };
        let text = Grep::text(&outcome);
        let lines = "a.py\n4- l4\n5 [f]: l5\n6- l6\n7 [f]: l7\n8- l8\n--\n19- l19\n20 [f]: l20\n21- l21\n";
        assert!(text.contains(lines), "{text}");
    }
}
