//! A document as structured text.

use crate::code::Symbol;
use crate::date::Date;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The text of a document, with its structure and metadata. All positions are byte offsets in `text`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extracted {
    /// The title, or an empty text.
    pub title: String,
    /// The title in a web page's head, if it differs from `title`. It often includes the site's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub head_title: String,
    /// A description on one line. May be empty.
    pub description: String,
    /// The canonical URL that the page declares.
    pub canonical_url: Option<String>,
    /// The language of the text as a BCP 47 tag in lower case. Empty if no language is declared.
    pub language: String,
    /// Whether the page marks its content for search engines.
    pub has_marked_body: bool,
    /// The metadata for search engines.
    pub metadata: Metadata,
    /// The date of publication or last change, according to the document.
    pub date: Option<Date>,
    /// The target of the first relative link in a web page's content.
    pub first_link: Option<String>,
    /// The text, which is plain text for text files and Markdown for all other formats.
    pub text: String,
    /// The headings, in ascending order.
    pub headings: Vec<Heading>,
    /// The beginnings of paragraphs, lists, code blocks and other blocks, in ascending order. They are good places to
    /// split.
    pub blocks: Vec<usize>,
    /// The beginnings of pages and other places without a heading, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// The definitions in the code cells of a notebook, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<Symbol>,
    /// Descriptions of the parts that could not be read, each as a clause for a report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[cfg(feature = "formats")]
impl Extracted {
    /// Returns the title of the only heading of level 1, or an empty text if there is none or there are several.
    pub(crate) fn first_heading(&self) -> String {
        let mut highest = self.headings.iter().filter(|heading| heading.level == 1);
        match (highest.next(), highest.next()) {
            (Some(only), None) => only.title.clone(),
            _ => String::new(),
        }
    }
}

/// The beginning of another place in a document, such as a page or some rows in a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The byte offset where the place begins.
    pub at: usize,
    /// The address of the place in a viewer: see [`Heading::anchor`]. Empty if there is none.
    pub anchor: String,
    /// The name of the place for people, such as `p. iv` or `rows 101–108`, unless the anchor contains it.
    pub label: String,
    /// Information that helps to understand the place but is not part of its text, such as the names of columns.
    pub context: String,
}

/// The minimum weight of a page.
pub const MIN_WEIGHT: f32 = 0.01;
/// The maximum weight of a page.
pub const MAX_WEIGHT: f32 = 100.0;

/// The metadata for search that a page's authors declare.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// Values that are shown with results.
    pub shown: BTreeMap<String, String>,
    /// Values for filters.
    pub filters: BTreeMap<String, BTreeSet<String>>,
    /// Values for sorting.
    pub sort: BTreeMap<String, String>,
    /// The weight of the page in the ranking, from [`MIN_WEIGHT`] to [`MAX_WEIGHT`]. The default is 1.
    pub weight: Option<f32>,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// The byte offset where the heading's line begins.
    pub at: usize,
    /// The level, from 1 to 6.
    pub level: u8,
    /// The title as plain text.
    pub title: String,
    /// The heading's address in a viewer, which follows the `#` in a URL: `intro` in a web page, `page=7` in a PDF,
    /// `L120-L148` in source code. Empty if there is none.
    pub anchor: String,
}
