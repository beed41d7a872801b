//! Files to text with structure.

pub mod apart;
mod date;
mod directives;
mod front_matter;
mod html;
mod left_out;
mod markdown;
mod notebook;
mod restructuredtext;

pub use date::{Date, date_in_name};
pub use left_out::LeftOut;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
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

/// A language as a page names it, in lower case; empty if it cannot be a BCP 47 tag.
fn language_tag(named: &str) -> String {
    let tag = named.trim().to_lowercase();
    let is_tag = tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_tag { tag } else { String::new() }
}

/// A document's text and what is known of its structure. All offsets are bytes of `text`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extracted {
    /// Title; empty if the page has none.
    pub title: String,
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
    /// The text: Markdown as it stands in the file, or the Markdown made of a page.
    pub text: String,
    /// Headings, ascending.
    pub headings: Vec<Heading>,
    /// Where paragraphs, lists, code blocks and other blocks begin, ascending: good places to split.
    pub blocks: Vec<usize>,
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
    /// How much it counts, from [`MIN_WEIGHT`] to [`MAX_WEIGHT`]; 1 if nothing is said.
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
    /// Where a viewer finds it, as it stands after the `#` of an address: `intro` in a page, `page=7` in a PDF,
    /// `L120-L148` in source code. Empty if it has none.
    pub anchor: String,
}

/// What a file turned out to be.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// A document.
    Document(Box<Extracted>),
    /// A page that only leads to another, by a URL relative to it.
    Redirect(String),
    /// Nothing to be found.
    LeftOut(LeftOut),
}

/// Why a file could not be read.
#[derive(Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ExtractError {
    /// Bytes that are not text, in a file whose name promises it.
    #[error("it is a binary file")]
    Binary,
    /// Text in another encoding.
    #[error("it is not UTF-8: convert it, as with `iconv -t utf-8`")]
    NotUtf8,
    /// Elements nested so deep that browsers would flatten them.
    #[error("its elements are nested more than {0} deep")]
    TooDeep(usize),
    /// JSON of another shape, or none.
    #[error("it is not a Jupyter notebook: {0}")]
    NotANotebook(String),
    /// Reading it took longer than this many seconds.
    #[error("reading it takes longer than {0} s")]
    TooSlow(u64),
    /// The process that read it ended.
    #[error("its reader crashed or ran out of memory")]
    ReaderDied,
    /// There is no process to read it in.
    #[error("the process to read it in does not start: {0}")]
    NoReader(String),
}

impl ExtractError {
    /// Whether the same file gives the same error each time, so that it may be remembered.
    pub const fn is_lasting(&self) -> bool {
        !matches!(self, Self::TooSlow(_) | Self::ReaderDied | Self::NoReader(_))
    }
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

/// Extracts the text of the file called `name`; that `kind_of` does not know is not content.
pub fn extract(name: &str, bytes: &[u8]) -> Result<Outcome, ExtractError> {
    let kind = kind_of(Path::new(name));
    // Browsers pass over zeros in pages, and some generators write them.
    if bytes.contains(&0) && kind != Some(FileKind::Html) {
        return Err(ExtractError::Binary);
    }
    let text = str::from_utf8(bytes).map_err(|_| ExtractError::NotUtf8)?;
    match kind {
        Some(FileKind::Markdown) => Ok(markdown::extract(text)),
        Some(FileKind::Html) => html::extract(name.rsplit('/').next().unwrap_or(name), text),
        Some(FileKind::Notebook) => notebook::extract(text),
        Some(FileKind::RestructuredText) => {
            if let Some(target) = restructuredtext::only_inclusion(text) {
                return Ok(Outcome::Redirect(target.to_owned()));
            }
            let text = restructuredtext::to_markdown(text.trim_start_matches('\u{feff}'));
            Ok(Outcome::Document(Box::new(markdown::structure(&text))))
        }
        None => Ok(Outcome::LeftOut(LeftOut::Empty)),
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
