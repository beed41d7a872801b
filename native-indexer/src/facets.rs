//! The facets that nearfind itself gives to documents.

use crate::extract::Metadata;
use nearfind_core::search::{CATALOG_FILTERS, LANGUAGE, PROJECT};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The facet that tells guides from reference pages and source code.
pub use nearfind_core::search::KIND;

/// The facet that tells what kind of file a document is: `page`, `pdf`, `word`, `slides`, `sheet`, `book` or `text`.
pub const FORMAT: &str = "format";

/// The facet that tells the programming language of source code.
pub const CODE_LANGUAGE: &str = "code_language";

/// What a page is for: a value of [`KIND`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
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

/// What a page can be filtered by as its authors say, without what is called like something that nearfind finds out.
pub(crate) fn of_page(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
    let is_free = |name: &str| name != PROJECT && name != LANGUAGE && !CATALOG_FILTERS.contains(&name);
    let own = metadata.filters.iter().filter(|(name, _)| is_free(name));
    own.map(|(name, values)| (name.clone(), values.clone())).collect()
}
