use thiserror::Error;

/// The reason why bytes of a bundle or of a model pack were refused.
///
/// The error is a pointer, because nearly every function of the readers can fail. Copying a larger error at each call
/// would add 4 KB to the module that pages wait for.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[error(transparent)]
pub struct FormatError(Box<FormatErrorKind>);

/// The defect of bytes that were refused.
///
/// Every variant includes the part, so that a message can tell which file to replace.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum FormatErrorKind {
    /// Bytes end early, or a declared length points outside the data.
    #[error("{part}: truncated: {what}. Copy the index again, or fix it with `nearfind update` or `nearfind index`.")]
    Truncated {
        /// Name of the part.
        part: &'static str,
        /// The item that was being read.
        what: &'static str,
    },
    /// The bytes do not follow the format.
    #[error("{part}: corrupt: {what}. Copy the index again, or fix it with `nearfind update` or `nearfind index`.")]
    Corrupt {
        /// Name of the part.
        part: &'static str,
        /// The rule that is broken.
        what: &'static str,
    },
    /// The hash of the stored bytes differs from the declared one.
    #[error(
        "{part}: checksum mismatch in block {block}. Copy the index again, or fix it with `nearfind update` or `nearfind index`."
    )]
    Checksum {
        /// Name of the part.
        part: &'static str,
        /// Block number inside the part.
        block: u32,
    },
    /// The bytes were written by a different version of nearfind.
    #[error("{part}: format version {got}, but this program reads {expected}. Rebuild it with `nearfind index`.")]
    Version {
        /// Name of the part.
        part: &'static str,
        /// Version that this program reads.
        expected: u32,
        /// Version found.
        got: u64,
    },
    /// A declared size is above the limit of this reader.
    #[error("{part} declares {got} bytes of {what}, more than the limit of {limit}")]
    TooLarge {
        /// Name of the part.
        part: &'static str,
        /// The item that is too large.
        what: &'static str,
        /// The limit, in bytes or entries.
        limit: u64,
        /// The declared size.
        got: u64,
    },
    /// The terms come from a version of the analysis that differs from this program's.
    #[error("root: made by another version of nearfind. Rebuild it with `nearfind index`.")]
    OtherAnalyzer,
    /// The manifest is not valid.
    #[error("nearfind.json: {0}. Is this an index? Rebuild it with `nearfind index`.")]
    Manifest(String),
}

impl FormatError {
    /// Returns the defect.
    pub fn kind(&self) -> &FormatErrorKind {
        &self.0
    }

    /// Returns the name of the part that was refused.
    pub fn part(&self) -> &'static str {
        self.0.part()
    }

    #[cold]
    pub(crate) fn truncated(part: &'static str, what: &'static str) -> Self {
        FormatErrorKind::Truncated { part, what }.into()
    }

    #[cold]
    pub(crate) fn corrupt(part: &'static str, what: &'static str) -> Self {
        FormatErrorKind::Corrupt { part, what }.into()
    }
}

impl From<FormatErrorKind> for FormatError {
    #[cold]
    fn from(kind: FormatErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl FormatErrorKind {
    const fn part(&self) -> &'static str {
        match self {
            Self::Truncated { part, .. }
            | Self::Corrupt { part, .. }
            | Self::Checksum { part, .. }
            | Self::Version { part, .. }
            | Self::TooLarge { part, .. } => part,
            Self::OtherAnalyzer => "root",
            Self::Manifest(_) => "nearfind.json",
        }
    }
}
