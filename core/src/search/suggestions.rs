//! Completes a text that a reader is typing, with words of the bundle that begin with its last word.
//!
//! Completions come from the part `spelling`, which contains words as they are written. The dictionary contains only
//! stems.

use crate::analysis::fold;
use crate::collection::best_first;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::lexical::spelling;
use crate::reader::BundleReader;

/// Minimum number of letters, because a shorter word could be the beginning of too many others.
const SHORTEST: usize = 2;

/// The result of a search for completions.
///
/// [`suggestions`] has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestions {
    /// Blocks to provide before the next call, each with the number of its bundle.
    Need(Vec<(usize, BlockId)>),
    /// The text with its last word completed in each possible way, starting with the word in the most chunks. The text
    /// itself is not included.
    Found(Vec<String>),
}

/// Returns at most `limit` completions of `text`, from all bundles.
///
/// ```
/// use nearfind_core::search::{Suggestions, suggestions};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let completed = loop {
///     match suggestions(&[&reader], "undo a com", 5)? {
///         Suggestions::Found(texts) => break texts,
///         Suggestions::Need(blocks) => bring(&bundle, &mut reader, blocks.into_iter().map(|(_, block)| block)),
///     }
/// };
/// assert_eq!(completed, ["undo a commit"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn suggestions(readers: &[&BundleReader], text: &str, limit: usize) -> Result<Suggestions, FormatError> {
    let text = crate::search::query::query_syntax::beginning(text);
    let letters = text.char_indices().rev().take_while(|(_, c)| c.is_alphabetic());
    let (before, typed) = text.split_at(letters.last().map_or(text.len(), |(at, _)| at));
    let word = fold(typed);
    if word.chars().count() < SHORTEST {
        return Ok(Suggestions::Found(Vec::new()));
    }
    let mut blocks = Vec::new();
    for (number, reader) in readers.iter().enumerate() {
        let found = spelling::blocks_beginning(&reader.root().spelling_keys, &word);
        blocks.extend(found.map(|block| (number, BlockId { part: Part::Spelling, block })));
    }
    let missing: Vec<_> = blocks.iter().copied().filter(|&(number, id)| !readers[number].has(id)).collect();
    if !missing.is_empty() {
        return Ok(Suggestions::Need(missing));
    }
    let mut found: Vec<(u32, String)> = Vec::new();
    for (number, id) in blocks {
        spelling::for_each(readers[number].block(id.part, id.block)?, &mut |known, chunks| {
            if known.len() > word.len() && known.starts_with(&word) {
                match found.iter_mut().find(|(_, word)| word == known) {
                    Some((sum, _)) => *sum = sum.saturating_add(chunks),
                    None => found.push((chunks, known.to_owned())),
                }
            }
        })?;
    }
    let order = best_first(found.iter().map(|(chunks, _)| *chunks as f32));
    let completed = |at: u32| {
        let mut completed = before.to_owned();
        // The text before the last word does not change.
        let known = &found[at as usize].1;
        match known.get(typed.len()..).filter(|_| word.len() == typed.len()) {
            Some(rest) => [typed, rest].into_iter().for_each(|piece| completed.push_str(piece)),
            None => completed.push_str(known),
        }
        completed
    };
    Ok(Suggestions::Found(order.into_iter().take(limit).map(completed).collect()))
}
