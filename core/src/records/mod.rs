//! What the index knows of documents and chunks: blocks of records with their text, and the map of all chunks.

mod chunk;
mod document;
pub mod map;
pub mod page;

pub use chunk::{ChunkRecord, SectionStart};
pub use document::{DocumentRecord, DocumentVersion};
pub use map::ChunkMap;
