//! What is asked: text, settings and filters, as they are parsed once.

pub(crate) mod query_settings;
pub(crate) mod query_syntax;
pub(crate) mod scope;
