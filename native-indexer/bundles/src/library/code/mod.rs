//! Source code: symbols, outlines, and lines with exact text.

pub(crate) mod about_code;
pub(crate) mod comments;
pub(crate) mod exact_pattern;
pub(crate) mod exact_text;
pub(crate) mod last_change;
pub(crate) mod outline;
pub(crate) mod piece;
pub(crate) mod source_file;
pub(crate) mod symbol_candidates;
pub(crate) mod symbol_lookup;
pub(crate) mod symbol_question;
pub(crate) mod symbol_uses;
pub(crate) mod symbols;
