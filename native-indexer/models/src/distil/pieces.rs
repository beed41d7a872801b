//! The word pieces that a table has rows for, and how texts are split into them.
//!
//! A table splits words as WordPiece does: the longest start of a word comes first. For a model with WordPiece, the
//! pieces are the model's own. For another model, they are the pieces in its vocabulary that the site and the languages
//! of its scripts need, in lower case and without accents, because readers type like this.

use nearfind_core::bundle::BundleDocument;
use nearfind_core::embed::bert_words::{NormalizerOptions, decomposed};
use nearfind_core::embed::{Encoder, Tokenizer, TokenizerFile, WordPiece, WordPieceOptions};
use nearfind_core::query_encoder::words_of;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use unicode_script::{Script, UnicodeScript as _};

/// Prefix of pieces inside words.
const CONTINUATION: &str = "##";
/// Prefixes of pieces at the start of a word, in SentencePiece and byte-level BPE vocabularies.
const WORD_STARTS: [char; 2] = ['\u{2581}', '\u{120}'];
/// Number of word starts in each script of a site that get a row even if they do not occur on the site, because readers
/// ask in their own words. Vocabularies list the most frequent pieces first.
const GENERAL: usize = 15_000;
/// A script counts as a script of the site if it has at least this share of the letters, in thousandths.
const SCRIPT_SHARE: u64 = 30;
/// Number that stands for a word with an unknown part.
const UNKNOWN: u32 = 0;

/// Splits texts into the pieces of a table.
#[derive(Debug)]
pub enum TablePieces<'a> {
    /// Splits texts as the model does.
    OfModel(&'a WordPiece, usize),
    /// Splits texts into pieces that are selected from another kind of vocabulary.
    Taken(TakenPieces),
}

/// Pieces that are selected from a vocabulary.
#[derive(Debug)]
pub struct TakenPieces {
    tokenizer: WordPiece,
    /// The pieces, by number.
    pieces: Vec<String>,
}

impl<'a> TablePieces<'a> {
    /// Returns the pieces of a table for `documents`.
    pub fn of(encoder: &'a Encoder, documents: &[BundleDocument]) -> Self {
        match encoder.tokenizer() {
            Tokenizer::WordPiece(tokenizer) => Self::OfModel(tokenizer, encoder.header().max_tokens as usize),
            Tokenizer::File(file) => Self::Taken(TakenPieces::of(file, documents)),
        }
    }

    /// Returns the pieces of a text. If the table splits words itself, words with an unknown part have no pieces.
    pub(super) fn of_text(&self, text: &str) -> Vec<u32> {
        match self {
            Self::OfModel(tokenizer, limit) => {
                let ids = tokenizer.encode(text, *limit);
                ids[1..ids.len() - 1].to_vec()
            }
            Self::Taken(taken) => taken.of_text(text),
        }
    }

    /// Returns the options for normalizing words.
    pub(super) const fn normalizer(&self) -> NormalizerOptions {
        match self {
            Self::OfModel(tokenizer, _) => tokenizer.normalizer(),
            Self::Taken(_) => NormalizerOptions::UNCASED,
        }
    }
}

impl TakenPieces {
    fn of(file: &TokenizerFile, documents: &[BundleDocument]) -> Self {
        let all = Self::new(candidates(file));
        let mut needed = all.of_documents(documents);
        let mut general: HashMap<Script, usize> =
            scripts_of(documents).into_iter().map(|script| (script, GENERAL)).collect();
        for (number, piece) in (0..).zip(&all.pieces).filter(|(_, piece)| !piece.starts_with(CONTINUATION)) {
            let left = piece.chars().next().and_then(|first| general.get_mut(&first.script()));
            if let Some(left) = left.filter(|left| **left > 0) {
                *left -= 1;
                needed.insert(number);
            }
        }
        let pieces = (0..).zip(all.pieces).filter(|(number, _)| *number != UNKNOWN && needed.contains(number));
        Self::new(pieces.map(|(_, piece)| piece).collect())
    }

