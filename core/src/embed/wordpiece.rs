//! BERT's WordPiece: splits text into words, and each word into the longest pieces of the vocabulary (Devlin et al.,
//! 2018).
//!
//! The tokens are the same as those of the `tokenizers` crate, which is too large for a web page. A property test in
//! `tests/` compares both.

use super::bert_words::{NormalizerOptions, normalize, split_words};
use crate::analysis::letters_beyond_latin;
use serde::{Deserialize, Serialize};
#[cfg(feature = "write")]
use std::collections::HashMap;
use std::ops::Range;

/// In a vocabulary for Latin letters, fewer than one piece in this many is in a different script. The share is one
/// piece in twenty in an English model, and half of the pieces in a multilingual model.
pub(super) const FEW: usize = 10;

/// A token that is recognized in raw text, before any normalization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecialToken {
    /// The token's text, such as `[MASK]`.
    pub text: String,
    /// The token's number.
    pub id: u32,
}

/// The options of the tokenizer: everything but the vocabulary.
///
/// [`WordPiece`] has an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordPieceOptions {
    /// How text is normalized.
    #[serde(flatten)]
    pub normalizer: NormalizerOptions,
    /// Mark at the start of pieces inside a word, such as `##`.
    pub continuation: String,
    /// Maximum length of a word in characters. A longer word becomes the unknown token.
    pub longest_word: u32,
    /// Number of the unknown token.
    pub unknown: u32,
    /// Number of the token before a text.
    pub start: u32,
    /// Number of the token after a text.
    pub end: u32,
    /// Tokens that are recognized in raw text.
    pub special: Vec<SpecialToken>,
}

#[cfg(feature = "write")]
impl WordPieceOptions {
    /// Returns the options of a pack with a different tokenizer.
    pub const fn none() -> Self {
        Self {
            normalizer: NormalizerOptions::from_bits(0),
            continuation: String::new(),
            longest_word: 0,
            unknown: 0,
            start: 0,
            end: 0,
            special: Vec::new(),
        }
    }
}

/// A tokenizer: options and vocabulary.
///
/// ```
/// use nearfind_core::embed::bert_words::NormalizerOptions;
/// use nearfind_core::embed::{WordPiece, WordPieceOptions};
///
/// let options = WordPieceOptions {
///     normalizer: NormalizerOptions::UNCASED,
///     continuation: "##".into(),
///     longest_word: 100,
///     unknown: 0,
///     start: 1,
///     end: 2,
///     special: Vec::new(),
/// };
/// let tokenizer = WordPiece::new(options, ["[UNK]", "[CLS]", "[SEP]", "undo", "##ing"].into_iter());
/// // "Undoing" is two pieces between start and end, and "commits" is unknown.
/// assert_eq!(tokenizer.encode("Undoing commits", 16), [1, 3, 4, 0, 2]);
/// assert_eq!(tokenizer.count("Undoing"), 2);
/// ```
#[derive(Clone, Debug)]
pub struct WordPiece {
    options: WordPieceOptions,
    vocabulary: Vocabulary,
    /// The vocabulary's pieces that continue a word.
    continuing: Range<usize>,
}

/// Pieces and their numbers in a sorted table, which is fast to build. Building a hash map of as many strings would
/// take longer than everything else that a page does with a model pack.
#[derive(Clone, Debug, Default)]
struct Vocabulary {
    text: String,
    /// Ranges of `text` with their numbers, in the order of the text.
    pieces: Vec<(Range<u32>, u32)>,
    /// For each first byte, the index where its pieces begin. The last entry is the number of pieces.
    firsts: Vec<u32>,
}

