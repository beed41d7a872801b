//! Reads documents that are attached to another document, and puts them into it.

mod document;
mod literal;
mod nested;

pub(crate) use document::attached_document;
pub(crate) use literal::literal;
pub(crate) use nested::nested;
