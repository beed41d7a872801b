use super::super::Server;
use super::super::arguments::{Aliases, Flag, Texts, Whole};
use super::super::offer::Needs;
use super::super::response::{counted, fenced_as, notes, one_line};
use super::narrowing::{Narrowed, Narrowing};
use super::tool::{Call, Tool};
use anyhow::{Result, bail};
use nearfind_bundles::library::{FoundSymbol, PlaceNames, SymbolQuestion, SymbolUse, Want};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

pub(super) struct Symbol;

const LIMITS: RangeInclusive<usize> = 1..=200;
const DEFAULT_LIMIT: usize = 20;
const OFFSETS: RangeInclusive<usize> = 0..=100_000_000;
/// Maximum number of line numbers to list per place.
const MAX_LINES: usize = 12;
/// Maximum number of changed files in a note.
const MAX_NAMED: usize = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// A function, class or type: send, Session.send, Session::send
    name: String,
    /// definition (default); references: every line that mentions it; callers; callees: what its code mentions; members
    #[serde(default)]
    want: Option<String>,
    /// Also show which commit last changed each definition
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    blame: Option<Flag>,
    /// Only this project
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    project: Texts,
    /// Folder, file or glob of the definition
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path: Texts,
    /// Regex for paths
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path_regex: Texts,
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
    /// Definitions of the name, the likeliest first; if `want` is not definition, the one that was chosen.
    definitions: Vec<Defined>,
    /// Number of definitions of the name.
    total_definitions: usize,
    /// Callees or members.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<Defined>,
    /// Lines that mention it, grouped by the symbol that contains them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uses: Vec<Use>,
    /// Total number of results.
    total: usize,
    /// Number of lines that mention it; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<usize>,
    /// The offset of the next results; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Notes on how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

/// A definition.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Defined {
    /// Its qualified name.
    symbol: String,
    /// function, method, class, struct, interface, enum, type, module, constant, field, macro, section or declaration.
    kind: String,
    /// Path of its file, preceded by its project if there are several projects.
    document: String,
    /// Its first and last line.
    lines: String,
    /// Its code before its body.
    #[serde(skip_serializing_if = "String::is_empty")]
    signature: String,
    /// Its comment.
    #[serde(skip_serializing_if = "String::is_empty")]
    comment: String,
    /// The class of its file: source, test, example …
    class: String,
    /// Its programming language.
    #[serde(skip)]
    language: String,
    /// Its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// True if the file has changed since it was indexed: its lines may have moved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    /// The last commit that changed it: day, hash, author and subject.
    #[serde(skip_serializing_if = "String::is_empty")]
    last_change: String,
}

/// Lines inside one symbol, or outside all symbols.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Use {
    /// The symbol that contains them; absent if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    symbol: String,
    /// Path of its file, preceded by its project if there are several projects.
    document: String,
    /// The lines.
    lines: Vec<u32>,
    /// The text of the first line.
    text: String,
    /// True if the file has changed since it was indexed: its lines may have moved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

impl Defined {
    pub(super) fn new(found: FoundSymbol, names: &PlaceNames) -> Self {
        Self {
            document: names.join(&found.project, &found.path),
            language: found.language,
            lines: format!("{}-{}", found.lines.0, found.lines.1),
            kind: found.kind.name().to_owned(),
            symbol: found.symbol,
            signature: found.signature,
            comment: found.comment,
            class: found.class,
            code: found.code,
            stale: found.is_stale,
            last_change: found.last_change,
        }
    }
}

impl Use {
    pub(super) fn new(found: SymbolUse, names: &PlaceNames) -> Self {
        Self {
            document: names.join(&found.project, &found.path),
            stale: found.is_stale,
            symbol: found.symbol,
            lines: found.lines,
            text: found.text,
        }
    }
}

impl Defined {
    /// Returns one line for a list.
    pub(super) fn line(&self) -> String {
        let signature = if self.signature.is_empty() { &self.symbol } else { &self.signature };
        let comment = if self.comment.is_empty() { String::new() } else { format!("  // {}", one_line(&self.comment)) };
        let blame =
            if self.last_change.is_empty() { String::new() } else { format!("  [{}]", one_line(&self.last_change)) };
        let Self { document, lines, kind, symbol, .. } = self;
        format!("{document}:{lines} {kind} {symbol}: {}{comment}{blame}\n", one_line(signature))
    }
}

impl Use {
    /// Returns one line for a list.
    pub(super) fn line(&self) -> String {
        let mut lines: Vec<String> = self.lines.iter().take(MAX_LINES).map(u32::to_string).collect();
        lines.extend((self.lines.len() > MAX_LINES).then(|| "…".to_owned()));
        let symbol = if self.symbol.is_empty() { String::new() } else { format!(" [{}]", self.symbol) };
        format!("{}:{}{symbol} {}\n", self.document, lines.join(","), self.text.trim())
    }
}

