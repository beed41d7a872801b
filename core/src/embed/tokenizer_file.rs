//! Runs a tokenizer that a `tokenizer.json` describes, such as Unigram (SentencePiece) or BPE, with the `tokenizers`
//! crate.

use crate::analysis::letters_beyond_latin;
use crate::embed::wordpiece::{FEW, lengths_of_pair};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokenizers::utils::truncation::TruncationDirection;
use tokenizers::{Encoding, Tokenizer};

/// The token for a text that has neither a piece nor a frame, because models need at least one token.
const NO_PIECES: u32 = 0;

/// A tokenizer read from its file.
#[derive(Clone, Debug)]
pub struct TokenizerFile {
    tokenizer: Tokenizer,
    frame: usize,
}

impl TokenizerFile {
    /// Reads a `tokenizer.json`, and ignores its settings for padding and truncation.
    ///
    /// # Errors
    ///
    /// Returns a description of the defect.
    pub fn parse(json: &[u8]) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(|error| error.to_string())?;
        tokenizer.with_padding(None).with_truncation(None).map_err(|error| error.to_string())?;
        let mut file = Self { tokenizer, frame: 0 };
        file.frame = file.framed(Encoding::default(), None).get_ids().len();
        Ok(file)
    }

    /// Returns the file without white space, padding and truncation.
    #[cfg(feature = "write")]
    pub fn to_json(&self) -> Result<String, String> {
        self.tokenizer.to_string(false).map_err(|error| error.to_string())
    }

    /// Returns the text of each piece as the vocabulary spells it, with its number. Special pieces of the model, such
    /// as `<s>`, are left out.
    #[cfg(feature = "write")]
    pub fn vocabulary(&self) -> Vec<(String, u32)> {
        let special = self.tokenizer.get_added_tokens_decoder();
        let mut pieces: Vec<(String, u32)> = self.tokenizer.get_vocab(false).into_iter().collect();
        pieces.retain(|(_, number)| !special.get(number).is_some_and(|token| token.special));
        pieces.sort_unstable_by_key(|(_, number)| *number);
        pieces
    }

    /// Returns the largest number of a piece.
    pub fn largest_number(&self) -> u32 {
        self.tokenizer.get_vocab(true).into_values().max().unwrap_or(0)
    }

    /// Returns the decoded text of a piece.
    pub fn text_of(&self, piece: u32) -> String {
        self.tokenizer.decode(&[piece], true).unwrap_or_default()
    }

    pub(super) const fn frame(&self) -> usize {
        self.frame
    }

    /// Returns the pieces of `text` without the frame, or none if the tokenizer refuses the text.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        self.unframed(text).get_ids().to_vec()
    }

    /// Returns the pieces of `text` and of its frame, at most `limit` in total.
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut encoding = self.unframed(text);
        truncate(&mut encoding, limit.saturating_sub(self.frame));
        ids_of(&self.framed(encoding, None), limit)
    }

    pub(super) fn encode_pair(&self, first: &str, second: &str, limit: usize) -> (Vec<u32>, usize) {
        let frame = self.framed(self.unframed(""), Some(self.unframed(""))).get_ids().len();
        let (mut first, mut second) = (self.unframed(first), self.unframed(second));
        let room = limit.saturating_sub(frame);
        let (of_first, of_second) = lengths_of_pair(first.len(), second.len(), room);
        truncate(&mut first, of_first);
        truncate(&mut second, of_second);
        let encoding = self.framed(first, Some(second));
        let is_second = |sequence: &Option<usize>| *sequence == Some(1);
        let at = encoding.get_sequence_ids().iter().position(is_second).unwrap_or(encoding.len());
        let ids = ids_of(&encoding, limit);
        let at = at.min(ids.len());
        (ids, at)
    }

    pub(super) fn knows_latin_alone(&self) -> bool {
        let numbers = self.tokenizer.get_vocab(false);
        // Pieces are decoded, because byte vocabularies spell every script in Latin letters.
        let is_beyond = |number: &&u32| letters_beyond_latin(&self.text_of(**number)) > 0;
        numbers.values().filter(is_beyond).count() * FEW < numbers.len()
    }

    /// Whether the tokenizer makes pieces as WordPiece does, even if other settings differ.
    #[cfg(feature = "write")]
    pub fn is_word_piece(&self) -> bool {
        matches!(self.tokenizer.get_model(), tokenizers::ModelWrapper::WordPiece(_))
    }

    fn unframed(&self, text: &str) -> Encoding {
        guarded(|| self.tokenizer.encode_fast(text, false))
    }

    fn framed(&self, first: Encoding, second: Option<Encoding>) -> Encoding {
        guarded(|| self.tokenizer.post_process(first, second, true))
    }
}

/// Returns the result of `encode`, or nothing if it fails or panics. The crate trusts its files, so a file that
/// contradicts itself can make it panic.
fn guarded(encode: impl FnOnce() -> tokenizers::Result<Encoding>) -> Encoding {
    catch_unwind(AssertUnwindSafe(encode)).ok().and_then(Result::ok).unwrap_or_default()
}

/// Returns the numbers of a framed text, at least one and at most `limit`. A file may define a frame that repeats the
/// text.
fn ids_of(framed: &Encoding, limit: usize) -> Vec<u32> {
    let ids = &framed.get_ids()[..framed.len().min(limit)];
    if ids.is_empty() { vec![NO_PIECES] } else { ids.to_vec() }
}

fn truncate(encoding: &mut Encoding, limit: usize) {
    encoding.truncate(limit, 0, TruncationDirection::Right);
    // Otherwise, the remainder would be framed as well.
    encoding.take_overflowing();
}
