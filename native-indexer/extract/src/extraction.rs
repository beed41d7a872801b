//! The outcome of reading a file.

use crate::code::{CodeFile, Unwanted};
#[cfg(feature = "formats")]
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::left_out::LeftOut;
use serde::{Deserialize, Serialize};

/// A function that reads a part of a file, such as an attachment in a message, from its name and its bytes.
#[cfg(feature = "formats")]
pub(crate) type ReadPart<'a> = &'a dyn Fn(&str, &[u8]) -> Result<Extraction, ExtractError>;

/// The outcome of reading a file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Extraction {
    /// A document.
    Document(Box<Extracted>),
    /// A page that only leads to another page. The value is a URL relative to the page.
    Redirect(String),
    /// A file without content for search, and the reason.
    LeftOut(LeftOut),
    /// A page that its author excludes from search: the reason, and problems with its front matter, each as a clause
    /// for a report.
    KeptOut(LeftOut, Vec<String>),
    /// Source code.
    Code(Box<CodeFile>),
    /// A file that was read as source code but is left out, and the reason.
    Unwanted(Unwanted),
}
