//! The passage of a chunk that is shown, and what is highlighted in it.

mod best_passage;
mod passages;
mod render;

pub(crate) use best_passage::{Wanted, best_excerpt};
pub(crate) use passages::Fences;
pub use render::{EXCERPT_BYTES, Excerpt};
