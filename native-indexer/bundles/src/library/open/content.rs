//! Selects how much text to return with a document.

use nearfind_core::content::ContentMode;

/// The text to return with a document.
#[derive(Clone, Copy, Debug)]
pub struct Content {
    /// How much of the text to return.
    pub mode: ContentMode,
    /// Maximum number of characters in a truncated text.
    pub most_chars: usize,
    /// The notice that ends a truncated text.
    pub notice: &'static str,
}
