//! How much text goes with a document.

use nearfind_core::content::ContentMode;

/// The text that goes with a document.
#[derive(Clone, Copy, Debug)]
pub struct Content {
    /// How much of it.
    pub mode: ContentMode,
    /// Characters, at most, where it is shortened.
    pub most_chars: usize,
    /// What then ends it.
    pub notice: &'static str,
}