    fn new(mut pieces: Vec<String>) -> Self {
        pieces.insert(UNKNOWN as usize, String::new());
        let options = WordPieceOptions {
            normalizer: NormalizerOptions::UNCASED,
            continuation: CONTINUATION.to_owned(),
            longest_word: u32::MAX,
            unknown: UNKNOWN,
            start: UNKNOWN,
            end: UNKNOWN,
            special: Vec::new(),
        };
        let tokenizer = WordPiece::new(options, pieces.iter().map(String::as_str));
        Self { tokenizer, pieces }
    }

    /// Returns the pieces by number. The first number belongs to no piece.
    pub fn pieces(&self) -> &[String] {
        &self.pieces
    }

    fn of_text(&self, text: &str) -> Vec<u32> {
        let words = words_of(&decomposed(text), NormalizerOptions::UNCASED);
        words.iter().flat_map(|word| self.of_word(word)).collect()
    }

    fn of_word(&self, word: &str) -> Vec<u32> {
        let pieces = self.tokenizer.pieces_of_word(word);
        if pieces.contains(&UNKNOWN) { Vec::new() } else { pieces }
    }

    fn of_documents(&self, documents: &[BundleDocument]) -> HashSet<u32> {
        let words_of_document = |document: &BundleDocument| -> HashSet<String> {
            let texts = [&document.text, &document.record.title];
            texts.into_iter().flat_map(|text| words_of(&decomposed(text), NormalizerOptions::UNCASED)).collect()
        };
        let words = documents.par_iter().map(words_of_document).reduce(HashSet::new, |mut all, words| {
            all.extend(words);
            all
        });
        words.par_iter().flat_map_iter(|word| self.of_word(word)).collect()
    }
}

/// Returns the pieces of a vocabulary in the table's spelling, without repetitions, most frequent first.
fn candidates(file: &TokenizerFile) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut seen = HashSet::new();
    let is_word_piece = file.is_word_piece();
    for (spelled, number) in file.vocabulary() {
        let text = file.text_of(number);
        let bare = text.trim_start_matches(WORD_STARTS);
        let bare = bare.strip_prefix(CONTINUATION).filter(|_| is_word_piece).unwrap_or(bare);
        let words = words_of(&decomposed(bare), NormalizerOptions::UNCASED);
        let [word] = words.as_slice() else { continue };
        let first = word.chars().next().unwrap_or_default();
        let is_marked =
            if is_word_piece { !spelled.starts_with(CONTINUATION) } else { spelled.starts_with(WORD_STARTS) };
        let is_start = is_marked || !first.is_alphanumeric() || is_without_spaces(first.script());
        let inside = (!is_marked).then(|| format!("{CONTINUATION}{word}"));
        for piece in is_start.then(|| word.clone()).into_iter().chain(inside) {
            if seen.insert(piece.clone()) {
                pieces.push(piece);
            }
        }
    }
    pieces
}

/// Returns the scripts of a site.
fn scripts_of(documents: &[BundleDocument]) -> Vec<Script> {
    let of_document = |document: &BundleDocument| {
        let mut counts: HashMap<Script, u64> = HashMap::new();
        document.text.chars().filter(|c| c.is_alphabetic()).for_each(|c| *counts.entry(c.script()).or_default() += 1);
        counts
    };
    let counts = documents.par_iter().map(of_document).reduce(HashMap::new, |mut all, counts| {
        counts.into_iter().for_each(|(script, count)| *all.entry(script).or_default() += count);
        all
    });
    let letters: u64 = counts.values().sum();
    let is_written = |(script, count): &(&Script, &u64)| {
        !matches!(script, Script::Common | Script::Inherited) && *count * 1000 >= letters * SCRIPT_SHARE
    };
    counts.iter().filter(is_written).map(|(script, _)| *script).collect()
}

/// Whether a script has no spaces between words, so that any piece may begin a word.
const fn is_without_spaces(script: Script) -> bool {
    use Script::{Han, Hiragana, Katakana, Khmer, Lao, Myanmar, Thai};
    matches!(script, Han | Hiragana | Katakana | Khmer | Lao | Myanmar | Thai)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_apart_from_the_longest_start_and_unknown_ones_are_left_out() {
        let pieces = TakenPieces::new(["ab", "##c", "?"].map(str::to_owned).to_vec());
        assert_eq!(pieces.of_text("Ábc? xab AB"), [1, 2, 3, 1]);
    }
}
