//! What a file turned out to be.

use crate::code::{CodeFile, Unwanted};
use crate::extracted::Extracted;
use crate::left_out::LeftOut;
use serde::{Deserialize, Serialize};

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