impl Vocabulary {
    fn new<'a>(pieces: impl Iterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self::default();
        for (id, piece) in pieces.enumerate() {
            let start = vocabulary.text.len() as u32;
            vocabulary.text.push_str(piece);
            vocabulary.pieces.push((start..vocabulary.text.len() as u32, id as u32));
        }
        let Self { text, pieces, firsts } = &mut vocabulary;
        let text = text.as_bytes();
        let bytes = |range: &Range<u32>| &text[range.start as usize..range.end as usize];
        // Among equal pieces, the last one counts. It is sorted first, so that the others are removed.
        pieces.sort_unstable_by(|(a, a_id), (b, b_id)| bytes(a).cmp(bytes(b)).then(b_id.cmp(a_id)));
        pieces.dedup_by(|(a, _), (b, _)| bytes(a) == bytes(b));
        let begins_before = |first: u16| {
            pieces.partition_point(|(range, _)| bytes(range).first().map(|&byte| byte.into()) < Some(first))
        };
        *firsts = (0..=256).map(|first| begins_before(first) as u32).collect();
        vocabulary
    }

    /// Returns the pieces that begin with `mark`.
    fn marked(&self, mark: &str) -> Range<usize> {
        mark.bytes().enumerate().fold(0..self.pieces.len(), |among, (at, byte)| self.narrowed(among, at, byte))
    }

    /// Finds the longest piece in `marked` that matches the start of `rest` after a mark of `mark` bytes. Returns the
    /// number of bytes that it covers, and its number. Each byte leaves only a few pieces.
    fn longest(&self, marked: Range<usize>, mark: usize, rest: &str) -> Option<(usize, u32)> {
        let (mut among, mut found) = (marked, None);
        for (at, byte) in rest.bytes().enumerate() {
            among = self.narrowed(among, mark + at, byte);
            let Some((range, id)) = self.pieces.get(among.start).filter(|_| !among.is_empty()) else { break };
            // The shortest piece is sorted first.
            if range.len() == mark + at + 1 {
                found = Some((at + 1, *id));
            }
        }
        found
    }

    /// Returns the pieces in `among` that have `byte` at `at`. All pieces in `among` must be equal before `at`.
    fn narrowed(&self, among: Range<usize>, at: usize, byte: u8) -> Range<usize> {
        if at == 0 && among.len() == self.pieces.len() {
            let first = usize::from(byte);
            return self.firsts[first] as usize..self.firsts[first + 1] as usize;
        }
        let text = self.text.as_bytes();
        let byte_of = |(range, _): &(Range<u32>, u32)| (range.len() > at).then(|| text[range.start as usize + at]);
        let pieces = &self.pieces[among.clone()];
        let first = pieces.partition_point(|piece| byte_of(piece) < Some(byte));
        let count = pieces[first..].partition_point(|piece| byte_of(piece) == Some(byte));
        among.start + first..among.start + first + count
    }
}

/// Returns how many pieces of each of two texts fit into `room`. The longer text is shortened first.
#[cfg(feature = "embed")]
pub(super) fn lengths_of_pair(first: usize, second: usize, room: usize) -> (usize, usize) {
    if first + second <= room {
        return (first, second);
    }
    let shorter = first.min(second).min(room / 2);
    let longer = room - shorter;
    if first > second { (longer, shorter) } else { (shorter, longer) }
}

impl WordPiece {
    /// Number of pieces in the frame of a text: start and end.
    pub(super) const FRAME: usize = 2;

    /// Whether almost no piece is in a script other than Latin. Words of other scripts are then split into letters,
    /// which mean nothing to the model.
    pub fn knows_latin_alone(&self) -> bool {
        let Vocabulary { text, pieces, .. } = &self.vocabulary;
        let is_beyond = |range: &Range<u32>| letters_beyond_latin(&text[range.start as usize..range.end as usize]) > 0;
        let beyond = pieces.iter().filter(|(range, _)| is_beyond(range));
        beyond.count() * FEW < pieces.len()
    }

