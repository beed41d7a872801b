//! The two lists of one bundle, by words and by meaning, and everything that ranks in them.

pub(crate) mod bundle_lists;
pub(crate) mod chunk_scores;
pub(crate) mod chunk_vectors;
pub(crate) mod code_signals;
pub(crate) mod completion;
mod compounds;
mod dictionary;
pub(crate) mod filter_counts;
pub(crate) mod found;
pub(crate) mod meaning_list;
pub(crate) mod meaning_state;
pub(crate) mod method;
pub(crate) mod phrases;
pub(crate) mod ranking;
pub(crate) mod word_list;
