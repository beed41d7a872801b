//! A text's vector: tokens, transformer, pooling, unit length.

use super::model_pack::{Architecture, ModelPack, PackHeader};
use super::pooling::normalize;
use super::{EmbedError, WordPiece, bert_graph};
use std::sync::Arc;
use tract_core::internal::{TractResult, TypedModel, TypedSimplePlan, tensor1, tvec};

/// What a model makes of one sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenOutput {
    /// `[tokens × dimensions]`, row-major: to be pooled.
    Tokens(Vec<f32>),
    /// `[dimensions]`: the model pools by itself.
    Text(Vec<f32>),
}

/// Runs one unpadded sequence of token numbers.
pub trait TokenModel: Send + Sync {
    /// The vectors of `ids`, or what the runtime said.
    fn run(&self, ids: &[u32]) -> Result<TokenOutput, String>;
}

/// A model ready to encode. Shared between threads; every call is independent of the others.
pub struct Encoder {
    header: PackHeader,
    hash: String,
    tokenizer: WordPiece,
    model: Box<dyn TokenModel>,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").field("name", &self.header.name).field("hash", &self.hash).finish_non_exhaustive()
    }
}

impl Encoder {
    /// Builds the graph of a BERT pack. The pack is not needed afterwards.
    pub fn from_pack<B: AsRef<[u8]>>(pack: &ModelPack<B>) -> Result<Self, EmbedError> {
        let Architecture::Bert(shape) = &pack.header().architecture else {
            return Err(EmbedError::Unsupported {
                name: pack.header().name.clone(),
                reason: "ONNX models run natively only; use a BERT-family model folder for the web".into(),
            });
        };
        if shape.hidden != pack.header().dimensions || shape.positions < pack.header().max_tokens {
            return Err(EmbedError::Unsupported {
                name: pack.header().name.clone(),
                reason: "its sizes contradict each other; import it again".into(),
            });
        }
        let plan =
            bert_graph::build(pack, shape)
                .and_then(TypedModel::into_optimized)
                .and_then(TypedSimplePlan::new)
                .map_err(|error| EmbedError::Run { name: pack.header().name.clone(), reason: format!("{error:#}") })?;
        Self::with_model(pack, Box::new(BertModel { plan, vocabulary: shape.vocabulary }))
    }

    /// An encoder around another runtime of the same pack.
    pub fn with_model<B: AsRef<[u8]>>(pack: &ModelPack<B>, model: Box<dyn TokenModel>) -> Result<Self, EmbedError> {
        Ok(Self { header: pack.header().clone(), hash: pack.hash().to_owned(), tokenizer: pack.tokenizer()?, model })
    }

    /// Name, dimensions and the rest of the pack's header.
    pub const fn header(&self) -> &PackHeader {
        &self.header
    }

    /// The pack's hash.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The pack's tokenizer.
    pub const fn tokenizer(&self) -> &WordPiece {
        &self.tokenizer
    }

    /// The vector of `text`, of [`PackHeader::dimensions`] components. Text beyond the maximum of tokens is not read.
    pub fn encode(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.encode_ids(&self.tokenizer.encode(text, self.header.max_tokens as usize))
    }

    /// The vector of one piece of the vocabulary, by its number.
    pub fn encode_piece(&self, piece: u32) -> Result<Vec<f32>, EmbedError> {
        self.encode_ids(&self.tokenizer.frame(piece))
    }

    fn encode_ids(&self, ids: &[u32]) -> Result<Vec<f32>, EmbedError> {
        let fail = |reason: String| EmbedError::Run { name: self.header.name.clone(), reason };
        let dimensions = self.header.dimensions as usize;
        let mut vector = match self.model.run(ids).map_err(fail)? {
            TokenOutput::Tokens(values) => self.header.pooling.pool(&values, dimensions),
            TokenOutput::Text(vector) => vector,
        };
        if vector.len() != dimensions || !vector.iter().all(|x| x.is_finite()) {
            return Err(fail(format!("its output is not {dimensions} finite numbers")));
        }
        if self.header.normalize {
            normalize(&mut vector);
        }
        Ok(vector)
    }
}

struct BertModel {
    plan: Arc<TypedSimplePlan>,
    vocabulary: u32,
}

impl TokenModel for BertModel {
    fn run(&self, ids: &[u32]) -> Result<TokenOutput, String> {
        if ids.iter().any(|&id| id >= self.vocabulary) {
            return Err("the tokenizer knows more tokens than the model".into());
        }
        let positions: Vec<i64> = (0..ids.len() as i64).collect();
        let ids: Vec<i64> = ids.iter().map(|&id| i64::from(id)).collect();
        let run = || -> TractResult<Vec<f32>> {
            let outputs = self.plan.run(tvec![tensor1(&ids).into(), tensor1(&positions).into()])?;
            Ok(outputs[0].try_as_plain_ram()?.as_slice::<f32>()?.to_vec())
        };
        run().map(TokenOutput::Tokens).map_err(|error| format!("{error:#}"))
    }
}
