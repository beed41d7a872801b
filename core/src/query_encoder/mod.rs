//! The query encoder of tier 1: a table of token vectors. The sum of a query's rows is close to the vector that the
//! transformer would compute for the query, and only the blocks with these rows are fetched.

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

/// Whether `word` is a word of general English, and thus not mistyped. If a block must be loaded first, returns it as
/// an inner error.
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
///
/// ```
/// use nearfind_core::format::root::{Root, VectorLayout};
/// use nearfind_core::format::components::Components;
/// use nearfind_core::format::{Part, blocks::BlockId};
/// use nearfind_core::query_encoder::{Encoded, encode, table::write_tokens};
///
/// // A table of two words, in vectors of two components.
/// let table = write_tokens(&["commit", "undo"], &[1.0, 0.0, 0.0, 1.0], 2, &["commit", "undo"]);
/// let block = table.tokens.finish(Part::Tokens, 0).decode(BlockId { part: Part::Tokens, block: 0 })?;
/// let mut root = Root::empty(2);
/// root.frequent_tokens = table.frequent;
/// root.token_separators = table.separators;
/// root.vectors.near = Components { centers: vec![0, 0], spreads: vec![0, 0] };
///
/// let encoded = encode(&["undo".into()], &root, |_| Some(&block))?;
/// let Encoded::Vector(vector) = encoded else { panic!("its block is loaded") };
/// assert!(vector[1] > 0.99);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
