//! Detects the language of a text, and provides the rules that turn its words into terms.
//!
//! The stemmers are Snowball's. Their sources are in `stemmers`, under the license in `LICENSE-SNOWBALL`. They are
//! compiled here, and [`nearfind_core::analysis::snowball`] runs them wherever the bundle is read.

mod detection;
mod rules;
pub mod snowball;

pub use detection::detect_language;
pub use rules::{ENGLISH, first_subtag, language_with_rules, rules};
