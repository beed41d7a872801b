//! Divides documents into chunks that fit the model.

mod by_heading;

pub use by_heading::{Chunk, chunk};
