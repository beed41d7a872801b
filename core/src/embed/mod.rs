//! Turns text into vectors: the model pack, tokenizers and, with the `embed` feature, the transformer.

#[cfg(feature = "embed-full")]
mod bert_graph;
pub mod bert_words;
#[cfg(feature = "embed")]
mod coded_weights;
#[cfg(feature = "embed")]
mod cross_encoder;
#[cfg(feature = "embed")]
mod encoder;
pub mod model_pack;
#[cfg(feature = "embed-any")]
mod onnx_model;
mod pooling;
#[cfg(feature = "embed-full")]
mod quantized_graph;
#[cfg(feature = "embed")]
mod quantized_steps;
mod row_blocks;
#[cfg(feature = "embed")]
mod token_model;
mod tokenizer;
#[cfg(feature = "tokenizers")]
mod tokenizer_file;
#[cfg(feature = "embed")]
mod word_table;
mod wordpiece;

#[cfg(all(feature = "embed", feature = "write"))]
pub use coded_weights::write_weights;
#[cfg(feature = "embed")]
pub use cross_encoder::CrossEncoder;
#[cfg(feature = "embed")]
pub use encoder::Encoder;
#[cfg(feature = "embed")]
pub use nearfind_kernels::{GroupRows, RowBits, SharedBytes};
#[cfg(feature = "embed-any")]
pub use onnx_model::OnnxModel;
pub use pooling::Pooling;
pub use row_blocks::{ROW_HASHES_BLOB, RowBlocks};
#[cfg(feature = "embed")]
pub use token_model::{TokenModel, TokenOutput, Tokens};
pub use tokenizer::Tokenizer;
#[cfg(feature = "tokenizers")]
pub use tokenizer_file::TokenizerFile;
#[cfg(feature = "write")]
pub use wordpiece::KnownPieces;
pub use wordpiece::{SpecialToken, WordPiece, WordPieceOptions};

use crate::format::FormatError;
use thiserror::Error;

/// The reason why a model could not be opened or run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The bytes of the pack were refused.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The pack is valid, but this build cannot run its model.
    #[error("model {name}: {reason}")]
    Unsupported {
        /// Name of the model.
        name: String,
        /// The feature that is not supported, and what to do.
        reason: String,
    },
    /// The graph failed while it was built or run.
    #[error("model {name} failed to run: {reason}")]
    Run {
        /// Name of the model.
        name: String,
        /// The runtime's message.
        reason: String,
    },
}
