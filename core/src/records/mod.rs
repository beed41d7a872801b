//! Records of documents and chunks, with their texts, and the map of all chunks.

pub mod catalog;
mod chunk;
mod date;
mod directory;
mod document;
pub mod map;
pub mod page;

pub use catalog::{Catalog, CatalogEntry};
pub use chunk::{ChunkRecord, SectionStart};
pub use date::Date;
pub use directory::Directory;
pub use document::{DocumentRecord, DocumentVersion};
pub use map::ChunkMap;
