//! Text to terms: the same chain for documents and queries, named and versioned in the bundle.

mod accents;
mod analyzer;
mod lower_case;
mod stop_words;
mod words;

#[cfg(feature = "write")]
pub(crate) use analyzer::KnownTerms;
pub use analyzer::{ANALYZER, Analyzer, MAX_TERM_BYTES, Token};
pub(crate) use analyzer::{fold, is_mixed_case, plain, term_of, terms_of_mixed_case};
pub(crate) use lower_case::lower_case;
pub use stop_words::is_stop_word;
