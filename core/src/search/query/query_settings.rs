use super::query_syntax::QueryText;
use crate::format::FormatError;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use thiserror::Error;

/// Selects the lists that rank the documents.
///
/// ```
/// use nearfind_core::search::Mode;
///
/// let typed = "words";
/// let mode = Mode::ALL.into_iter().find(|mode| mode.name() == typed);
/// assert_eq!(mode, Some(Mode::Words));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words and meaning combined.
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

    /// Returns the name of the mode, as users type it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Words => "words",
            Self::Meaning => "meaning",
        }
    }
}

/// The encoder of a query's meaning. Each tier is better than the previous one, and costs a reader more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "u8")]
pub enum Tier {
    /// No encoder: the query is answered by words alone.
    Words,
    /// The bundle's own query encoder, a table of token vectors.
    Table,
    /// The model.
    Model,
}

impl From<Tier> for u8 {
    fn from(tier: Tier) -> Self {
        tier as Self
    }
}

/// Selects the vectors that a query is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Coarse codes of the promising documents, for hosts that fetch the data.
    #[default]
    Near,
    /// Fine codes of all chunks, for hosts that have the bundle. For a very large site, which has no fine codes, this
    /// means coarse codes of more documents.
    Full,
}

/// A query to one or several bundles.
///
/// ```
/// use nearfind_core::search::{Filter, Mode, Query, QueryError, Session};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let code = Filter { name: "kind".into(), values: vec!["code".into()] };
/// let query = Query { text: "send".into(), mode: Mode::Words, limit: 10, filters: vec![code], ..Query::default() };
/// let answer = ask(&bundle, &mut reader, query);
/// assert_eq!(answer.hits[0].path, "session.py");
///
/// // A query without a limit is refused, and so is one without words.
/// let without_limit = Query { text: "send".into(), ..Query::default() };
/// assert_eq!(Session::new(&[&reader], without_limit).unwrap_err(), QueryError::Limit(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The text that the user typed.
    pub text: QueryText,
    /// [`QueryText::meant`] in Unicode normalization form D, which hosts can compute. Without it, the bundle's query
    /// encoder does not know words with accents.
    pub decomposed: Option<String>,
    /// The lists to use. A hybrid query without a vector is encoded by the bundle's query encoder. If there is none,
    /// the query is answered by words alone, and the answer says so.
    pub mode: Mode,
    /// The maximum number of documents, 1 to [`Query::MAX_LIMIT`].
    pub limit: usize,
    /// The vector of the text, by the model that the bundle names.
    pub vector: Option<Vec<f32>>,
    /// The vectors to compare with.
    pub reach: Reach,
    /// Whether to return answers by words while search by meaning is still loading.
    pub previews: bool,
    /// Whether the last word may be incomplete, as in a search box that searches with every keystroke.
    pub typing: bool,
    /// Whether to count documents for [`Answer::filters`](crate::search::Answer::filters).
    pub counts: bool,
    /// The maximum number of passages per document. 0 means 1.
    pub passages: usize,
    /// Whether to set [`Hit::text`](crate::search::Hit::text), for a reranker.
    pub texts: bool,
    /// The filters. A document must pass all of them.
    pub filters: Vec<Filter>,
    /// The reader's language, as a BCP 47 tag. If documents are in several languages and this is one of them, documents
    /// in the other languages are left out, unless the query filters by [`LANGUAGE`].
    pub language: Option<String>,
    /// Whether to show documents that barely fit. By default, the answer to a question about something else is empty.
    pub unfit: bool,
    /// Whether to return the nearest documents if none fits. Their [`Why::fit`](crate::search::Why::fit) is below 1.
    pub nearest: bool,
    /// The order for sorting documents, instead of by how well they answer the query. Documents without the property
    /// come last.
    pub sort: Option<Sort>,
    /// The paths that a filter by [`PATH_REGEX`] admits. Core has no regular expressions, because any library for them
    /// would be half as large as core.
    pub path_pattern: Option<PathPattern>,
}

