//! Finds corrections of mistyped words: words with the same first letter and a similar number of letters. They are
//! stored next to each other, so that a reader fetches one or two blocks and never the whole dictionary.
//!
//! The part contains the words with at least [`SHORTEST`] letters that occur in several chunks, sorted by first letter,
//! number of letters and bytes. Each entry of a block contains the varint length of the prefix shared with the previous
//! word (0 for the first), the rest as a string, and the varint number of chunks. The key of a block consists of two
//! characters: the first letter and the number of letters of its first word. Words with the same key are in the same
//! block.

use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "spelling";
/// Minimum number of letters. Shorter words are similar to too many others.
pub const SHORTEST: usize = 4;
/// Minimum number of letters in a word that may have two mistakes. Shorter words may have one.
const TWO_MISTAKES: usize = 8;
/// Maximum number of letters. Longer words are not corrected.
const LONGEST: usize = 32;

/// A word that may be meant by a mistyped word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The word, in lower case.
    pub word: String,
    /// Number of letters that were added, left out, replaced or exchanged with a neighbor.
    pub mistakes: usize,
    /// Number of chunks that contain the word.
    pub chunks: u32,
}

/// Returns how many mistakes `word` may have, or 0 if it is not corrected.
pub fn most_mistakes(word: &str) -> usize {
    let letters = word.chars().count();
    match letters {
        _ if !(SHORTEST..=LONGEST).contains(&letters) || !word.chars().all(char::is_alphabetic) => 0,
        TWO_MISTAKES.. => 2,
        _ => 1,
    }
}

/// Returns the key of words with this first letter and number of letters.
fn key_of(first: char, letters: usize) -> String {
    [first, char::from_u32(letters as u32).unwrap_or(char::MAX)].into_iter().collect()
}

/// Returns the blocks that may contain corrections of `word`, given the key of each block.
pub fn blocks_of(keys: &[String], word: &str) -> std::ops::Range<u32> {
    let mistakes = most_mistakes(word);
    let Some(first) = word.chars().next().filter(|_| mistakes > 0) else { return 0..0 };
    let letters = word.chars().count();
    let (low, high) = (key_of(first, letters.saturating_sub(mistakes)), key_of(first, letters + mistakes));
    let from = keys.partition_point(|key| *key <= low).saturating_sub(1);
    let to = keys.partition_point(|key| *key <= high);
    from as u32..to as u32
}

/// Returns the blocks that may contain words that begin with `word`, given the key of each block.
pub fn blocks_beginning(keys: &[String], word: &str) -> std::ops::Range<u32> {
    let Some(first) = word.chars().next() else { return 0..0 };
    let (low, high) = (key_of(first, word.chars().count()), key_of(first, LONGEST));
    let from = keys.partition_point(|key| *key <= low).saturating_sub(1);
    let to = keys.partition_point(|key| *key <= high);
    from as u32..to as u32
}

/// Returns the best correction of `word` among `best` and the words of a block: the one with the fewest mistakes, and
/// among several of these, the one in the most chunks.
///
/// ```
/// use nearfind_core::format::Part;
/// use nearfind_core::format::blocks::BlockId;
/// use nearfind_core::lexical::spelling::{correct, write_spelling};
///
/// let words = [("branch", 7), ("commit", 12)];
/// let (part, _keys) = write_spelling(words.into_iter());
/// let block = part.finish(Part::Spelling, 0).decode(BlockId { part: Part::Spelling, block: 0 })?;
/// assert_eq!(correct("comit", &block, None)?.unwrap().word, "commit");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn correct(word: &str, block: &[u8], mut best: Option<Correction>) -> Result<Option<Correction>, FormatError> {
    let letters: Vec<char> = word.chars().collect();
    for_each(block, &mut |known, chunks| {
        let most = best.as_ref().map_or(most_mistakes(word), |best| best.mistakes);
        if known.chars().next() != letters.first().copied() {
            return;
        }
        if let Some(mistakes) = distance(&letters, known, most)
            && best.as_ref().is_none_or(|best| (mistakes, best.chunks) < (best.mistakes, chunks))
        {
            best = Some(Correction { word: known.to_owned(), mistakes, chunks });
        }
    })?;
    Ok(best)
}

/// Calls `visit(word, chunks)` for each word of a block.
pub fn for_each(block: &[u8], visit: &mut dyn FnMut(&str, u32)) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, block);
    let mut word = Vec::new();
    while cursor.remaining() > 0 {
        cursor.shared_prefix(&mut word)?;
        let chunks = cursor.varint("number of chunks")?;
        visit(std::str::from_utf8(&word).map_err(|_| FormatError::corrupt(NAME, "word"))?, chunks);
    }
    Ok(())
}

/// Returns the optimal string alignment distance, if it is at most `most`.
fn distance(a: &[char], b: &str, most: usize) -> Option<usize> {
    let b: Vec<char> = b.chars().take(a.len() + most + 1).collect();
    if b.len().abs_diff(a.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let mut cost = (above[j - 1] + usize::from(a[i - 1] != b[j - 1])).min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(before[j - 2] + 1);
            }
            row.push(cost);
        }
        if row.iter().all(|&cost| cost > most) {
            return None;
        }
        before = std::mem::replace(&mut above, row);
    }
    Some(above[b.len()]).filter(|&distance| distance <= most)
}

