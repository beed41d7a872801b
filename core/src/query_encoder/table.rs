//! The table in blocks: whole words and pieces of words, sorted, each with its row.
//!
//! A word with its own row is found directly. Other words are split as in WordPiece: the longest start comes first, and
//! the rest is a key that begins with `##`. Block 0 contains the most frequent tokens, which most queries need. The
//! other blocks contain every token in order. Each of them begins with the tokens that are starts of its separator, so
//! that the longest start of a word is always in the word's own block.
//!
//! Each entry has the varint length of the prefix shared with the previous key (0 for the first), the rest as a string,
//! and the row.

use super::row::row_bytes;
use crate::format::root::Root;
use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "tokens";
/// Mark at the start of pieces that continue a word.
pub const CONTINUATION: &str = "##";

/// Finds the rows of tokens.
#[derive(Clone, Copy, Debug)]
pub struct TokenTable<'r> {
    root: &'r Root,
}

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// This block is needed first.
    Need(u32),
    /// The rows of the word. Empty if the table cannot encode it.
    Rows(Vec<&'a [u8]>),
}

impl<'r> TokenTable<'r> {
    /// Creates the table that `root` describes.
    pub const fn new(root: &'r Root) -> Self {
        Self { root }
    }

    /// Returns the block that contains `key` or its longest start.
    pub fn block_of(&self, key: &str) -> u32 {
        if self.root.frequent_tokens.binary_search_by(|token| token.as_str().cmp(key)).is_ok() {
            return 0;
        }
        let after = self.root.token_separators.partition_point(|separator| separator.as_str() <= key);
        after.max(1) as u32
    }

    /// Returns the rows of `word`, or none if one of its pieces is unknown.
    pub fn look_up<'a>(&self, word: &str, block: &dyn Fn(u32) -> Option<&'a [u8]>) -> Result<Lookup<'a>, FormatError> {
        let components = self.root.vectors.near.len();
        let mut rows = Vec::new();
        let mut rest = word;
        let mut key = word.to_owned();
        while !rest.is_empty() {
            let number = self.block_of(&key);
            let Some(bytes) = block(number) else { return Ok(Lookup::Need(number)) };
            let marks = key.len() - rest.len();
            let Some((length, row)) = longest_start(bytes, &key, marks, components)? else {
                return Ok(Lookup::Rows(Vec::new()));
            };
            rows.push(row);
            rest = rest.get(length - marks..).ok_or(FormatError::corrupt(NAME, "key"))?;
            key = [CONTINUATION, rest].concat();
        }
        Ok(Lookup::Rows(rows))
    }
}

/// Returns the length and row of the longest entry that is a start of `key` and longer than `least`.
fn longest_start<'a>(
    block: &'a [u8],
    key: &str,
    least: usize,
    components: usize,
) -> Result<Option<(usize, &'a [u8])>, FormatError> {
    let mut longest = None;
    for_each(block, components, |candidate, row| {
        if candidate.len() > least && key.as_bytes().starts_with(candidate) {
            longest = Some((candidate.len(), row));
        }
    })?;
    Ok(longest)
}

/// Calls `visit(key, row)` for each entry of a block.
pub fn for_each<'a>(
    block: &'a [u8],
    components: usize,
    mut visit: impl FnMut(&[u8], &'a [u8]),
) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, block);
    let mut key = Vec::new();
    while cursor.remaining() > 0 {
        cursor.shared_prefix(&mut key)?;
        visit(&key, cursor.take(row_bytes(components), "row")?);
    }
    Ok(())
}

#[cfg(feature = "write")]
pub use writer::{TokenParts, write_tokens};

#[cfg(feature = "write")]
mod writer {
    use crate::format::blocks::PartWriter;
    use crate::format::bytes::put_shared_prefix;
    use crate::lexical::term_dictionary::separator;
    use crate::query_encoder::row::{put_row, scale_unit};

    /// Number of entries in a block.
    const BLOCK_ENTRIES: usize = 30;

    /// The written part, and the data about it that the root stores.
    #[derive(Debug)]
    pub struct TokenParts {
        /// The table.
        pub tokens: PartWriter,
        /// A separator for each block but the first.
        pub separators: Vec<String>,
        /// The keys of the first block.
        pub frequent: Vec<String>,
    }

