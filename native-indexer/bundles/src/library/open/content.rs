//! Selects how much text to return with a document.

use nearfind_core::content::ContentMode;

/// The text to return with a document.
#[derive(Clone, Copy, Debug)]
pub struct Content {
    /// How much of the text.
    pub mode: ContentMode,
    /// Largest number of characters of a shortened text.
    pub most_chars: usize,
    /// Ends a shortened text.
    pub notice: &'static str,
}
