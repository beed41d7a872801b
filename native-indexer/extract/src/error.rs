//! The reasons why a file could not be read.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The reason why a file could not be read.
#[derive(Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ExtractError {
    /// A binary file with the name of a text file.
    #[error("it is a binary file")]
    Binary,
    /// Text in a different encoding.
    #[error("it is not UTF-8: convert it, for example with `iconv -t utf-8`")]
    NotUtf8,
    /// Elements or groups nested more deeply than this.
    #[error("its elements are nested more than {0} levels deep")]
    TooDeep(usize),
    /// Too many open elements, all of which parsers search at every tag.
    #[error("it leaves so many elements open that parsing it takes too long")]
    LeftOpen,
    /// An element with more attributes than any author writes.
    #[error("it has an element with more than {0} attributes")]
    TooManyAttributes(usize),
    /// A file that is not JSON, or JSON without the structure of a notebook.
    #[error("it is not a Jupyter notebook: {0}")]
    NotANotebook(String),
    /// A document that is truncated or altered.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// A document that needs a password.
    #[error("it is encrypted: save it without a password")]
    Encrypted,
    /// A file from Word, Excel or PowerPoint before 2007, regardless of its extension.
    #[error("it is an Office 97–2003 file: save it as {0}")]
    OldOffice(String),
    /// A sheet from Excel 4 or older. Such a sheet is not a compound file.
    #[error("it is an Excel file of version 4 or older: open it in Excel or LibreOffice and save it as .xlsx")]
    OldExcel,
    /// A workbook that lists its sheets in an unknown way, as betas of Excel 2007 did.
    #[error(
        "it does not list its sheets as Excel 2007 and newer do: open it in Excel or LibreOffice and save it as .xlsx"
    )]
    UnknownSheets,
    /// An archive that unpacks to more than this number of megabytes.
    #[error("it is larger than {0} MB when unpacked")]
    UnpacksTooLarge(u64),
    /// XML with a document type declaration, which may define entities that expand without limit.
    #[error("its XML has a document type declaration: save it again with the program that created it")]
    Doctype,
    /// A picture that OCR could not read.
    #[error("OCR cannot read it: {0}")]
    NotRecognized(String),
    /// A document that is nested too deeply in attachments of other documents.
    #[error("it is inside too many others: save it as a file of its own")]
    AttachedTooDeep,
    /// The placeholder for a large file in a Git repository.
    #[error("it is a Git LFS pointer, not the file: run `git lfs pull`")]
    LfsPointer,
    /// Reading it took longer than this number of seconds.
    #[error("reading it takes longer than {0} s: it is skipped until it changes")]
    TooSlow(u64),
    /// A bug in its reader that occurs on every run.
    #[error(
        "its reader failed: {0}; save it again with a newer version of the program that created it, and please report this"
    )]
    Panicked(String),
    /// The reader process exceeded its memory limit.
    #[error("reading it takes too much memory: it is skipped until it changes")]
    OutOfMemory,
    /// The reader process crashed because of the file.
    #[error("its reader crashed: it is skipped until it changes; please report this")]
    Crashed,
    /// The reader process was ended from outside, for example by a user or the system.
    #[error("the process that read it ended: the next run tries again")]
    ReaderDied,
    /// The reader process did not start.
    #[error("the process to read it could not be started: {0}")]
    NoReader(String),
}

impl ExtractError {
    /// Whether the same file causes the same error each time, so that the error can be cached.
    pub const fn is_lasting(&self) -> bool {
        !matches!(self, Self::ReaderDied | Self::NoReader(_))
    }
}