#[cfg(feature = "write")]
pub use writer::write_spelling;

#[cfg(feature = "write")]
mod writer {
    use super::{LONGEST, SHORTEST, key_of};
    use crate::format::blocks::PartWriter;
    use crate::format::bytes::{put_shared_prefix, put_varint};

    /// Uncompressed size that ends a block, after the last word with the current key.
    const BLOCK_BYTES: usize = 3 << 10;
    /// Minimum number of chunks that contain a word. Words in fewer chunks are likely to be mistyped.
    const MIN_CHUNKS: u32 = 2;

    /// Writes the suitable words among `words`, each of which has its number of chunks. Returns the part and the key of
    /// each block.
    pub fn write_spelling<'a>(words: impl Iterator<Item = (&'a str, u32)>) -> (PartWriter, Vec<String>) {
        let is_word =
            |word: &str| (SHORTEST..=LONGEST).contains(&word.chars().count()) && word.chars().all(char::is_alphabetic);
        let keyed = |(word, chunks): (&'a str, u32)| {
            (key_of(word.chars().next().unwrap_or_default(), word.chars().count()), word, chunks)
        };
        let kept = words.filter(|&(word, chunks)| chunks >= MIN_CHUNKS && is_word(word));
        let mut words: Vec<(String, &str, u32)> = kept.map(keyed).collect();
        words.sort();
        let (mut part, mut keys, mut block): (_, Vec<String>, _) = (PartWriter::default(), Vec::new(), Vec::new());
        let mut previous: Option<(&str, &str)> = None;
        for (key, word, chunks) in &words {
            if block.len() >= BLOCK_BYTES && previous.is_some_and(|(last, _)| last != key) {
                part.push(&block);
                block.clear();
            }
            if block.is_empty() {
                keys.push(key.clone());
                previous = None;
            }
            put_shared_prefix(&mut block, previous.map_or("", |(_, word)| word), word);
            put_varint(&mut block, u64::from(*chunks));
            previous = Some((key, word));
        }
        if !block.is_empty() {
            part.push(&block);
        }
        (part, keys)
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::{Part, blocks::BlockId};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The oracle. Returns `text` and all texts that differ from it by one mistake.
    fn one_mistake(text: &str) -> BTreeSet<String> {
        let letters: Vec<char> = text.chars().collect();
        let mut made = BTreeSet::from([text.to_owned()]);
        for at in 0..=letters.len() {
            let (before, behind) = letters.split_at(at);
            let join = |middle: &[char], behind: &[char]| before.iter().chain(middle).chain(behind).collect::<String>();
            for c in ['a', 'b', 'c', 'é'] {
                made.insert(join(&[c], behind));
                if !behind.is_empty() {
                    made.insert(join(&[c], &behind[1..]));
                }
            }
            if !behind.is_empty() {
                made.insert(join(&[], &behind[1..]));
            }
            if behind.len() > 1 {
                made.insert(join(&[behind[1], behind[0]], &behind[2..]));
            }
        }
        made
    }

    proptest! {
        #[test]
        fn one_mistake_is_a_distance_of_one(a in "[abcé]{0,6}", b in "[abcé]{0,6}") {
            let letters: Vec<char> = a.chars().collect();
            let expected = if a == b { Some(0) } else if one_mistake(&a).contains(&b) { Some(1) } else { None };
            prop_assert_eq!(distance(&letters, &b, 1), expected);
        }

        /// The oracle compares every word.
        #[test]
        fn the_best_of_all_words_is_found(terms in prop::collection::btree_map("[ab][abc]{2,9}", 1u32..9, 1..200), word in "[ab][abc]{3,9}") {
            let terms: BTreeMap<String, u32> = terms;
            let (part, keys) = write_spelling(terms.iter().map(|(term, chunks)| (term.as_str(), *chunks)));
            let part = part.finish(Part::Spelling, 0);
            let mut found = None;
            for block in blocks_of(&keys, &word) {
                let raw = part.decode(BlockId { part: Part::Spelling, block }).unwrap();
                found = correct(&word, &raw, found).unwrap();
            }
            let letters: Vec<char> = word.chars().collect();
            let all = terms.iter().filter(|(term, chunks)| {
                **chunks >= 2 && term.chars().count() >= SHORTEST && term.chars().next() == letters.first().copied()
            });
            let near = all.filter_map(|(term, chunks)| Some((distance(&letters, term, most_mistakes(&word))?, std::cmp::Reverse(*chunks))));
            prop_assert_eq!(found.map(|found| (found.mistakes, std::cmp::Reverse(found.chunks))), near.min());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = correct("channel", &bytes, None);
        }
    }

    #[test]
    fn numbers_short_and_endless_words_are_left_alone() {
        assert_eq!(["abc", "a1b2c3", "pages", "formatting"].map(most_mistakes), [0, 0, 1, 2]);
        assert_eq!(most_mistakes(&"x".repeat(40)), 0);
    }
}
