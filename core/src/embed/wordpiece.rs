//! WordPiece as BERT does it: words, then the longest piece of the vocabulary first (Devlin et al., 2018).
//!
//! Token for token equal to the `tokenizers` crate, which is too large for a web page. `tests/` holds the property test
//! against that crate.

use super::bert_words::{NormalizerOptions, normalize, split_words};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A token that is recognised in raw text, before any normalization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecialToken {
    /// Its text, such as `[MASK]`.
    pub text: String,
    /// Its number.
    pub id: u32,
}

/// Everything but the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordPieceOptions {
    /// How text is normalized.
    #[serde(flatten)]
    pub normalizer: NormalizerOptions,
    /// What pieces inside a word begin with, such as `##`.
    pub continuation: String,
    /// Words of more characters become the unknown token.
    pub longest_word: u32,
    /// Number of the unknown token.
    pub unknown: u32,
    /// Number of the token put before a text.
    pub start: u32,
    /// Number of the token put after a text.
    pub end: u32,
    /// Tokens recognised in raw text.
    pub special: Vec<SpecialToken>,
}

/// A tokenizer: options and vocabulary.
#[derive(Clone, Debug)]
pub struct WordPiece {
    options: WordPieceOptions,
    words: HashMap<Box<str>, u32>,
    continuations: HashMap<Box<str>, u32>,
    longest_piece: usize,
}

impl WordPiece {
    /// `vocabulary` gives the pieces in order of their numbers.
    pub fn new<'a>(options: WordPieceOptions, vocabulary: impl Iterator<Item = &'a str>) -> Self {
        let mut tokenizer = Self { options, words: HashMap::new(), continuations: HashMap::new(), longest_piece: 1 };
        for (id, piece) in vocabulary.enumerate() {
            tokenizer.longest_piece = tokenizer.longest_piece.max(piece.len());
            if let Some(rest) = piece.strip_prefix(tokenizer.options.continuation.as_str()) {
                tokenizer.continuations.insert(rest.into(), id as u32);
            }
            // Also whole: a word may look like a continuation.
            tokenizer.words.insert(piece.into(), id as u32);
        }
        tokenizer
    }

    /// Numbers of the pieces of `text`, framed by start and end token and cut to `limit` in all.
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut ids = vec![self.options.start];
        self.pieces(text, limit, &mut ids);
        ids.truncate(limit.saturating_sub(1).max(1));
        ids.push(self.options.end);
        ids
    }

    /// How text is normalized.
    pub const fn normalizer(&self) -> NormalizerOptions {
        self.options.normalizer
    }

    /// Number of pieces of `text`, without the framing tokens.
    pub fn count(&self, text: &str) -> usize {
        let mut ids = Vec::new();
        self.pieces(text, usize::MAX, &mut ids);
        ids.len()
    }

    /// Appends the pieces of `text`, until `ids` holds `limit` or a few more.
    fn pieces(&self, text: &str, limit: usize, ids: &mut Vec<u32>) {
        let mut from = 0;
        // Where each special token is seen next: looked for again only once it was passed.
        let mut next: Vec<Option<usize>> = self.options.special.iter().map(|special| text.find(&special.text)).collect();
        while ids.len() < limit {
            for (at, special) in next.iter_mut().zip(&self.options.special) {
                if at.is_some_and(|at| at < from) {
                    *at = text[from..].find(&special.text).map(|found| from + found);
                }
            }
            // The leftmost; of several at one place the longest.
            let found = next.iter().zip(&self.options.special).filter_map(|(at, special)| Some(((*at)?, special)));
            let found = found.min_by_key(|(at, special)| (*at, std::cmp::Reverse(special.text.len())));
            self.plain_pieces(&text[from..found.map_or(text.len(), |(at, _)| at)], limit, ids);
            let Some((at, special)) = found else { return };
            ids.push(special.id);
            from = at + special.text.len();
        }
    }

    fn plain_pieces(&self, text: &str, limit: usize, ids: &mut Vec<u32>) {
        split_words(&normalize(text, &self.options.normalizer), |word| {
            if ids.len() < limit {
                self.word_pieces(word, ids);
            }
        });
    }

    /// The longest piece first; a word that cannot be covered is one unknown token.
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
            let pieces = if start == 0 { &self.words } else { &self.continuations };
            let mut end = word.len().min(start + self.longest_piece);
            while !word.is_char_boundary(end) {
                end -= 1;
            }
            let id = loop {
                if end == start {
                    ids.truncate(before);
                    ids.push(self.options.unknown);
                    return;
                }
                if let Some(id) = pieces.get(&word[start..end]) {
                    break *id;
                }
                end -= 1;
                while !word.is_char_boundary(end) {
                    end -= 1;
                }
            };
            ids.push(id);
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
