//! The tokenizer of a model: WordPiece, or any other by its `tokenizer.json`.

#[cfg(feature = "write")]
use super::KnownPieces;
#[cfg(feature = "tokenizers")]
use super::TokenizerFile;
use super::WordPiece;

/// How a model takes text apart into numbered pieces.
#[derive(Clone, Debug)]
pub enum Tokenizer {
    /// That of BERT, which web pages run too.
    WordPiece(WordPiece),
    /// Any other, as its file describes it.
    #[cfg(feature = "tokenizers")]
    File(Box<TokenizerFile>),
}

impl Tokenizer {
    /// Numbers of the pieces of `text`, with those that frame it, `limit` in all.
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        match self {
            Self::WordPiece(tokenizer) => tokenizer.encode(text, limit),
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => tokenizer.encode(text, limit),
        }
    }

    /// Two texts in one sequence, and where the second begins. Where both are longer than `limit` allows, the longer one loses
    /// its end first.
    #[cfg(feature = "embed")]
    pub fn encode_pair(&self, first: &str, second: &str, limit: usize) -> (Vec<u32>, usize) {
        match self {
            Self::WordPiece(tokenizer) => tokenizer.encode_pair(first, second, limit),
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => tokenizer.encode_pair(first, second, limit),
        }
    }

    /// Number of pieces of `text`, without those that frame it.
    pub fn count(&self, text: &str) -> usize {
        match self {
            Self::WordPiece(tokenizer) => tokenizer.count(text),
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => tokenizer.pieces(text).len(),
        }
    }

    /// The pieces of `text` without those that frame it, `limit` at most. WordPiece keeps the pieces of words in `known`, from
    /// one text to the next.
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

    /// Pieces that frame a text.
    pub fn frame(&self) -> usize {
        match self {
            Self::WordPiece(_) => WordPiece::FRAME,
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => tokenizer.frame(),
        }
    }

    /// Whether hardly a piece is in another script than Latin: words in these come apart into letters, which mean nothing.
    pub fn knows_latin_alone(&self) -> bool {
        match self {
            Self::WordPiece(tokenizer) => tokenizer.knows_latin_alone(),
            #[cfg(feature = "tokenizers")]
            Self::File(tokenizer) => tokenizer.knows_latin_alone(),
        }
    }
}
