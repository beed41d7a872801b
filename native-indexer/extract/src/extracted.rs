//! A document as text with structure.

use crate::code::Symbol;
use crate::date::Date;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A document's text and what is known of its structure. All offsets are bytes of `text`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extracted {
    /// Title; empty if the page has none.
    pub title: String,
    /// What the head of a page calls it, if that is not its title: with the site's name, as often as not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub head_title: String,
    /// One-line description; may be empty.
    pub description: String,
    /// Where the page says it is published.
    pub canonical_url: Option<String>,
    /// The language of its text as a BCP 47 tag, in lower case; empty if it does not say.
    pub language: String,
    /// Whether it marks its content for search engines.
    pub has_marked_body: bool,
    /// What its authors say of it.
    pub metadata: Metadata,
    /// When the page says that it was written or last changed.
    pub date: Option<Date>,
    /// Where the first link of the content leads, if it is relative; only of pages.
    pub first_link: Option<String>,
    /// The text: Markdown as it is in the file, or the Markdown made of a page.
    pub text: String,
    /// Headings, ascending.
    pub headings: Vec<Heading>,
    /// Where paragraphs, lists, code blocks and other blocks begin, ascending: good places to split.
    pub blocks: Vec<usize>,
    /// Where pages and other places begin that have no heading, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// What code in it defines, by place: of the cells of a notebook.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<Symbol>,
    /// What could not be read of it, each a half sentence for a report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[cfg(feature = "formats")]
impl Extracted {
    /// The title of its first heading, if that is one of the highest level and the only one; else empty.
    pub(crate) fn first_heading(&self) -> String {
        let mut highest = self.headings.iter().filter(|heading| heading.level == 1);
        match (highest.next(), highest.next()) {
            (Some(only), None) => only.title.clone(),
            _ => String::new(),
        }
    }
}

/// That another place begins: a page, rows of a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Byte of the text.
    pub at: usize,
    /// Where a viewer finds it, see [`Heading::anchor`]; empty if none can lead there.
    pub anchor: String,
    /// What people call it, if the anchor does not tell: `p. iv`, `rows 101–108`.
    pub label: String,
    /// What it is to be understood with and is not part of the text: the names of columns.
    pub context: String,
}

/// The least that a page can count.
pub const MIN_WEIGHT: f32 = 0.01;
/// The most that a page can count.
pub const MAX_WEIGHT: f32 = 100.0;

/// What the authors of a page say of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// What is shown with it.
    pub shown: BTreeMap<String, String>,
    /// What it can be filtered by.
    pub filters: BTreeMap<String, BTreeSet<String>>,
    /// What it can be sorted by.
    pub sort: BTreeMap<String, String>,
    /// How much it counts, from [`MIN_WEIGHT`] to [`MAX_WEIGHT`]; 1 by default.
    pub weight: Option<f32>,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// Byte at which its line begins.
    pub at: usize,
    /// 1 to 6.
    pub level: u8,
    /// Plain text.
    pub title: String,
    /// Where a viewer finds it, as it is after the `#` of an address: `intro` in a page, `page=7` in a PDF,
    /// `L120-L148` in source code. Empty if it has none.
    pub anchor: String,
}
