//! The query: its text, settings and filters, parsed once.

pub(crate) mod query_settings;
pub(crate) mod query_syntax;
pub(crate) mod scope;
