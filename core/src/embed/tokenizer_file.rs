//! A tokenizer that a `tokenizer.json` describes: Unigram (SentencePiece), BPE or another kind, run by the crate `tokenizers`.

use crate::analysis::letters_beyond_latin;
use crate::embed::wordpiece::FEW;
use tokenizers::utils::truncation::TruncationDirection;
use tokenizers::{Encoding, Tokenizer};

/// A tokenizer read from its file.
#[derive(Clone, Debug)]
pub struct TokenizerFile {
    tokenizer: Tokenizer,
    frame: usize,
}

impl TokenizerFile {
    /// Reads a `tokenizer.json`. Padding and truncation that it asks for are left out.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub fn parse(json: &[u8]) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(|error| error.to_string())?;
        tokenizer.with_padding(None).with_truncation(None).map_err(|error| error.to_string())?;
        let empty = tokenizer.encode_fast("", true).map_err(|error| error.to_string())?;
        Ok(Self { tokenizer, frame: empty.get_ids().len() })
    }

    /// The file without white space, padding and truncation.
    #[cfg(feature = "write")]
    pub fn to_json(&self) -> Result<String, String> {
        self.tokenizer.to_string(false).map_err(|error| error.to_string())
    }

    /// The text of each piece with its number, as the vocabulary spells it. Pieces that models have for themselves, such as
    /// `<s>`, are not among them.
    #[cfg(feature = "write")]
    pub fn vocabulary(&self) -> Vec<(String, u32)> {
        let special = self.tokenizer.get_added_tokens_decoder();
        let mut pieces: Vec<(String, u32)> = self.tokenizer.get_vocab(false).into_iter().collect();
        pieces.retain(|(_, number)| !special.get(number).is_some_and(|token| token.special));
        pieces.sort_unstable_by_key(|(_, number)| *number);
        pieces
    }

    /// The largest number of a piece.
    pub fn largest_number(&self) -> u32 {
        self.tokenizer.get_vocab(true).into_values().max().unwrap_or(0)
    }

    /// What one piece says, as text.
    #[cfg(feature = "write")]
    pub fn text_of(&self, piece: u32) -> String {
        self.tokenizer.decode(&[piece], true).unwrap_or_default()
    }

    pub(super) const fn frame(&self) -> usize {
        self.frame
    }

    /// The pieces of `text` alone; none of one that the tokenizer refuses.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        self.unframed(text).get_ids().to_vec()
    }

    /// The pieces of `text` with those that frame it, `limit` in all.
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut encoding = self.unframed(text);
        truncate(&mut encoding, limit.saturating_sub(self.frame));
        self.framed(encoding, None).get_ids().to_vec()
    }

    pub(super) fn encode_pair(&self, first: &str, second: &str, limit: usize) -> (Vec<u32>, usize) {
        let frame = self.framed(self.unframed(""), Some(self.unframed(""))).get_ids().len();
        let (mut first, mut second) = (self.unframed(first), self.unframed(second));
        let room = limit.saturating_sub(frame);
        if first.len() + second.len() > room {
            let shorter = first.len().min(second.len()).min(room / 2);
            let longer = room - shorter;
            let (of_first, of_second) = if first.len() > second.len() { (longer, shorter) } else { (shorter, longer) };
            truncate(&mut first, of_first);
            truncate(&mut second, of_second);
        }
        let encoding = self.framed(first, Some(second));
        let is_second = |sequence: &Option<usize>| *sequence == Some(1);
        let at = encoding.get_sequence_ids().iter().position(is_second).unwrap_or(encoding.len());
        (encoding.get_ids().to_vec(), at)
    }

    pub(super) fn knows_latin_alone(&self) -> bool {
        let vocabulary = self.tokenizer.get_vocab(false);
        let beyond = vocabulary.keys().filter(|piece| letters_beyond_latin(piece) > 0).count();
        beyond * FEW < vocabulary.len()
    }

    fn unframed(&self, text: &str) -> Encoding {
        self.tokenizer.encode_fast(text, false).unwrap_or_default()
    }

    fn framed(&self, first: Encoding, second: Option<Encoding>) -> Encoding {
        self.tokenizer.post_process(first, second, true).unwrap_or_default()
    }
}

fn truncate(encoding: &mut Encoding, limit: usize) {
    encoding.truncate(limit, 0, TruncationDirection::Right);
}
