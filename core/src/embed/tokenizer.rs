//! The tokenizer of a model: WordPiece, or another one that its `tokenizer.json` describes.

#[cfg(feature = "write")]
use super::KnownPieces;
#[cfg(feature = "tokenizers")]
use super::TokenizerFile;
use super::WordPiece;

/// Splits text into the numbered pieces that a model needs.
#[derive(Clone, Debug)]
pub enum Tokenizer {
    /// BERT's tokenizer, which web pages also run.
    WordPiece(WordPiece),
    /// Any other tokenizer, described by its file.
    #[cfg(feature = "tokenizers")]
    File(Box<TokenizerFile>),
}

impl Tokenizer {
    /// Returns the numbers of the pieces of `text` and of its frame, at most `limit` in total.
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        match self {
            Self::WordPiece(tokenizer) => tokenizer.encode(text, limit),
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => tokenizer.encode(text, limit),
        }
    }

    /// Returns two texts in one sequence, and the index where the second begins. If both together exceed `limit`, the
    /// longer one loses its end first.
    #[cfg(feature = "embed")]
    pub fn encode_pair(&self, first: &str, second: &str, limit: usize) -> (Vec<u32>, usize) {
        match self {
            Self::WordPiece(tokenizer) => tokenizer.encode_pair(first, second, limit),
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => tokenizer.encode_pair(first, second, limit),
        }
    }

    /// Returns the number of pieces of `text`, without the frame.
    pub fn count(&self, text: &str) -> usize {
        match self {
            Self::WordPiece(tokenizer) => tokenizer.count(text),
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => tokenizer.pieces(text).len(),
        }
    }

    /// Returns at most `limit` pieces of `text`, without the frame. WordPiece caches the pieces of words in `known` for
    /// further texts.
    #[cfg(feature = "write")]
    pub fn pieces_with(&self, text: &str, limit: usize, known: &mut KnownPieces) -> Vec<u32> {
        match self {
            Self::WordPiece(tokenizer) => tokenizer.pieces_with(text, limit, known),
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => {
                let mut pieces = tokenizer.pieces(text);
                pieces.truncate(limit);
                pieces
            }
        }
    }

    /// Returns the number of pieces in the frame of a text.
    pub fn frame(&self) -> usize {
        match self {
            Self::WordPiece(_) => WordPiece::FRAME,
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => tokenizer.frame(),
        }
    }

    /// Whether almost no piece is in a script other than Latin. Words of other scripts are then split into letters,
    /// which mean nothing to the model.
    pub fn knows_latin_alone(&self) -> bool {
        match self {
            Self::WordPiece(tokenizer) => tokenizer.knows_latin_alone(),
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => tokenizer.knows_latin_alone(),
        }
    }
}