    /// Creates a tokenizer. `vocabulary` yields the pieces in order of their numbers.
    pub fn new<'a>(options: WordPieceOptions, vocabulary: impl Iterator<Item = &'a str>) -> Self {
        let vocabulary = Vocabulary::new(vocabulary);
        Self { continuing: vocabulary.marked(&options.continuation), options, vocabulary }
    }

    /// Returns the numbers of the pieces of `text` between the start and end tokens, at most `limit` in total.
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut ids = vec![self.options.start];
        self.pieces(text, limit, &mut ids, &mut |word, ids| self.word_pieces(word, ids));
        ids.truncate(limit.saturating_sub(1).max(1));
        ids.push(self.options.end);
        ids
    }

    /// Returns two texts in one sequence, each followed by the end token, and the index where the second begins. If
    /// both together exceed `limit`, the longer one is shortened first.
    #[cfg(feature = "embed")]
    pub fn encode_pair(&self, first: &str, second: &str, limit: usize) -> (Vec<u32>, usize) {
        let room = limit.saturating_sub(3);
        let pieces = |text: &str| {
            let mut ids = Vec::new();
            self.pieces(text, usize::MAX, &mut ids, &mut |word, ids| self.word_pieces(word, ids));
            ids
        };
        let (mut first, mut second) = (pieces(first), pieces(second));
        let (of_first, of_second) = lengths_of_pair(first.len(), second.len(), room);
        first.truncate(of_first);
        second.truncate(of_second);
        let mut ids = vec![self.options.start];
        ids.extend(first);
        ids.push(self.options.end);
        let at = ids.len();
        ids.extend(second);
        ids.push(self.options.end);
        (ids, at)
    }

    /// Returns how text is normalized.
    pub const fn normalizer(&self) -> NormalizerOptions {
        self.options.normalizer
    }

    /// Returns the number of pieces of `text`, without the frame.
    pub fn count(&self, text: &str) -> usize {
        let mut ids = Vec::new();
        self.pieces(text, usize::MAX, &mut ids, &mut |word, ids| self.word_pieces(word, ids));
        ids.len()
    }

    /// Returns at most `limit` pieces of `text`, without the frame. `known` keeps the pieces of words for further
    /// texts.
    #[cfg(feature = "write")]
    pub fn pieces_with(&self, text: &str, limit: usize, known: &mut KnownPieces) -> Vec<u32> {
        let mut ids = Vec::new();
        self.pieces(text, limit, &mut ids, &mut |word, ids| known.append(self, word, ids));
        ids.truncate(limit);
        ids
    }

    /// Returns the pieces of a normalized word.
    #[cfg(feature = "write")]
    pub fn pieces_of_word(&self, word: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.word_pieces(word, &mut ids);
        ids
    }

    /// Appends the pieces of `text`, until `ids` has at least `limit`.
    fn pieces(&self, text: &str, limit: usize, ids: &mut Vec<u32>, of_word: &mut dyn FnMut(&str, &mut Vec<u32>)) {
        let begins_special =
            |byte: u8| self.options.special.iter().any(|special| special.text.as_bytes().first() == Some(&byte));
        if !text.bytes().any(begins_special) {
            return self.plain_pieces(text, limit, ids, of_word);
        }
        let mut from = 0;
        // The next position of each special token. A token is searched for again only after its position was passed.
        let mut next: Vec<Option<usize>> =
            self.options.special.iter().map(|special| text.find(&special.text)).collect();
        while ids.len() < limit {
            for (at, special) in next.iter_mut().zip(&self.options.special) {
                if at.is_some_and(|at| at < from) {
                    *at = text[from..].find(&special.text).map(|found| from + found);
                }
            }
            // The leftmost token wins, and at the same position, the longest token.
            let found = next.iter().zip(&self.options.special).filter_map(|(at, special)| Some(((*at)?, special)));
            let found = found.min_by_key(|(at, special)| (*at, std::cmp::Reverse(special.text.len())));
            self.plain_pieces(&text[from..found.map_or(text.len(), |(at, _)| at)], limit, ids, of_word);
            let Some((at, special)) = found else { return };
            ids.push(special.id);
            from = at + special.text.len();
        }
    }

    fn plain_pieces(&self, text: &str, limit: usize, ids: &mut Vec<u32>, of_word: &mut dyn FnMut(&str, &mut Vec<u32>)) {
        split_words(&normalize(text, &self.options.normalizer), |word| {
            if ids.len() < limit {
                of_word(word, ids);
            }
        });
    }

    /// Appends the longest pieces of a word, from its start on, or the unknown token if pieces do not cover the word.
    fn word_pieces(&self, word: &str, ids: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        if word.chars().count() > self.options.longest_word as usize {
            ids.push(self.options.unknown);
            return;
        }
        let before = ids.len();
        let mut start = 0;
        while start < word.len() {
            // Pieces inside a word have a mark before them in the vocabulary.
            let (marked, mark) = match start {
                0 => (0..self.vocabulary.pieces.len(), 0),
                _ => (self.continuing.clone(), self.options.continuation.len()),
            };
            let Some((length, id)) = self.vocabulary.longest(marked, mark, &word[start..]) else {
                ids.truncate(before);
                ids.push(self.options.unknown);
                return;
            };
            ids.push(id);
            start += length;
        }
    }
}

