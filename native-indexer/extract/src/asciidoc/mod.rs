//! Converts AsciiDoc to Markdown, as far as documentation needs it: titles, blocks, lists, tables, links and
//! attributes. The only Rust parser returns a tree without text positions.

mod blocks;
mod inline;

pub(super) use blocks::to_markdown;
