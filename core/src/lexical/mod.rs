//! Search by words: term dictionary, posting lists with positions, spelling and BM25.

pub mod bm25;
#[cfg(feature = "write")]
mod inverted_index;
pub mod length_classes;
pub mod list_head;
pub mod postings;
pub mod spelling;
#[cfg(feature = "write")]
mod synonyms;
pub mod term_dictionary;

#[cfg(feature = "write")]
pub use inverted_index::{ChunkFields, DocumentFields, InvertedIndex, LexicalParts};
#[cfg(feature = "write")]
pub use synonyms::Synonyms;
#[cfg(feature = "write")]
pub use term_dictionary::separator;
