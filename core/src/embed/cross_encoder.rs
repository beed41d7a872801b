//! Scores how well a passage answers a question, with a model that reads both in one sequence (Nogueira and Cho,
//! "Passage Re-ranking with BERT", 2019).

use super::encoder::{batches, token_model};
use super::model_pack::{Architecture, ModelPack, PackHeader};
use super::token_model::{TokenModel, TokenOutput, Tokens};
use super::{EmbedError, Tokenizer};
use nearfind_kernels::SharedBytes;

/// A model that is ready to score. Threads can share it, and calls are independent of each other.
pub struct CrossEncoder {
    header: PackHeader,
    tokenizer: Tokenizer,
    model: Box<dyn TokenModel>,
    /// Turns the first token's vector into a score. `None` for an ONNX model, whose graph includes it.
    head: Option<Head>,
}

/// A linear layer with a hyperbolic tangent, and a linear layer with a single output.
struct Head {
    pooler: Linear,
    classifier: Linear,
}

/// A row of weights and a bias for each output.
struct Linear {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl std::fmt::Debug for CrossEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CrossEncoder").field("name", &self.header.name).finish_non_exhaustive()
    }
}

impl CrossEncoder {
    /// Builds the graph of a pack.
    pub fn from_pack(pack: &ModelPack<SharedBytes>) -> Result<Self, EmbedError> {
        let header = pack.header();
        if !header.scores {
            return Err(pack.unsupported("it makes vectors, and is not a cross-encoder: it is for [embedding]"));
        }
        let head = match &header.architecture {
            Architecture::Onnx => None,
            Architecture::Bert(shape) | Architecture::QuantizedBert { shape, .. } => {
                let hidden = shape.hidden as usize;
                Some(Head {
                    pooler: Linear::of_pack(pack, "pooler.dense", hidden, hidden)?,
                    classifier: Linear::of_pack(pack, "classifier", hidden, 1)?,
                })
            }
        };
        let ((model, _), tokenizer) = (token_model(pack)?, pack.tokenizer()?);
        Ok(Self { header: header.clone(), tokenizer, model, head })
    }

    /// Returns the pack's header.
    pub const fn header(&self) -> &PackHeader {
        &self.header
    }

    /// Returns how well each of `passages` answers `question`, from 0 to 1. If a pair is longer than the model can
    /// read, the longer text loses its end.
    pub fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let limit = self.header.max_tokens as usize;
        let pair = |passage: &&str| {
            let (ids, second) = self.tokenizer.encode_pair(question, passage, limit);
            Tokens { ids, second }
        };
        let mut scores = Vec::with_capacity(passages.len());
        for batch in batches(passages.iter().map(pair).collect()) {
            let fail = |reason: String| EmbedError::Run { name: self.header.name.clone(), reason };
            for output in self.model.run(&batch).map_err(fail)? {
                let logit = self.logit(&output).filter(|logit| logit.is_finite());
                let logit = logit.ok_or_else(|| fail("its output is not one finite number".to_owned()))?;
                scores.push(1.0 / (1.0 + libm::expf(-logit)));
            }
        }
        Ok(scores)
    }

    fn logit(&self, output: &TokenOutput) -> Option<f32> {
        match (output, &self.head) {
            (TokenOutput::Text(values), None) => (values.len() == 1).then(|| values[0]),
            (TokenOutput::Tokens(values), Some(Head { pooler, classifier })) => {
                let first = values.get(..pooler.bias.len())?;
                let pooled: Vec<f32> = pooler.apply(first).map(libm::tanhf).collect();
                classifier.apply(&pooled).next()
            }
            _ => None,
        }
    }
}

impl Linear {
    fn of_pack(pack: &ModelPack<SharedBytes>, name: &str, from: usize, to: usize) -> Result<Self, EmbedError> {
        let floats = |part: &str, count: usize| {
            let bytes = pack.blob(&format!("{name}.{part}"))?;
            let (values, rest) = bytes.as_chunks::<4>();
            let values: Vec<f32> = values.iter().map(|four| f32::from_le_bytes(*four)).collect();
            if !rest.is_empty() || values.len() != count {
                let reason = format!("its {name} has another size than its layers");
                return Err(EmbedError::Unsupported { name: pack.header().name.clone(), reason });
            }
            Ok(values)
        };
        Ok(Self { weights: floats("weight", from * to)?, bias: floats("bias", to)? })
    }

    fn apply<'a>(&'a self, input: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        let row =
            move |(weights, bias): (&[f32], &f32)| weights.iter().zip(input).map(|(w, x)| w * x).sum::<f32>() + bias;
        self.weights.chunks_exact(input.len()).zip(&self.bias).map(row)
    }
}
