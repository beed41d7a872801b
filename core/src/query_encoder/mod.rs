//! The query encoder of tier 1: a table of token vectors. The sum of a query's rows is close to the vector that the
//! transformer would give the query, and only the blocks with these rows are fetched.

pub mod row;
pub mod table;
mod words;

pub use table::{Lookup, TokenTable};
pub use words::words_of;

use crate::format::FormatError;
use crate::format::root::Root;
use row::RowSum;

/// The vector of a query, or the blocks that are needed first.
#[derive(Clone, Debug, PartialEq)]
pub enum Encoded {
    /// Blocks to provide before the next call.
    Need(Vec<u32>),
    /// The near components, scaled to unit length.
    Vector(Vec<f32>),
    /// No word of the query has a row.
    Nothing,
}

/// Whether `word` is a word of general English, and thus not mistyped. Returns the block to load first as an inner
/// error if it is missing.
pub fn is_english<'a>(
    word: &str,
    root: &Root,
    block: impl Fn(u32) -> Option<&'a [u8]>,
) -> Result<Result<bool, u32>, FormatError> {
    Ok(match TokenTable::new(root).look_up(word, &block)? {
        Lookup::Need(block) => Err(block),
        Lookup::Rows(rows) => Ok(rows.len() == 1),
    })
}

/// Encodes `words`. `block` returns a decompressed block of `tokens`, or `None` if it is not loaded yet.
pub fn encode<'a>(
    words: &[String],
    root: &Root,
    block: impl Fn(u32) -> Option<&'a [u8]>,
) -> Result<Encoded, FormatError> {
    let table = TokenTable::new(root);
    let mut sum = RowSum::new(root.vectors.near.len());
    let mut needed = Vec::new();
    for word in words {
        match table.look_up(word, &block)? {
            Lookup::Need(block) => needed.push(block),
            Lookup::Rows(rows) => rows.iter().for_each(|row| sum.add(row)),
        }
    }
    if !needed.is_empty() {
        needed.sort_unstable();
        needed.dedup();
        return Ok(Encoded::Need(needed));
    }
    Ok(sum.unit().map_or(Encoded::Nothing, Encoded::Vector))
}
