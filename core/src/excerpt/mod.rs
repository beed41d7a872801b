//! Chooses the passage of a chunk to show, and the words to highlight in it.

mod best_passage;
mod passages;
mod render;

pub(crate) use best_passage::{Wanted, best_excerpt};
pub(crate) use passages::Fences;
pub use render::{EXCERPT_BYTES, Excerpt};
