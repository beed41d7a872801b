use super::query_syntax::QueryText;
use crate::format::FormatError;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
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
    /// Fine codes of all chunks: for hosts that have the bundle at hand. Of a very large site, which has none, the coarse codes of
    /// more documents.
    Full,
}

/// A question to a bundle.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// What the user typed.
    pub text: QueryText,
    /// [`QueryText::meant`] in Unicode normalization form D, which hosts have at hand; else accents keep words from the
    /// bundle's query encoder.
    pub decomposed: Option<String>,
    /// Which lists to use. Hybrid without a vector is encoded by the bundle's table; where there is none it is answered
    /// by words alone, and the answer says so.
    pub mode: Mode,
    /// Documents wanted, at most; 1 to [`Query::MAX_LIMIT`].
    pub limit: usize,
    /// The text's vector, from the model that the bundle names.
    pub vector: Option<Vec<f32>>,
    /// Which vectors to compare with.
    pub reach: Reach,
    /// Whether answers by words are wanted while meaning is on its way.
    pub previews: bool,
    /// Whether the text's last word may be the beginning of one, as in a box that searches with every key.
    pub typing: bool,
    /// Whether [`Answer::filters`](crate::search::Answer::filters) is wanted.
    pub counts: bool,
    /// Passages of each document, at most; 0 stands for 1.
    pub passages: usize,
    /// Whether [`Hit::text`](crate::search::Hit::text) is wanted, for a reranker.
    pub texts: bool,
    /// What a document must pass, all of them.
    pub filters: Vec<Filter>,
    /// The reader's language, as a BCP 47 tag: where documents are in several languages and one is this, those in others
    /// are left out, unless the query filters by [`LANGUAGE`].
    pub language: Option<String>,
    /// Whether documents are shown too that hardly fit: else an answer to a question about something else is empty.
    pub unfit: bool,
    /// Whether, where no document fits, those are wanted that come near it: none of them has 1 as
    /// [`Why::fit`](crate::search::Why::fit).
    pub nearest: bool,
    /// What documents are sorted by, in place of how well they answer; those that do not have it come last.
    pub sort: Option<Sort>,
    /// The paths that a filter by [`PATH_REGEX`] lets through. Core has no regular expressions: those of any library
    /// would be half as large as all of it.
    pub path_pattern: Option<PathPattern>,
}

/// A property that a document must have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// [`PROJECT`], the name of a facet, or what the catalog knows: `area` and `sub_area`, the folders below those of
    /// the documentation; `path`, a folder or a file; [`PATH_REGEX`]; `since` and `until`, days as `2024`,
    /// `2024-05` or `2024-05-01`.
    pub name: String,
    /// The values of which it must have one.
    pub values: Vec<String>,
}

impl Filter {
    /// Filters of names and values: values of one name are alternatives.
    ///
    /// ```
    /// use nearfind_core::search::Filter;
    ///
    /// let pairs = [("project", "git"), ("kind", "guide"), ("project", "svn")];
    /// let filters = Filter::of_pairs(pairs.map(|(name, value)| (name.into(), value.into())).into_iter());
    /// assert_eq!(filters.len(), 2);
    /// assert_eq!(filters[0].values, ["git", "svn"]);
    /// ```
    pub fn of_pairs(pairs: impl Iterator<Item = (String, String)>) -> Vec<Self> {
        let mut filters: Vec<Self> = Vec::new();
        for (name, value) in pairs {
            match filters.iter_mut().find(|filter| filter.name == name) {
                Some(filter) => filter.values.push(value),
                None => filters.push(Self { name, values: vec![value] }),
            }
        }
        filters
    }
}

/// An order of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    /// Name of an order of the bundle.
    pub by: String,
    /// Whether the largest comes first.
    pub descending: bool,
}

/// The name by which filters know a document's project.
pub const PROJECT: &str = "project";
/// The names by which filters know what the catalog says of a document, see [`Filter::name`].
pub const CATALOG_FILTERS: [&str; 6] = [AREA, SUB_AREA, PATH, PATH_REGEX, SINCE, UNTIL];
/// The name by which filters know a document's language, where there are several.
pub const LANGUAGE: &str = "language";
pub(crate) const AREA: &str = "area";
pub(crate) const SUB_AREA: &str = "sub_area";
/// The filter that keeps to what is below a folder, or to a file, by its path.
pub const PATH: &str = "path";
/// The name of a filter by [`Query::path_pattern`]. Its values are for the host.
pub const PATH_REGEX: &str = "path_regex";
pub(crate) const SINCE: &str = "since";
pub(crate) const UNTIL: &str = "until";

/// Whether a path is wanted, as a host's own regular expressions say.
#[derive(Clone)]
pub struct PathPattern(Rc<dyn Fn(&str) -> bool>);

impl PathPattern {
    /// The paths for which `is_match` holds.
    pub fn new(is_match: impl Fn(&str) -> bool + 'static) -> Self {
        Self(Rc::new(is_match))
    }

    pub(crate) fn is_match(&self, path: &str) -> bool {
        (self.0)(path)
    }
}

impl std::fmt::Debug for PathPattern {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("PathPattern")
    }
}

impl Query {
    /// Largest accepted [`Query::limit`].
    pub const MAX_LIMIT: usize = 1000;
}

/// Why a query was not answered.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum QueryError {
    /// Nothing to search for.
    #[error("the query is empty: type at least one word")]
    Empty,
    /// Outside 1 to [`Query::MAX_LIMIT`].
    #[error("limit {0} is outside 1 to {max}", max = Query::MAX_LIMIT)]
    Limit(usize),
    /// A filter by a property that documents do not have.
    #[error("there is no filter `{0}`: use `project`, `area`, `path`, `since` or a facet of the bundle")]
    UnknownFilter(String),
    /// A filter by a value that no document has.
    #[error("no document has {name} `{value}`: use one that is there")]
    UnknownValue {
        /// Name of the filter.
        name: String,
        /// As asked for.
        value: String,
    },
    /// An order that documents do not have.
    #[error("documents cannot be sorted by `{0}`: one bundle at a time, by a property that its pages give")]
    UnknownOrder(String),
    /// A date filter whose value is not a valid date.
    #[error("`{0}` is not a valid date: write 2024, 2024-05 or 2024-05-01")]
    Date(String),
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
            Self::Limit(_) => "bad-limit",
            Self::UnknownFilter(_) | Self::UnknownValue { .. } | Self::Date(_) | Self::UnknownOrder(_) => "bad-filter",
            Self::NoVector => "no-model",
            Self::Dimensions { .. } => "other-model",
            Self::Format(_) => "bad-bundle",
        }
    }
}
