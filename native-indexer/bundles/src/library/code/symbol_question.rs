//! Questions about a symbol, and their answers.

use crate::library::documents::path_filter::PathFilter;
use nearfind_core::symbols::SymbolKind;
use serde::Serialize;

/// The requested information about a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Want {
    /// Its definitions.
    #[default]
    Definition,
    /// Every line that mentions it.
    References,
    /// The functions that mention it.
    Callers,
    /// The definitions of names that its own code mentions.
    Callees,
    /// The definitions inside it.
    Members,
}

/// A question about a symbol.
#[derive(Clone)]
pub struct SymbolQuestion {
    /// The name, optionally after its scope: `send`, `Session.send`, `Session::send`.
    pub name: String,
    /// The requested information.
    pub want: Want,
    /// Projects, as [`View::project`](crate::library::View::project) names them. Empty for all.
    pub projects: Vec<String>,
    /// Restricts the paths of definitions. For uses, it chooses the definition; if none is there, it restricts the uses.
    pub path: Option<PathFilter>,
    /// Number of results to skip.
    pub offset: usize,
    /// Maximum number of results to return.
    pub limit: usize,
}

/// The reply to a question about a symbol.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SymbolReply {
    /// The definitions with this name, the most likely first. If other information was requested, only the first one.
    pub definitions: Vec<FoundSymbol>,
    /// Number of definitions with this name.
    pub total_definitions: usize,
    /// Its callees or members, as requested.
    pub symbols: Vec<FoundSymbol>,
    /// Places that mention it, by the symbol that contains them.
    pub uses: Vec<SymbolUse>,
    /// Number of all results: symbols, or places with all of their lines.
    pub total: usize,
    /// Number of lines that mention it.
    pub total_lines: usize,
    /// Notices about how the results were found.
    pub notices: Vec<String>,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundSymbol {
    /// Its name with its scope: `Session.send`.
    pub symbol: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Name of its project.
    pub project: String,
    /// Path inside its project.
    pub path: String,
    /// Its first and last line, from 1.
    pub lines: (u32, u32),
    /// Its signature, on one line.
    pub signature: String,
    /// The comment on it. May be empty.
    pub comment: String,
    /// The purpose of its file: `source`, `test` …
    pub class: String,
    /// Its programming language.
    pub language: String,
    /// Its code, if it is the only definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Its address for readers.
    pub url: Option<String>,
    /// Whether its file has changed since it was indexed, as far as that is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_stale: bool,
    /// The commit that last changed it, if requested.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_change: String,
}

/// The lines that mention a name inside a symbol, or outside all symbols in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymbolUse {
    /// The symbol that contains the lines. Empty if there is none.
    pub symbol: String,
    /// The kind of that symbol.
    pub kind: Option<SymbolKind>,
    /// Name of the project.
    pub project: String,
    /// Path inside the project.
    pub path: String,
    /// The lines, from 1.
    pub lines: Vec<u32>,
    /// The text of the first line.
    pub text: String,
    /// The purpose of the file.
    pub class: String,
    /// Whether the file has changed since it was indexed, as far as that is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_stale: bool,
}

impl SymbolQuestion {
    pub(super) fn admits(&self, project: &String, path: &str) -> bool {
        (self.projects.is_empty() || self.projects.contains(project))
            && self.path.as_ref().is_none_or(|wanted| wanted.admits(project, path))
    }
}

impl std::fmt::Debug for SymbolQuestion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SymbolQuestion").field("name", &self.name).field("want", &self.want).finish_non_exhaustive()
    }
}
