//! Turns text into terms, in the same steps for documents and queries. The bundle records the name and version of these
//! steps.

mod accents;
mod analyzer;
mod lower_case;
mod query_words;
mod script;
pub mod snowball;
mod stop_words;
mod words;

pub use crate::format::vocabulary::ANALYZER;
pub(crate) use accents::without_accent;
#[cfg(feature = "write")]
pub(crate) use analyzer::KnownTerms;
pub use analyzer::{Analyzer, MAX_TERM_BYTES, Token};
pub(crate) use analyzer::{Guess, fold, is_mixed_case, is_same_language, plain};
pub(crate) use lower_case::lower_case;
pub(crate) use query_words::{AS_WRITTEN, IN_CASE, NAME_END, QueryWord, key_of, names_of, query_words, terms_of};
pub use query_words::{name_terms, pin_key, symbol_terms};
pub(crate) use script::letters_beyond_latin;
pub(crate) use stop_words::has_word;
pub use stop_words::is_stop_word;
pub(crate) use words::{is_mark, stands_alone};
