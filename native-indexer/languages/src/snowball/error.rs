//! Errors in a stemmer's source.

/// An error in a stemmer's source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct CompileError {
    /// Line number, starting at 1.
    pub line: usize,
    /// Description of the error.
    pub what: String,
}