/// A property that a document must have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// [`PROJECT`], or the name of a facet, or a property of the catalog. The properties are: `area` and `sub_area`,
    /// the first two folders below the folder of the documentation; `path`, a folder or a file; [`PATH_REGEX`], a
    /// regular expression for paths; `since` and `until`, dates such as `2024`, `2024-05` or `2024-05-01`.
    pub name: String,
    /// The values. The document must have one of them.
    pub values: Vec<String>,
}

impl Filter {
    /// Creates filters from pairs of a name and a value. Values with the same name are alternatives.
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
///
/// ```
/// use nearfind_core::search::{Query, QueryError, Session, Sort};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let newest_first = Sort { by: "date".into(), descending: true };
/// let query = Query { text: "undo".into(), limit: 10, sort: Some(newest_first), ..Query::default() };
/// // The pages of this bundle have no dates.
/// let refused = Session::new(&[&open(&small_bundle())], query).unwrap_err();
/// assert_eq!(refused, QueryError::UnknownOrder("date".into()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    /// Name of an order of the bundle.
    pub by: String,
    /// Whether the largest value comes first.
    pub descending: bool,
}

/// The name of the filter by project.
pub const PROJECT: &str = "project";
/// The names of filters by properties of the catalog: see [`Filter::name`].
pub const CATALOG_FILTERS: [&str; 6] = [AREA, SUB_AREA, PATH, PATH_REGEX, SINCE, UNTIL];
/// The name of the filter by language, if documents are in several languages.
pub const LANGUAGE: &str = "language";
pub(crate) const AREA: &str = "area";
pub(crate) const SUB_AREA: &str = "sub_area";
/// The name of the filter by folder or file.
pub const PATH: &str = "path";
/// The name of a filter by [`Query::path_pattern`]. The host interprets its values.
pub const PATH_REGEX: &str = "path_regex";
pub(crate) const SINCE: &str = "since";
pub(crate) const UNTIL: &str = "until";

/// Tests paths with the host's own regular expressions.
///
/// ```
/// use nearfind_core::search::{Filter, PATH_REGEX, PathPattern, Query};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let query = Query {
///     text: "commit branch session".into(),
///     filters: vec![Filter { name: PATH_REGEX.into(), values: vec![r"\.py$".into()] }],
///     // A host with a regular expression engine calls it here.
///     path_pattern: Some(PathPattern::new(|path| path.ends_with(".py"))),
///     ..Query::default()
/// };
/// let answer = ask(&bundle, &mut open(&bundle), query);
/// assert!(answer.hits.iter().all(|hit| hit.path == "session.py"));
/// assert_eq!(answer.hits.len(), 1);
/// ```
#[derive(Clone)]
pub struct PathPattern(Rc<dyn Fn(&str) -> bool>);

impl PathPattern {
    /// Creates a pattern that admits the paths for which `is_match` returns true.
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
    /// The largest [`Query::limit`].
    pub const MAX_LIMIT: usize = 1000;
}

/// The reason why a query was not answered.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum QueryError {
    /// The query has nothing to search for.
    #[error("the query is empty: type at least one word")]
    Empty,
    /// The limit is not between 1 and [`Query::MAX_LIMIT`].
    #[error("limit {0}: use 1 to {max}", max = Query::MAX_LIMIT)]
    Limit(usize),
    /// The query filters by a property that documents do not have.
    #[error("there is no filter `{0}`: use `project`, `area`, `path`, `since` or a facet of the index")]
    UnknownFilter(String),
    /// The query filters by a value that no document has.
    #[error("no document has {name} `{value}`: use an existing one")]
    UnknownValue {
        /// Name of the filter.
        name: String,
        /// The value in the query.
        value: String,
    },
    /// The query sorts by a property that documents do not have.
    #[error("cannot sort by `{0}`: search one index, and sort by a property that its pages set")]
    UnknownOrder(String),
    /// The value of a date filter is not a valid date.
    #[error("`{0}` is not a date: write 2024, 2024-05 or 2024-05-01")]
    Date(String),
    /// The query searches by meaning alone, but has no vector.
    #[error("meaning needs the index's model: import it, or use mode `words`")]
    NoVector,
    /// The vector does not come from the index's model.
    #[error("the query vector has {got} dimensions, not {expected}: use the index's model")]
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
    /// Returns a stable name for programs.
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
