use crate::format::FormatError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which lists rank the documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words and meaning, fused.
    #[default]
    Hybrid,
    /// BM25 alone.
    Words,
    /// Vectors alone.
    Meaning,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Hybrid, Self::Words, Self::Meaning];

    /// The mode's name, as users type it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Words => "words",
            Self::Meaning => "meaning",
        }
    }
}

/// A question to a bundle.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// What the user typed.
    pub text: String,
    /// Which lists to use. Hybrid without a vector is answered by words alone, and the answer says so.
    pub mode: Mode,
    /// Documents wanted, at most; 1 to [`Query::MAX_LIMIT`].
    pub limit: usize,
    /// The text's vector, from the model that the bundle names.
    pub vector: Option<Vec<f32>>,
}

impl Query {
    /// Largest accepted [`Query::limit`].
    pub const MAX_LIMIT: usize = 1000;
    /// Longest accepted [`Query::text`], in bytes.
    pub const MAX_BYTES: usize = 4096;
}

/// Why a query was not answered.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum QueryError {
    /// Nothing to search for.
    #[error("the query is empty: type at least one word")]
    Empty,
    /// Longer than [`Query::MAX_BYTES`].
    #[error("the query has {0} bytes; at most {max} are searched for: shorten it", max = Query::MAX_BYTES)]
    TooLong(usize),
    /// Outside 1 to [`Query::MAX_LIMIT`].
    #[error("limit {0} is outside 1 to {max}", max = Query::MAX_LIMIT)]
    Limit(usize),
    /// Meaning alone was asked for, and there is no vector.
    #[error("searching by meaning needs the model {0:?} that the bundle was made with: import it, or use mode `words`")]
    NoVector(String),
    /// The vector is not of the bundle's model.
    #[error(
        "the query vector has {got} dimensions, the bundle's model {expected}: was the bundle made with another model?"
    )]
    Dimensions {
        /// Dimensions of the bundle.
        expected: u32,
        /// Dimensions of the vector.
        got: usize,
    },
    /// The bundle is damaged.
    #[error(transparent)]
    Format(#[from] FormatError),
}

impl QueryError {
    /// Stable name for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty-query",
            Self::TooLong(_) => "query-too-long",
            Self::Limit(_) => "bad-limit",
            Self::NoVector(_) => "no-model",
            Self::Dimensions { .. } => "other-model",
            Self::Format(_) => "bad-bundle",
        }
    }
}
