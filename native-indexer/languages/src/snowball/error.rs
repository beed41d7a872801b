//! Errors in the text of a stemmer.

/// What is wrong with a stemmer's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct CompileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}
