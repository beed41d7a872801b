//! Files to text with structure.

mod date;
mod directives;
mod html;
mod markdown;
mod notebook;
mod restructuredtext;

pub use date::{Date, date_in_name};

use serde::{Deserialize, Serialize};
use std::path::Path;
use thiserror::Error;

/// Kinds of file that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// CommonMark with tables, footnotes, heading attributes and directives.
    Markdown,
    /// A built page.
    Html,
    /// A Jupyter notebook.
    Notebook,
    /// A page of Sphinx.
    RestructuredText,
}

/// A document's text and what is known of its structure. All offsets are bytes of `text`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// Title; empty if the page has none.
    pub title: String,
    /// One-line description; may be empty.
    pub description: String,
    /// Where the page says it is published.
    pub canonical_url: Option<String>,
    /// When the page says that it was written or last changed.
    pub date: Option<Date>,
    /// Where the first link of the content leads, if it is relative; only of pages.
    pub first_link: Option<String>,
    /// The text: Markdown as it stands in the file, or the Markdown made of a page.
    pub text: String,
    /// Headings, ascending.
    pub headings: Vec<Heading>,
    /// Where paragraphs, lists, code blocks and other blocks begin, ascending: good places to split.
    pub blocks: Vec<usize>,
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
    /// Anchor in the page; empty if it has none.
    pub anchor: String,
}

/// What a file turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A document.
    Document(Extracted),
    /// A page that only leads to another, by a URL relative to it.
    Redirect(String),
    /// A page that asks not to be found: the print page of a book, an error page.
    NotContent,
}

/// Why a file could not be read.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtractError {
    /// Elements nested so deep that browsers would flatten them.
    #[error("its elements are nested more than {0} deep")]
    TooDeep(usize),
    /// JSON of another shape, or none.
    #[error("it is not a Jupyter notebook: {0}")]
    NotANotebook(String),
}

/// What `path` is by its extension, if it is read at all.
pub fn kind_of(path: &Path) -> Option<FileKind> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "md" | "markdown" => Some(FileKind::Markdown),
        "html" | "htm" => Some(FileKind::Html),
        "ipynb" => Some(FileKind::Notebook),
        "rst" => Some(FileKind::RestructuredText),
        _ => None,
    }
}

/// Extracts the text of a file.
pub fn extract(kind: FileKind, text: &str) -> Result<Outcome, ExtractError> {
    match kind {
        FileKind::Markdown => Ok(Outcome::Document(markdown::extract(text))),
        FileKind::Html => html::extract(text),
        FileKind::Notebook => notebook::extract(text).map(Outcome::Document),
        FileKind::RestructuredText => Ok(restructuredtext::extract(text)),
    }
}

/// White space runs to one space, ends trimmed.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A fence longer than any run of backticks in `code`.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
