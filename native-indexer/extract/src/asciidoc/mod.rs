//! Converts AsciiDoc to Markdown, as far as documentation needs it: titles, blocks, lists, tables, links and
//! attributes. The only parser for Rust returns a tree without the positions of its text.

mod blocks;
mod inline;

pub(super) use blocks::to_markdown;
