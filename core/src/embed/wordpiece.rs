//! WordPiece as BERT does it: clean, split CJK, strip accents, lower-case, split at white space and punctuation, then
//! the longest piece of the vocabulary first (Devlin et al., 2018).
//!
//! Token for token equal to the `tokenizers` crate, which is too large for a web page; so it uses the same Unicode
//! tables, old as they are. `tests/` holds the property test against that crate.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

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
#[expect(clippy::struct_excessive_bools, reason = "the four switches of BERT's normalizer, under their known names")]
pub struct WordPieceOptions {
    /// Drop control characters and make all white space a space.
    pub clean_text: bool,
    /// Put spaces around CJK ideographs.
    pub split_cjk: bool,
    /// Decompose and drop accents.
    pub strip_accents: bool,
    /// Lower-case.
    pub lowercase: bool,
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
        self.pieces(text, &mut ids);
        ids.truncate(limit.saturating_sub(1).max(1));
        ids.push(self.options.end);
        ids
    }

    /// Number of pieces of `text`, without the framing tokens.
    pub fn count(&self, text: &str) -> usize {
        let mut ids = Vec::new();
        self.pieces(text, &mut ids);
        ids.len()
    }

    /// Appends the pieces of `text`.
    fn pieces(&self, text: &str, ids: &mut Vec<u32>) {
        let mut rest = text;
        while let Some((at, special)) = self.next_special(rest) {
            self.plain_pieces(&rest[..at], ids);
            ids.push(special.id);
            rest = &rest[at + special.text.len()..];
        }
        self.plain_pieces(rest, ids);
    }

    /// The leftmost special token of `text`; of several at one place the longest.
    fn next_special(&self, text: &str) -> Option<(usize, &SpecialToken)> {
        let found = self.options.special.iter().filter_map(|special| Some((text.find(&special.text)?, special)));
        found.min_by_key(|(at, special)| (*at, std::cmp::Reverse(special.text.len())))
    }

    fn plain_pieces(&self, text: &str, ids: &mut Vec<u32>) {
        let normalized = self.normalize(text);
        for word in normalized.split(char::is_whitespace) {
            let mut start = 0;
            for (at, c) in word.char_indices() {
                if is_punctuation(c) {
                    self.word_pieces(&word[start..at], ids);
                    start = at + c.len_utf8();
                    self.word_pieces(&word[at..start], ids);
                }
            }
            self.word_pieces(&word[start..], ids);
        }
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

    fn normalize(&self, text: &str) -> String {
        let options = &self.options;
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if options.clean_text {
                if c == '\0' || c == '\u{fffd}' || is_control(c) {
                    continue;
                }
                if c.is_whitespace() {
                    out.push(' ');
                    continue;
                }
            }
            if options.split_cjk && is_cjk(c) {
                out.extend([' ', c, ' ']);
            } else {
                out.push(c);
            }
        }
        if options.strip_accents && !out.is_ascii() {
            out = out.nfd().map(|(c, _)| c).filter(|c| !c.is_mark_nonspacing()).collect();
        }
        if options.lowercase {
            // Character by character: the word-final sigma rule of `str::to_lowercase` is not BERT's.
            out = out.chars().flat_map(char::to_lowercase).collect();
        }
        out
    }
}

fn is_control(c: char) -> bool {
    !matches!(c, '\t' | '\n' | '\r') && c.is_other()
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || (!c.is_ascii() && c.is_punctuation())
}

/// BERT's ranges, gap and all.
fn is_cjk(c: char) -> bool {
    matches!(
        u32::from(c),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x2_0000..=0x2_A6DF
            | 0x2_A700..=0x2_B73F
            | 0x2_B740..=0x2_B81F
            | 0x2_B920..=0x2_CEAF
            | 0xF900..=0xFAFF
            | 0x2_F800..=0x2_FA1F
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer() -> WordPiece {
        let options = WordPieceOptions {
            clean_text: true,
            split_cjk: true,
            strip_accents: true,
            lowercase: true,
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
