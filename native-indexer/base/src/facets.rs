//! The facets that nearfind itself assigns to documents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The facet that distinguishes guides, reference pages and source code.
pub use nearfind_core::search::KIND;

/// The facet for a document's file type: `page`, `pdf`, `word`, `slides`, `sheet`, `book`, `mail` or `text`.
pub const FORMAT: &str = "format";

/// The facet for the programming language of source code.
pub const CODE_LANGUAGE: &str = "code_language";

/// The value of [`KIND`] for commits.
pub const HISTORY: &str = "history";

/// The purpose of a page: a value of [`KIND`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// Pages that explain a subject.
    Guide,
    /// Pages for looking something up.
    Reference,
}

impl PageKind {
    /// Returns the kind's name in filters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guide => "guide",
            Self::Reference => "reference",
        }
    }
}

/// The purpose of source code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeClass {
    /// It does the project's work.
    #[default]
    Source,
    /// It is a test or a benchmark.
    Test,
    /// It shows how to use the project.
    Example,
    /// It is data for tests.
    Fixture,
    /// It re-exports definitions of other files.
    Reexport,
    /// It introduces a file: license and imports.
    Preamble,
    /// It configures or builds the project.
    Config,
}

impl CodeClass {
    /// Returns the class's name in filters, which is a value of the facet `class`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Test => "test",
            Self::Example => "example",
            Self::Fixture => "fixture",
            Self::Reexport => "reexport",
            Self::Preamble => "preamble",
            Self::Config => "config",
        }
    }
}
