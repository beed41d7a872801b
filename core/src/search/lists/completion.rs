//! Finds the terms that begin with the last word of a query, which may be incomplete.

use crate::analysis::NAME_END;
use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::lexical::term_dictionary;
use crate::reader::BundleReader;

/// Minimum number of letters, because shorter words begin too many terms.
const SHORTEST: usize = 2;
/// Maximum number of completions. Those in the most chunks are kept.
const MOST: usize = 6;
/// The number of dictionary blocks to read for completions. Common terms have their own blocks, so several blocks must
/// be passed.
const MAX_BLOCKS: u32 = 4;
/// How many letters shorter than the word so far a stem may be, as `pagin` is shorter than `pagina`.
const SUFFIX_LETTERS: usize = 4;
/// Minimum number of letters in a stem that is treated as the beginning of a longer word.
const SHORTEST_STEM: usize = 4;

/// Returns the stem that `word` may extend with a part of an ending, and the terms that begin with `word`, those in the
/// most chunks first. Returns `None` if blocks are missing, which `bring` then requests.
pub(crate) fn completions(
    reader: &BundleReader,
    word: &str,
    bring: &mut impl FnMut(&SortedSet<BlockId>) -> bool,
) -> Result<Option<Vec<String>>, FormatError> {
    if word.chars().count() < SHORTEST {
        return Ok(Some(Vec::new()));
    }
    let separators = &reader.root().term_separators;
    let Some(first) = term_dictionary::block_of(separators, word) else { return Ok(Some(Vec::new())) };
    let more =
        separators[first as usize + 1..].iter().take_while(|separator| separator.starts_with(word)).count() as u32;
    let blocks = (first..=first + more.min(MAX_BLOCKS - 1)).map(|block| BlockId { part: Part::Terms, block });
    let blocks: SortedSet<BlockId> = blocks.collect();
    if !bring(&blocks) {
        return Ok(None);
    }
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut stem = None;
    for id in blocks.as_slice() {
        term_dictionary::for_each(reader.block(id.part, id.block)?, |term, entry| {
            let Ok(term) = std::str::from_utf8(term) else { return true };
            if term.starts_with(word) && !term.ends_with(NAME_END) {
                let at = found.partition_point(|(chunks, _)| *chunks >= entry.chunks);
                found.insert(at, (entry.chunks, term.to_owned()));
                found.truncate(MOST);
            } else if word.starts_with(term) && term.len() >= SHORTEST_STEM && term.len() + SUFFIX_LETTERS >= word.len()
            {
                stem = Some(term.to_owned());
            }
            term.starts_with(word) || term < word
        })?;
    }
    Ok(Some(stem.into_iter().chain(found.into_iter().map(|(_, term)| term)).collect()))
}
