//! Reads documents that are attached to another document, and puts them into it.

mod document;
mod literal;
mod nested;
mod part_reader;

pub(crate) use document::attached_document;
pub(crate) use literal::literal;
pub(crate) use nested::nested;
pub(crate) use part_reader::PartReader;
