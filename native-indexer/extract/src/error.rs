//! Why a file could not be read.

use serde::{Deserialize, Serialize};
use thiserror::Error;

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
    /// A sheet of Excel 4 or older, which came before compound files.
    #[error("it is of Excel 4 or older: open it in Excel or LibreOffice and save it as .xlsx")]
    OldExcel,
    /// A workbook whose list of sheets leads nowhere, as betas of Excel 2007 wrote it.
    #[error(
        "its sheets are not listed as in Excel 2007 and newer: open it in Excel or LibreOffice and save it as .xlsx"
    )]
    UnknownSheets,
    /// An archive that holds more than this many megabytes.
    #[error("it is larger than {0} MB when it is unpacked")]
    UnpacksTooLarge(u64),
    /// XML that could define anything.
    #[error("its XML has a document type declaration: save it again with its own program")]
    Doctype,
    /// A picture whose text OCR does not find.
    #[error("OCR cannot read it: {0}")]
    NotRecognized(String),
    /// What a repository holds in place of a large file.
    #[error("it is a Git LFS pointer, not the file: run `git lfs pull`")]
    LfsPointer,
    /// Reading it took longer than this many seconds.
    #[error("reading it takes longer than {0} s: it is left alone until it changes")]
    TooSlow(u64),
    /// Its reader met what it does not understand: a defect of the reader, which is the same each time.
    #[error("its reader failed: {0}; save it again with a newer version of its program, and please report it")]
    Panicked(String),
    /// The process that read it asked for more memory than it may have.
    #[error("reading it takes too much memory: it is left alone until it changes")]
    OutOfMemory,
    /// The process that read it crashed, by the file's own doing.
    #[error("its reader crashed: it is left alone until it changes; please report it")]
    Crashed,
    /// The process that read it ended, as when a user or the system ends it.
    #[error("the process that read it ended: the next run tries again")]
    ReaderDied,
    /// There is no process to read it in.
    #[error("the process to read it in does not start: {0}")]
    NoReader(String),
}

impl ExtractError {
    /// Whether the same file gives the same error each time, so that it may be remembered.
    pub const fn is_lasting(&self) -> bool {
        !matches!(self, Self::ReaderDied | Self::NoReader(_))
    }
}
