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
    /// Every line that mentions the symbol.
    References,
    /// The functions that mention the symbol.
    Callers,
    /// The definitions of names that the symbol's own code mentions.
    Callees,
    /// The definitions inside the symbol.
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
    /// Restricts the paths of definitions. For uses, this filter chooses the definition. If no definition has such a
    /// path, the filter restricts the uses.
    pub path: Option<PathFilter>,
    /// Number of results to skip.
    pub offset: usize,
    /// Maximum number of results to return.
    pub limit: usize,
}

/// The reply to a question about a symbol.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SymbolReply {
    /// The definitions with this name, most likely first. If other information was requested, only the first
    /// definition.
    pub definitions: Vec<FoundSymbol>,
    /// Number of definitions with this name.
    pub total_definitions: usize,
    /// The symbol's callees or members, as requested.
    pub symbols: Vec<FoundSymbol>,
    /// Places that mention the symbol, grouped by the symbol that contains them.
    pub uses: Vec<SymbolUse>,
    /// Number of all results, which are symbols or places. A place counts once, with all of its lines.
    pub total: usize,
    /// Number of lines that mention the symbol.
    pub total_lines: usize,
    /// Notices about how the results were found.
    pub notices: Vec<String>,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundSymbol {
    /// The name with the scope: `Session.send`.
    pub symbol: String,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// Name of the project.
    pub project: String,
    /// Path in the project.
    pub path: String,
    /// The first and last line, starting at 1.
    pub lines: (u32, u32),
    /// The signature, on one line.
    pub signature: String,
    /// The comment on the definition. May be empty.
    pub comment: String,
    /// The purpose of the file: `source`, `test` …
    pub class: String,
    /// The programming language.
    pub language: String,
    /// The code, if this is the only definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The address that readers open.
    pub url: Option<String>,
    /// Whether the file is known to have changed since it was indexed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_stale: bool,
    /// The commit that last changed the definition, if requested.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_change: String,
}

/// The lines in one symbol that mention a name, or the lines of a file outside all symbols.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymbolUse {
    /// The symbol that contains the lines. Empty if there is none.
    pub symbol: String,
    /// The kind of that symbol.
    pub kind: Option<SymbolKind>,
    /// Name of the project.
    pub project: String,
    /// Path in the project.
    pub path: String,
    /// The line numbers, starting at 1.
    pub lines: Vec<u32>,
    /// The text of the first line.
    pub text: String,
    /// The purpose of the file.
    pub class: String,
    /// Whether the file is known to have changed since it was indexed.
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
