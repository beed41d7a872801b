//! Files to text with structure.

pub mod apart;
mod asciidoc;
pub mod code;
mod date;
mod directives;
#[cfg_attr(not(feature = "documents"), expect(dead_code, reason = "texts need a part of it"))]
mod document_writer;
#[cfg(feature = "documents")]
mod documents;
mod front_matter;
mod html;
mod kinds;
mod left_out;
mod markdown;
mod mdx;
mod named_places;
mod notebook;
#[cfg(feature = "documents")]
mod office;
#[cfg(feature = "documents")]
mod pdf;
mod plain_text;
mod restructuredtext;
#[cfg(feature = "documents")]
mod sheet;

pub use date::{Date, date_in_name};
#[cfg(feature = "documents")]
pub use kinds::DocumentFormat;
pub use kinds::{FileKind, kind_of};
pub use left_out::LeftOut;

use code::{CodeFile, Unwanted};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use thiserror::Error;

/// Nobody writes a longer one (RFC 5646, 4.4.1).
const MAX_TAG_BYTES: usize = 35;

/// A language as a page names it, in lower case; empty if it cannot be a BCP 47 tag.
fn language_tag(named: &str) -> String {
    let tag = named.trim().to_lowercase();
    let is_tag = tag.len() <= MAX_TAG_BYTES && tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
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
    /// The text: Markdown as it is in the file, or the Markdown made of a page.
    pub text: String,
    /// Headings, ascending.
    pub headings: Vec<Heading>,
    /// Where paragraphs, lists, code blocks and other blocks begin, ascending: good places to split.
    pub blocks: Vec<usize>,
    /// Where pages and other places begin that have no heading, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// What could not be read of it, each a half sentence for a report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[cfg(feature = "documents")]
impl Extracted {
    /// The title of its first heading, if that is one of the highest level and the only one; else empty.
    fn first_heading(&self) -> String {
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

/// What a file turned out to be.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// A document.
    Document(Box<Extracted>),
    /// A page that only leads to another, by a URL relative to it.
    Redirect(String),
    /// Nothing to be found.
    LeftOut(LeftOut),
    /// Source code.
    Code(Box<CodeFile>),
    /// No source code to be searched, though it was read as such.
    Unwanted(Unwanted),
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
    /// Elements left open, so that parsers search through all of them at every tag.
    #[error("it leaves so many elements open that parsing it takes too long")]
    LeftOpen,
    /// An element with attributes that nobody wrote by hand.
    #[error("it has an element with more than {0} attributes")]
    TooManyAttributes(usize),
    /// JSON of another shape, or none.
    #[error("it is not a Jupyter notebook: {0}")]
    NotANotebook(String),
    /// A document that is cut off or altered.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// A document that asks for a password.
    #[error("it is encrypted: save it without a password")]
    Encrypted,
    /// A file of Word, Excel or PowerPoint before 2007, whatever its name says.
    #[error("it is of Office 97–2003: save it as {0}")]
    OldOffice(String),
    /// An archive that holds more than this many megabytes.
    #[error("it is larger than {0} MB when it is unpacked")]
    UnpacksTooLarge(u64),
    /// XML that could define anything.
    #[error("its XML has a document type declaration: save it again with its own program")]
    Doctype,
    /// What a repository holds in place of a large file.
    #[error("it is a Git LFS pointer, not the file: run `git lfs pull`")]
    LfsPointer,
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

/// How a file begins that Git LFS puts in place of another.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Extracts the text of the file called `name`; that `kind_of` does not know is not content.
pub fn extract(name: &str, bytes: &[u8]) -> Result<Outcome, ExtractError> {
    let Some(kind) = kind_of(Path::new(name)) else { return Ok(Outcome::LeftOut(LeftOut::Empty)) };
    if bytes.starts_with(LFS_POINTER) {
        return Err(ExtractError::LfsPointer);
    }
    let mut outcome = read(kind, name, bytes)?;
    let Outcome::Document(extracted) = &mut outcome else { return Ok(outcome) };
    named_places::shorten(extracted);
    if !kind.is_page() {
        // A link to it may be a download: readers want to know of what, and how much.
        let shown = [("format", kind.format_name().to_owned()), ("size", bytes.len().to_string())];
        extracted.metadata.shown.extend(shown.map(|(name, value)| (name.to_owned(), value)));
    }
    Ok(outcome)
}

/// Reads the file called `name` as source code.
pub fn extract_code(name: &str, bytes: &[u8]) -> Outcome {
    if plain_text::is_binary(bytes) || bytes.starts_with(LFS_POINTER) {
        return Outcome::Unwanted(Unwanted::Binary);
    }
    let text = plain_text::decode(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match code::read(name, text) {
        Ok(file) => Outcome::Code(Box::new(file)),
        Err(reason) => Outcome::Unwanted(reason),
    }
}

fn read(kind: FileKind, name: &str, bytes: &[u8]) -> Result<Outcome, ExtractError> {
    match kind {
        #[cfg(feature = "documents")]
        FileKind::Document(format) => return documents::extract(format, bytes),
        #[cfg(feature = "documents")]
        FileKind::Delimited if plain_text::is_binary(bytes) => return Err(ExtractError::Binary),
        #[cfg(feature = "documents")]
        FileKind::Delimited => {
            let extracted = sheet::delimited(bytes)?;
            let is_empty = extracted.text.is_empty();
            return Ok(if is_empty {
                Outcome::LeftOut(LeftOut::Empty)
            } else {
                Outcome::Document(Box::new(extracted))
            });
        }
        FileKind::Text if plain_text::is_binary(bytes) => return Err(ExtractError::Binary),
        FileKind::Text => return Ok(plain_text::extract(bytes)),
        // Browsers pass over zeros in pages, and some generators write them.
        FileKind::Html => {}
        _ if bytes.contains(&0) => return Err(ExtractError::Binary),
        _ => {}
    }
    let text = str::from_utf8(bytes).map_err(|_| ExtractError::NotUtf8)?;
    match kind {
        FileKind::Mdx => Ok(markdown::extract(&mdx::to_markdown(text))),
        FileKind::Html => html::extract(name.rsplit('/').next().unwrap_or(name), text),
        FileKind::Notebook => notebook::extract(text),
        FileKind::RestructuredText => {
            if let Some(target) = restructuredtext::only_inclusion(text) {
                return Ok(Outcome::Redirect(target.to_owned()));
            }
            let text = restructuredtext::to_markdown(text.trim_start_matches('\u{feff}'));
            Ok(Outcome::Document(Box::new(markdown::structure(&text))))
        }
        FileKind::AsciiDoc => Ok(Outcome::Document(Box::new(markdown::structure(&asciidoc::to_markdown(text))))),
        _ => Ok(markdown::extract(text)),
    }
}

/// White space runs to one space, ends trimmed.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A fence longer than any run of backticks in `code`.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
