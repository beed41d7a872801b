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

/// What encoded the query's meaning; each is better than the one before, and costs a reader more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "u8")]
pub enum Tier {
    /// Nothing: words alone.
    Words,
    /// The bundle's own table of token vectors.
    Table,
    /// The model.
    Model,
}

impl From<Tier> for u8 {
    fn from(tier: Tier) -> Self {
        tier as Self
    }
}

/// Which vectors a query is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Coarse codes of the promising documents: for hosts that fetch what they read.
    #[default]
    Near,
    /// Fine codes of all chunks: for hosts that have the bundle at hand.
    Full,
}

/// A question to a bundle.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// What the user typed.
    pub text: String,
    /// The same in Unicode normalization form D, which hosts have at hand; else accents keep words from the bundle's
    /// query encoder.
    pub decomposed: Option<String>,
    /// Which lists to use. Hybrid without a vector is encoded by the bundle's table; where there is none it is answered by
    /// words alone, and the answer says so.
    pub mode: Mode,
    /// Documents wanted, at most; 1 to [`Query::MAX_LIMIT`].
    pub limit: usize,
    /// The text's vector, from the model that the bundle names.
    pub vector: Option<Vec<f32>>,
    /// Which vectors to compare with.
    pub reach: Reach,
    /// Whether answers by words are wanted while meaning is on its way.
    pub previews: bool,
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
    #[error(
        "searching by meaning needs the bundle's model, as it has no query encoder: import the model, or use mode `words`"
    )]
    NoVector,
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
            Self::NoVector => "no-model",
            Self::Dimensions { .. } => "other-model",
            Self::Format(_) => "bad-bundle",
        }
    }
}
