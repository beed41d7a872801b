//! Errors in the source of a stemmer.

/// An error in the source of a stemmer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct CompileError {
    /// Line number, from 1.
    pub line: usize,
    /// Description of the error.
    pub what: String,
}
