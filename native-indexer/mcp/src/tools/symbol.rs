use super::super::Server;
use super::super::arguments::{Aliases, Texts, Whole};
use super::super::response::{fenced, one_line};
use super::tool::{Call, Tool};
use anyhow::{Result, bail};
use nearfind_bundles::library::{FoundSymbol, SymbolQuestion, SymbolUse, Want, path_filter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub(super) struct Symbol;

const LIMITS: RangeInclusive<usize> = 1..=200;
const DEFAULT_LIMIT: usize = 20;
const OFFSETS: RangeInclusive<usize> = 0..=100_000_000;
/// Lines of one place that are named.
const MAX_LINES: usize = 12;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The name of a function, class, type …: alone or after what it is in, as in send, Session.send or Session::send.
    name: String,
    /// definition: where it is, with its signature and comment, and its code if it is the only one; references: every line
    /// that mentions it; callers: the functions that do; callees: what its own code mentions; members: what is defined in it.
    #[serde(default)]
    #[schemars(with = "Option<WantSchema>", extend("default" = "definition"))]
    want: Option<String>,
    /// Only in this project, as list_projects names it; several are alternatives.
    #[serde(default)]
    #[schemars(with = "Option<super::super::arguments::OneOrSeveral>")]
    project: Texts,
    /// Only in files whose path matches this regular expression somewhere.
    #[serde(default)]
    path: Option<String>,
    /// Definitions, places or symbols wanted, at most.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 1, max = 200), extend("default" = 20))]
    max_results: Option<Whole>,
    /// How many to leave out in front: next_offset of the response before.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 0), extend("default" = 0))]
    offset: Option<Whole>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "there for its schema alone")]
enum WantSchema {
    Definition,
    References,
    Callers,
    Callees,
    Members,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// What the name stands for, the likeliest first; if more than definitions is wanted the one that was taken.
    definitions: Vec<Defined>,
    /// How many definitions the name stands for.
    total_definitions: usize,
    /// Callees or members.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<Defined>,
    /// Places that mention it, by the symbol that they are in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uses: Vec<Use>,
    /// How many of what was asked for there are.
    total: usize,
    /// How many lines mention it; absent if that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<usize>,
    /// The offset of what comes after this; absent if there is no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// What to know of how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

/// A definition.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Defined {
    /// Its name after what it is in.
    symbol: String,
    /// function, method, class, struct, interface, enum, type, module, constant, field, macro, section or declaration.
    kind: String,
    /// Project and path, for get_document.
    document: String,
    /// Its first and last line.
    lines: String,
    /// What it says before its body.
    #[serde(skip_serializing_if = "String::is_empty")]
    signature: String,
    /// The comment on it.
    #[serde(skip_serializing_if = "String::is_empty")]
    comment: String,
    /// What its file is there for: source, test, example …
    class: String,
    /// Its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// True where the file has changed since it was indexed: its lines may have moved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

/// Lines in one symbol, or outside of all.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Use {
    /// The symbol around them; absent for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    symbol: String,
    /// Project and path, for get_document.
    document: String,
    /// The lines.
    lines: Vec<u32>,
    /// The first of them.
    text: String,
}

impl From<FoundSymbol> for Defined {
    fn from(found: FoundSymbol) -> Self {
        Self {
            document: format!("{}/{}", found.project, found.path),
            lines: format!("{}-{}", found.lines.0, found.lines.1),
            kind: found.kind.name().to_owned(),
            symbol: found.symbol,
            signature: found.signature,
            comment: found.comment,
            class: found.class,
            code: found.code,
            stale: found.is_stale,
        }
    }
}

impl From<SymbolUse> for Use {
    fn from(found: SymbolUse) -> Self {
        Self {
            document: format!("{}/{}", found.project, found.path),
            symbol: found.symbol,
            lines: found.lines,
            text: found.text,
        }
    }
}

impl Defined {
    /// A line for a list.
    pub(super) fn line(&self) -> String {
        let signature = if self.signature.is_empty() { &self.symbol } else { &self.signature };
        let comment = if self.comment.is_empty() { String::new() } else { format!("  // {}", one_line(&self.comment)) };
        format!("{}:{} {} {}: {}{comment}\n", self.document, self.lines, self.kind, self.symbol, one_line(signature))
    }
}

impl Use {
    /// A line for a list.
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
    const DESCRIPTION: &'static str = "Finds where a function, class or type of source code is defined, who calls it, what \
        it calls, what is in it, or every line that mentions it, by name. Use it in place of grep for names of code: it knows \
        definitions from uses, and the function around each use. Uses are told by name, without types.";
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
        ("path_regex", "path"),
        ("limit", "max_results"),
        ("count", "max_results"),
        ("skip", "offset"),
    ];
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let want = want(arguments.want.as_deref().unwrap_or("definition"))?;
        let mut question = SymbolQuestion {
            name: arguments.name,
            want,
            projects: Vec::new(),
            path: path_filter(arguments.path.as_deref())?,
            offset: Whole::within(arguments.offset, "offset", &OFFSETS, 0)?,
            limit: Whole::within(arguments.max_results, "max_results", &LIMITS, DEFAULT_LIMIT)?,
        };
        server.0.library.read(|view| {
            question.projects = arguments.project.0.iter().map(|name| view.project(name)).collect::<Result<_>>()?;
            let reply = view.symbol(&question)?;
            let mut definitions: Vec<Defined> = reply.definitions.into_iter().map(Defined::from).collect();
            let mut symbols: Vec<Defined> = reply.symbols.into_iter().map(Defined::from).collect();
            let mut uses: Vec<Use> = reply.uses.into_iter().map(Use::from).collect();
            definitions.truncate(server.0.budget.fitting(&definitions));
            symbols.truncate(server.0.budget.fitting(&symbols));
            uses.truncate(server.0.budget.fitting(&uses));
            let shown = match want {
                Want::Definition => definitions.len(),
                Want::References | Want::Callers => uses.len(),
                Want::Callees | Want::Members => symbols.len(),
            };
            let next = question.offset + shown;
            Ok(Outcome {
                definitions,
                total_definitions: reply.total_definitions,
                symbols,
                uses,
                total: reply.total,
                total_lines: matches!(want, Want::References | Want::Callers).then_some(reply.total_lines),
                next_offset: (next < reply.total && shown > 0).then_some(next),
                notices: reply.notices,
            })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = format!("{} definitions\n", outcome.total_definitions);
        for notice in &outcome.notices {
            text += &format!("note: {}\n", one_line(notice));
        }
        let mut found: String = outcome.definitions.iter().map(Defined::line).collect();
        found.extend(outcome.definitions.iter().filter_map(|defined| defined.code.as_deref()));
        text += &fenced(&found);
        if let Some(lines) = outcome.total_lines {
            text += &format!("{lines} lines in {} places mention it\n", outcome.total);
            text += &fenced(&outcome.uses.iter().map(Use::line).collect::<String>());
        } else if !outcome.symbols.is_empty() {
            text += &format!("{} of {} symbols\n", outcome.symbols.len(), outcome.total);
            text += &fenced(&outcome.symbols.iter().map(Defined::line).collect::<String>());
        }
        text + &outcome.next_offset.map(|next| format!("there are more: next_offset = {next}\n")).unwrap_or_default()
    }
}

/// What models call it.
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
