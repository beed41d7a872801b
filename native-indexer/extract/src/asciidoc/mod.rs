//! AsciiDoc to Markdown, as far as readers of documentation need it: titles, blocks, lists, tables, links and attributes.
//! The one parser for Rust makes a tree without the places of its text.

mod blocks;
mod inline;

pub(super) use blocks::to_markdown;