/// Caches the pieces of words, because a few words make up most of a text.
#[cfg(feature = "write")]
#[derive(Clone, Debug, Default)]
pub struct KnownPieces {
    /// For each word, the range of its pieces in `pieces`.
    words: HashMap<String, Range<u32>, foldhash::fast::RandomState>,
    pieces: Vec<u32>,
}

#[cfg(feature = "write")]
impl KnownPieces {
    /// Maximum number of cached words. The frequent words of a long text occur early.
    const MAX_WORDS: usize = 1 << 17;

    fn append(&mut self, tokenizer: &WordPiece, word: &str, ids: &mut Vec<u32>) {
        // A single character is found as quickly without the cache.
        if word.len() <= 1 {
            return tokenizer.word_pieces(word, ids);
        }
        if let Some(known) = self.words.get(word) {
            return ids.extend_from_slice(&self.pieces[known.start as usize..known.end as usize]);
        }
        let before = ids.len();
        tokenizer.word_pieces(word, ids);
        if self.words.len() < Self::MAX_WORDS {
            let start = self.pieces.len() as u32;
            self.pieces.extend_from_slice(&ids[before..]);
            self.words.insert(word.to_owned(), start..self.pieces.len() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokenizer() -> WordPiece {
        let options = WordPieceOptions {
            normalizer: NormalizerOptions::UNCASED,
            continuation: "##".into(),
            longest_word: 10,
            unknown: 0,
            start: 1,
            end: 2,
            special: vec![SpecialToken { text: "[MASK]".into(), id: 3 }],
        };
        WordPiece::new(options, "[UNK] [CLS] [SEP] [MASK] un ##able ##a cafe ! 索".split(' '))
    }

    #[test]
    fn longest_pieces_first_and_unknown_words_whole() {
        assert_eq!(tokenizer().encode("Unable UNA unx", 99), [1, 4, 5, 4, 6, 0, 2]);
    }

    #[test]
    fn accents_case_punctuation_and_ideographs() {
        assert_eq!(tokenizer().encode("Café!索索", 99), [1, 7, 8, 9, 9, 2]);
    }

    #[test]
    fn special_tokens_are_seen_in_raw_text() {
        assert_eq!(tokenizer().encode("un[MASK]un [mask]", 99), [1, 4, 3, 4, 0, 0, 0, 2]);
    }

    #[test]
    fn a_long_text_is_cut_inside_the_frame() {
        assert_eq!(tokenizer().encode("un un un un", 4), [1, 4, 4, 2]);
        assert_eq!(tokenizer().count("un un un un"), 4);
        assert_eq!(tokenizer().encode("unununununun", 99), [1, 0, 2]);
    }

    proptest! {
        /// Words cached from one text do not change the pieces of the next.
        #[test]
        fn known_words_have_the_pieces_that_they_had(texts in prop::collection::vec("(un|able|a|cafe|x|[!索]| |\\[MASK\\]){0,12}", 1..4), limit in 0usize..12) {
            let (tokenizer, mut known) = (tokenizer(), KnownPieces::default());
            for text in &texts {
                let framed = tokenizer.encode(text, limit + 2);
                prop_assert_eq!(&tokenizer.pieces_with(text, limit, &mut known), &framed[1..framed.len() - 1]);
            }
        }
    }
}
