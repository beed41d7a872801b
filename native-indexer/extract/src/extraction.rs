//! What a file turned out to be.

use crate::code::{CodeFile, Unwanted};
#[cfg(feature = "formats")]
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::left_out::LeftOut;
use serde::{Deserialize, Serialize};

/// Reads a part of a file, by its name and its bytes: what is attached to a message.
#[cfg(feature = "formats")]
pub(crate) type ReadPart<'a> = &'a dyn Fn(&str, &[u8]) -> Result<Extraction, ExtractError>;

/// What a file turned out to be.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Extraction {
    /// A document.
    Document(Box<Extracted>),
    /// A page that only leads to another, by a URL relative to it.
    Redirect(String),
    /// Nothing to be found.
    LeftOut(LeftOut),
    /// A page that its author keeps out: why, and what is wrong with the lines that say so, each a half sentence.
    KeptOut(LeftOut, Vec<String>),
    /// Source code.
    Code(Box<CodeFile>),
    /// No source code to be searched, though it was read as such.
    Unwanted(Unwanted),
}
