//! Computes the vector of a text: tokens, transformer, pooling, unit length.

use super::model_pack::{Architecture, ModelPack, PackHeader};
use super::pooling::normalize;
use super::quantized_steps::QuantizedSteps;
use super::token_model::{TokenModel, TokenOutput, Tokens};
use super::word_table::WordTable;
use super::{EmbedError, Tokenizer};
use nearfind_kernels::SharedBytes;
use std::ops::Range;
use std::sync::Arc;

/// Number of tokens in a batch when many texts are encoded. It is large enough to make the cost of reading the weights
/// negligible, and small enough to keep everything else in a core's cache.
const BATCH_TOKENS: usize = 256;

/// Groups sequences into batches that are run one after the other.
pub(super) fn batches(sequences: Vec<Tokens>) -> Vec<Vec<Tokens>> {
    let mut batches: Vec<Vec<Tokens>> = Vec::new();
    let mut tokens = 0;
    for sequence in sequences {
        tokens += sequence.ids.len();
        if let Some(batch) = batches.last_mut().filter(|_| tokens <= BATCH_TOKENS) {
            batch.push(sequence);
        } else {
            tokens = sequence.ids.len();
            batches.push(vec![sequence]);
        }
    }
    batches
}

/// A graph and its word table.
type BuiltModel = (Box<dyn TokenModel>, Option<Arc<WordTable>>);

/// Builds the graph of a pack and, for a quantized pack, its word table, whose rows may be missing. Tables are used in
/// place, without a copy.
pub(super) fn token_model(pack: &ModelPack<SharedBytes>) -> Result<BuiltModel, EmbedError> {
    let header = pack.header();
    if let Architecture::Bert(shape) | Architecture::QuantizedBert { shape, .. } = &header.architecture
        && (shape.hidden < header.dimensions || shape.positions < header.max_tokens)
    {
        return Err(pack.unsupported("its sizes contradict each other; import it again"));
    }
    let mut words = None;
    let model = match &header.architecture {
        Architecture::QuantizedBert { shape, table } => {
            let rows = words.insert(Arc::new(WordTable::of_pack(pack, shape, *table)?));
            let steps = QuantizedSteps::of_pack(pack, shape, *table, rows)?;
            #[cfg(feature = "embed-full")]
            let model = boxed(super::quantized_graph::QuantizedGraph::of(steps));
            #[cfg(not(feature = "embed-full"))]
            let model: Result<Box<dyn TokenModel>, String> = Ok(Box::new(steps));
            model
        }
        #[cfg(feature = "embed-full")]
        Architecture::Bert(shape) => boxed(super::bert_graph::BertModel::build(pack, shape)),
        #[cfg(feature = "embed-any")]
        Architecture::Onnx => boxed(super::onnx_model::OnnxModel::from_pack(pack)),
        #[cfg(not(feature = "embed-full"))]
        Architecture::Bert(_) => {
            return Err(pack.unsupported("this module runs quantized packs: make one with `nearfind model quantize`"));
        }
        #[cfg(not(feature = "embed-any"))]
        Architecture::Onnx => {
            return Err(pack.unsupported(super::model_pack::LARGER_MODULE));
        }
    };
    let model = model.map_err(|reason| EmbedError::Run { name: header.name.clone(), reason })?;
    Ok((model, words))
}

#[cfg(feature = "embed-full")]
fn boxed<M: TokenModel + 'static>(model: tract_core::internal::TractResult<M>) -> Result<Box<dyn TokenModel>, String> {
    model.map(|model| Box::new(model) as _).map_err(|error| format!("{error:#}"))
}

/// A model that is ready to encode. Threads can share it, and calls are independent of each other.
pub struct Encoder {
    header: PackHeader,
    hash: String,
    tokenizer: Tokenizer,
    model: Box<dyn TokenModel>,
    words: Option<Arc<WordTable>>,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").field("name", &self.header.name).field("hash", &self.hash).finish_non_exhaustive()
    }
}

