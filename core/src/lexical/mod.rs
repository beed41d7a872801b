//! Words: term dictionary, posting lists with positions, spelling, BM25.

pub mod bm25;
#[cfg(feature = "write")]
mod inverted_index;
pub mod postings;
pub mod spelling;
pub mod term_dictionary;

#[cfg(feature = "write")]
pub use inverted_index::{ChunkFields, InvertedIndex, LexicalParts};