impl Tool for Symbol {
    const NAME: &'static str = "symbol";
    const TITLE: &'static str = "Find a definition and its uses";
    const DESCRIPTION: &'static str = "Finds where a function, class or type is defined in source code, what calls it, \
    what it calls, what is in it, or every line that mentions it. Use it instead of grep for names in code. Uses are \
    found by name, without types.";
    const ALIASES: Aliases = &[
        ("symbol", "name"),
        ("query", "name"),
        ("identifier", "name"),
        ("function", "name"),
        ("class", "name"),
        ("kind", "want"),
        ("mode", "want"),
        ("relation", "want"),
        ("type", "want"),
        ("projects", "project"),
        ("project_name", "project"),
        ("repo", "project"),
        ("glob", "path"),
        ("file", "path"),
        ("file_path", "path"),
        ("limit", "max_results"),
        ("count", "max_results"),
        ("skip", "offset"),
        ("last_change", "blame"),
    ];
    const NEEDS: Needs = Needs::Definitions;
    const NAMES_FILES: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let want = want(arguments.want.as_deref().unwrap_or("definition"))?;
        let mut question = SymbolQuestion {
            name: arguments.name,
            want,
            projects: Vec::new(),
            path: None,
            offset: Whole::within(arguments.offset, "offset", &OFFSETS, 0)?,
            limit: Whole::within(arguments.max_results, "max_results", &LIMITS, DEFAULT_LIMIT)?,
        };
        server.0.library.read(|view| {
            let narrowing = Narrowing {
                project: &arguments.project.0,
                path: &arguments.path.0,
                path_regex: &arguments.path_regex.0,
                ..Narrowing::default()
            };
            let Narrowed { projects, path, mut notices } = narrowing.narrowed(view)?;
            (question.projects, question.path) = (projects, path);
            let mut reply = view.symbol(&question)?;
            if arguments.blame == Some(Flag(true)) {
                view.note_last_changes(&mut reply.definitions, server.0.options.last_changes);
            }
            let names = view.place_names();
            let defined = |found| Defined::new(found, &names);
            let mut definitions: Vec<Defined> = reply.definitions.into_iter().map(defined).collect();
            let mut symbols: Vec<Defined> = reply.symbols.into_iter().map(defined).collect();
            let mut uses: Vec<Use> = reply.uses.into_iter().map(|found| Use::new(found, &names)).collect();
            notices.extend(reply.notices);
            definitions.truncate(server.0.options.budget.fitting(&definitions));
            symbols.truncate(server.0.options.budget.fitting(&symbols));
            uses.truncate(server.0.options.budget.fitting(&uses));
            let shown = match want {
                Want::Definition => definitions.len(),
                Want::References | Want::Callers => uses.len(),
                Want::Callees | Want::Members => symbols.len(),
            };
            let stale: BTreeSet<&str> = definitions
                .iter()
                .chain(&symbols)
                .filter(|found| found.stale)
                .map(|found| found.document.as_str())
                .chain(uses.iter().filter(|found| found.stale).map(|found| found.document.as_str()))
                .collect();
            if !stale.is_empty() {
                let named = stale.into_iter().take(MAX_NAMED).collect::<Vec<_>>().join(", ");
                notices.push(format!("changed since they were indexed, so lines may have moved: {named}"));
            }
            let next = question.offset + shown;
            Ok(Outcome {
                definitions,
                total_definitions: reply.total_definitions,
                symbols,
                uses,
                total: reply.total,
                total_lines: matches!(want, Want::References | Want::Callers).then_some(reply.total_lines),
                next_offset: (next < reply.total && shown > 0).then_some(next),
                notices,
            })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = counted(outcome.total_definitions, "definition") + "\n" + &notes(&outcome.notices);
        text += &fenced_as("", &outcome.definitions.iter().map(Defined::line).collect::<String>());
        for defined in &outcome.definitions {
            text += &defined.code.as_deref().map(|code| fenced_as(&defined.language, code)).unwrap_or_default();
        }
        if let Some(lines) = outcome.total_lines {
            let (lines, places) = (counted(lines, "line"), counted(outcome.total, "place"));
            text += &format!("mentioned in {lines}, in {places}\n");
            text += &fenced_as("", &outcome.uses.iter().map(Use::line).collect::<String>());
        } else if !outcome.symbols.is_empty() {
            text += &format!("{} of {}\n", outcome.symbols.len(), counted(outcome.total, "symbol"));
            text += &fenced_as("", &outcome.symbols.iter().map(Defined::line).collect::<String>());
        }
        text + &outcome.next_offset.map(|next| format!("there are more: next_offset = {next}\n")).unwrap_or_default()
    }
}

/// Reads the argument `want`, which models write in several ways.
fn want(text: &str) -> Result<Want> {
    Ok(match text.trim().to_lowercase().as_str() {
        "definition" | "definitions" | "define" | "" => Want::Definition,
        "references" | "reference" | "uses" | "usages" | "refs" => Want::References,
        "callers" | "caller" | "called_by" | "incoming" => Want::Callers,
        "callees" | "callee" | "calls" | "outgoing" => Want::Callees,
        "members" | "member" | "children" | "methods" => Want::Members,
        _ => bail!("argument `want` is {text:?}: use definition, references, callers, callees or members"),
    })
}
