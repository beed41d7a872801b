//! Completions of a text that somebody is typing: words of the bundle that its last word is the beginning of.
//!
//! They come from the part `spelling`, which has words as they are written; the dictionary has stems.

use super::searcher::Searcher;
use crate::analysis::fold;
use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::lexical::spelling;

/// A shorter beginning may be that of anything.
const SHORTEST: usize = 2;

/// What a search for completions came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestions {
    /// Blocks to bring before it is asked again.
    Need(Vec<BlockId>),
    /// The text with its last word completed, by the word in most chunks first; without the word as it stands.
    Found(Vec<String>),
}

/// At most `limit` completions of `text`.
pub fn suggestions(searcher: &Searcher, text: &str, limit: usize) -> Result<Suggestions, FormatError> {
    let text = super::query::beginning(text);
    let start =
        text.char_indices().rev().take_while(|(_, c)| c.is_alphabetic()).last().map_or(text.len(), |(at, _)| at);
    let (before, typed) = text.split_at(start);
    let word = fold(typed);
    if word.chars().count() < SHORTEST || limit == 0 {
        return Ok(Suggestions::Found(Vec::new()));
    }
    let blocks = spelling::blocks_beginning(&searcher.root().spelling_keys, &word);
    let needed: SortedSet<BlockId> = blocks.clone().map(|block| BlockId { part: Part::Spelling, block }).collect();
    let missing: Vec<BlockId> = needed.into_vec().into_iter().filter(|&id| !searcher.has(id)).collect();
    if !missing.is_empty() {
        return Ok(Suggestions::Need(missing));
    }
    let mut found: Vec<(u32, String)> = Vec::new();
    for block in blocks {
        spelling::for_each(searcher.block(Part::Spelling, block)?, &mut |known, chunks| {
            if known.len() > word.len() && known.starts_with(&word) {
                let at = found.partition_point(|(more, _)| *more >= chunks);
                if at < limit {
                    found.insert(at, (chunks, known.to_owned()));
                    found.truncate(limit);
                }
            }
        })?;
    }
    let completed = |(_, word): (u32, String)| {
        let mut completed = before.to_owned();
        // What was typed stays as it was.
        match word.get(typed.len()..).filter(|_| fold(typed).len() == typed.len()) {
            Some(rest) => [typed, rest].into_iter().for_each(|piece| completed.push_str(piece)),
            None => completed.push_str(&word),
        }
        completed
    };
    Ok(Suggestions::Found(found.into_iter().map(completed).collect()))
}
