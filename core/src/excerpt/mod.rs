//! The passage of a chunk that is shown, and what is highlighted in it.

mod best_window;

pub use best_window::{EXCERPT_BYTES, Excerpt, best_excerpt};