    /// Writes the table. `tokens` are ascending, `vectors` are their near components, row-major, and `frequent` are
    /// some of the tokens, ascending.
    pub fn write_tokens(tokens: &[&str], vectors: &[f32], near: usize, frequent: &[&str]) -> TokenParts {
        let unit = scale_unit(vectors);
        let vector = |token: usize| &vectors[token * near..(token + 1) * near];
        let block_of = |entries: &[usize]| {
            let mut block = Vec::new();
            let mut previous = "";
            for &token in entries {
                put_shared_prefix(&mut block, previous, tokens[token]);
                put_row(vector(token), unit, &mut block);
                previous = tokens[token];
            }
            block
        };
        let mut known: Vec<usize> = frequent.iter().filter_map(|token| tokens.binary_search(token).ok()).collect();
        // The first block always contains frequent tokens, even if a small site has none.
        if known.is_empty() && !tokens.is_empty() {
            known.push(0);
        }
        let mut part = PartWriter::default();
        part.push(&block_of(&known));
        let mut separators: Vec<String> = Vec::new();
        let numbers: Vec<usize> = (0..tokens.len()).collect();
        for entries in numbers.chunks(BLOCK_ENTRIES) {
            let first = tokens[entries[0]];
            let own = entries[0].checked_sub(1).map_or("", |before| separator(tokens[before], first));
            let starts = own.char_indices().map(|(at, _)| &own[..at]).filter(|start| !start.is_empty());
            let mut all: Vec<usize> = starts.filter_map(|start| tokens.binary_search(&start).ok()).collect();
            all.extend(entries);
            part.push(&block_of(&all));
            separators.push(own.to_owned());
        }
        let frequent = known.iter().map(|&token| tokens[token].to_owned()).collect();
        TokenParts { tokens: part, separators, frequent }
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::Part;
    use crate::format::blocks::BlockId;
    use crate::vector::codes::Components;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Splits a word greedily with a set of tokens.
    fn naive(tokens: &BTreeSet<String>, word: &str) -> Vec<String> {
        let (mut pieces, mut rest, mut marks) = (Vec::new(), word, "");
        while !rest.is_empty() {
            let starts = rest.char_indices().map(|(at, c)| &rest[..at + c.len_utf8()]);
            let longest = starts.rev().find(|start| tokens.contains(&format!("{marks}{start}")));
            let Some(longest) = longest else { return Vec::new() };
            pieces.push(format!("{marks}{longest}"));
            rest = &rest[longest.len()..];
            marks = CONTINUATION;
        }
        pieces
    }

    #[test]
    fn where_no_token_is_frequent_there_is_a_first_block_too() {
        let parts = write_tokens(&["a", "b"], &[1.0, 0.0], 1, &["c"]);
        assert_eq!((parts.tokens.blocks(), parts.separators.len(), parts.frequent), (2, 1, vec!["a".to_owned()]));
    }

    proptest! {
        #[test]
        fn words_are_taken_apart_as_by_a_set(tokens in prop::collection::btree_set("(##)?[abé]{1,4}", 1..200), words in prop::collection::vec("[abé]{1,7}", 1..20)) {
            let all: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let vectors: Vec<f32> = (0..all.len()).flat_map(|at| [at as f32 + 1.0, 0.0]).collect();
            let frequent: Vec<&str> = all.iter().step_by(7).copied().collect();
            let parts = write_tokens(&all, &vectors, 2, &frequent);
            let part = parts.tokens.finish(Part::Tokens, 0);
            let mut root = Root::empty(2);
            root.vectors.near = Components { centers: vec![0; 2], spreads: vec![0; 2] };
            (root.token_separators, root.frequent_tokens) = (parts.separators, parts.frequent);
            root.set_table(Part::Tokens, &part.table);
            let blocks: Vec<Vec<u8>> = (0..part.table.len()).map(|block| part.decode(BlockId { part: Part::Tokens, block }).unwrap()).collect();
            let table = TokenTable::new(&root);
            for word in &words {
                let found = table.look_up(word, &|block| Some(blocks[block as usize].as_slice())).unwrap();
                let expected = naive(&tokens, word);
                let row_of = |token: &String| {
                    let mut row = None;
                    for_each(&blocks[table.block_of(token) as usize], 2, |key, found| if key == token.as_bytes() { row = Some(found) }).unwrap();
                    row.unwrap()
                };
                prop_assert_eq!(found, Lookup::Rows(expected.iter().map(row_of).collect()));
                let needed = table.look_up(word, &|_| None).unwrap();
                prop_assert_eq!(needed, Lookup::Need(table.block_of(word)));
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(0u8..8, 0..96)) {
            let _ = longest_start(&bytes, "word", 0, 4);
        }
    }
}
