//! Looks up terms in a bundle's dictionary.

use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::lexical::term_dictionary::{self, TermEntry};
use crate::reader::BundleReader;

/// Returns the blocks that contain `terms`.
pub(crate) fn term_blocks(reader: &BundleReader, terms: &[String]) -> SortedSet<BlockId> {
    let separators = &reader.root().term_separators;
    let blocks = terms.iter().filter_map(|term| term_dictionary::block_of(separators, term));
    blocks.map(|block| BlockId { part: Part::Terms, block }).collect()
}

/// Returns the entry of `term`, if the bundle has the term. Its block must be loaded.
pub(crate) fn find<'a>(reader: &'a BundleReader, term: &str) -> Result<Option<TermEntry<'a>>, FormatError> {
    match term_dictionary::block_of(&reader.root().term_separators, term) {
        Some(block) => term_dictionary::find(reader.block(Part::Terms, block)?, term),
        None => Ok(None),
    }
}