impl Encoder {
    /// Builds the graph of a pack. The tables of a quantized pack are used in place, without a copy.
    pub fn from_pack(pack: &ModelPack<SharedBytes>) -> Result<Self, EmbedError> {
        let header = pack.header();
        if header.scores {
            return Err(pack.unsupported("it reads two texts at once and returns no vectors: it is for [rerank]"));
        }
        let ((model, words), tokenizer) = (token_model(pack)?, pack.tokenizer()?);
        Ok(Self { header: header.clone(), hash: pack.hash().to_owned(), tokenizer, model, words })
    }

    /// Returns the pack's header.
    pub const fn header(&self) -> &PackHeader {
        &self.header
    }

    /// Returns the pack's hash.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the pack's tokenizer.
    pub const fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Returns the byte ranges of the pack's file to fetch before [`Encoder::encode_query`] can encode `text`. The
    /// ranges contain rows of words that are missing because the pack was opened without them.
    pub fn missing(&self, text: &str) -> Vec<Range<u64>> {
        let missing = |words: &Arc<WordTable>| words.missing(&self.ids(&self.header.query_prefix, text));
        self.words.as_ref().map(missing).unwrap_or_default()
    }

    /// Checks and keeps the bytes of a range that [`Encoder::missing`] returned. The range begins at `start` in the
    /// pack's file.
    pub fn provide(&self, start: u64, bytes: &[u8]) -> Result<(), EmbedError> {
        self.words.as_ref().map_or(Ok(()), |words| Ok(words.provide(start, bytes)?))
    }

    /// Returns the vector of a question, with [`PackHeader::dimensions`] components. Text beyond the maximum number of
    /// tokens is ignored.
    pub fn encode_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.encode_one(self.ids(&self.header.query_prefix, text))
    }

    /// Returns the vectors of many questions. The result is the same as that of [`Encoder::encode_query`], but takes
    /// less time.
    pub fn encode_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.encode_ids(texts.iter().map(|text| self.ids(&self.header.query_prefix, text)).collect())
    }

    /// Returns the vectors of passages, for comparison with the vectors of questions. Text beyond the maximum number of
    /// tokens is ignored.
    pub fn encode_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.encode_ids(texts.iter().map(|text| self.ids(&self.header.passage_prefix, text)).collect())
    }

    /// Returns the vectors of questions that consist of one piece of the vocabulary each, given the numbers of the
    /// pieces.
    pub fn encode_pieces(&self, pieces: &[u32]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let empty = self.ids(&self.header.query_prefix, "");
        let with_piece = |&piece: &u32| {
            let mut ids = empty.clone();
            ids.insert(ids.len() - 1, piece);
            ids
        };
        self.encode_ids(pieces.iter().map(with_piece).collect())
    }

    fn ids(&self, prefix: &str, text: &str) -> Vec<u32> {
        let limit = self.header.max_tokens as usize;
        match prefix {
            "" => self.tokenizer.encode(text, limit),
            prefix => self.tokenizer.encode(&format!("{prefix}{text}"), limit),
        }
    }

    fn encode_ids(&self, texts: Vec<Vec<u32>>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts = texts.into_iter().map(Tokens::from).collect();
        let batches = batches(texts).into_iter().map(|batch| self.encode_batch(&batch));
        Ok(batches.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn encode_one(&self, ids: Vec<u32>) -> Result<Vec<f32>, EmbedError> {
        Ok(self.encode_batch(&[ids.into()])?.swap_remove(0))
    }

    fn encode_batch(&self, sequences: &[Tokens]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let fail = |reason: String| EmbedError::Run { name: self.header.name.clone(), reason };
        let dimensions = self.header.dimensions as usize;
        let outputs = self.model.run(sequences).map_err(fail)?;
        let vector_of = |(output, tokens): (TokenOutput, &Tokens)| {
            let mut vector = match output {
                TokenOutput::Tokens(values) => self.header.pooling.pool(&values, values.len() / tokens.ids.len()),
                TokenOutput::Text(vector) => vector,
            };
            if vector.len() < dimensions || !vector.iter().all(|x| x.is_finite()) {
                return Err(fail(format!("its output is not {dimensions} finite numbers")));
            }
            vector.truncate(dimensions);
            if self.header.normalize {
                normalize(&mut vector);
            }
            Ok(vector)
        };
        outputs.into_iter().zip(sequences).map(vector_of).collect()
    }
}
