//! What the native indexer knows of languages: which one a text is in, and the rules by which its words become terms.
//!
//! Stemmers are Snowball's, whose texts are in `stemmers` under the licence in `LICENSE-SNOWBALL`. They are compiled here, and run by
//! [`nearfind_core::analysis::snowball`] wherever the bundle is read.

mod detection;
mod rules;
pub mod snowball;

pub use detection::detect_language;
pub use rules::{ENGLISH, first_subtag, language_with_rules, rules};
