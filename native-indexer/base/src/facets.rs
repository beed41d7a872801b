//! The facets that nearfind itself gives to documents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The facet that tells guides from reference pages and source code.
pub use nearfind_core::search::KIND;

/// The facet that tells what kind of file a document is: `page`, `pdf`, `word`, `slides`, `sheet`, `book`, `mail` or `text`.
pub const FORMAT: &str = "format";

/// The facet that tells the programming language of source code.
pub const CODE_LANGUAGE: &str = "code_language";

/// The value of [`KIND`] of commits.
pub const HISTORY: &str = "history";

/// The purpose of a page: a value of [`KIND`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// It explains.
    Guide,
    /// It is looked up.
    Reference,
}

impl PageKind {
    /// Returns its name in filters.
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
    /// It serves the purpose of the project.
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
    /// Returns its name in filters, a value of the facet `class`.
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
