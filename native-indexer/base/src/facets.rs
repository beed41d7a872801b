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

/// What a page is for: a value of [`KIND`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// It explains.
    Guide,
    /// It is looked up.
    Reference,
}

impl PageKind {
    /// Its name, as filters know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guide => "guide",
            Self::Reference => "reference",
        }
    }
}

/// What source code is there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeClass {
    /// It does what the project is for.
    #[default]
    Source,
    /// It tests, or measures.
    Test,
    /// It shows how to use the project.
    Example,
    /// It is data of tests.
    Fixture,
    /// It passes on what other files define.
    Reexport,
    /// It introduces a file: licence and imports.
    Preamble,
    /// It configures or builds the project.
    Config,
}

impl CodeClass {
    /// Its name, as filters know it: a value of the facet `class`.
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
