//! Divides documents into chunks that fit the model.

mod by_heading;
mod table_leads;

pub use by_heading::{Chunk, chunk, widest_context};
