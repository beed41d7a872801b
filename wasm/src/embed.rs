//! Models: encoders, which turn text into vectors, and cross-encoders, which read a question and a passage together.

use crate::error::js_error;
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::embed::{CrossEncoder, EmbedError, Encoder, SharedBytes};
use nearfind_core::rank::{RERANK_WEIGHT, Reranked, rerank};
use wasm_bindgen::prelude::*;

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` calls")]
fn bad_model(error: EmbedError) -> JsValue {
    js_error("bad-model", &error)
}

/// A model that is ready to encode.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ModelEncoder {
    encoder: Encoder,
}

#[wasm_bindgen]
impl ModelEncoder {
    /// Checks a model pack, or its start, and builds its graph. The layers are decoded, and the tables are read in
    /// place.
    #[wasm_bindgen(constructor)]
    pub fn new(pack: Vec<u8>) -> Result<Self, JsValue> {
        let pack = ModelPack::open_start(SharedBytes::new(pack)).map_err(|error| bad_model(error.into()))?;
        Ok(Self { encoder: Encoder::from_pack(&pack).map_err(bad_model)? })
    }

    /// Returns the hash of the pack, which must be the one that the bundle names.
    pub fn hash(&self) -> String {
        self.encoder.hash().to_owned()
    }

    /// Returns the ranges of the pack's file that are needed to encode `text`: pairs of start and length in bytes.
    pub fn missing(&self, text: &str) -> Vec<u32> {
        self.encoder
            .missing(text)
            .into_iter()
            .flat_map(|range| [range.start, range.end - range.start].map(|n| n as u32))
            .collect()
    }

    /// Adds bytes of the pack's file from `start` on.
    pub fn provide(&self, start: u32, bytes: &[u8]) -> Result<(), JsValue> {
        self.encoder.provide(u64::from(start), bytes).map_err(bad_model)
    }

    /// Returns the vector of `text`, as a `Float32Array`.
    pub fn encode(&self, text: &str) -> Result<Vec<f32>, JsValue> {
        self.encoder.encode_query(text).map_err(bad_model)
    }
}

/// A cross-encoder that is ready to order answers.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PassageReranker {
    model: CrossEncoder,
}

#[wasm_bindgen]
impl PassageReranker {
    /// Checks a model pack and builds its graph. The layers are decoded, and the tables are read in place.
    #[wasm_bindgen(constructor)]
    pub fn new(pack: Vec<u8>) -> Result<Self, JsValue> {
        let pack = ModelPack::open(SharedBytes::new(pack)).map_err(|error| bad_model(error.into()))?;
        Ok(Self { model: CrossEncoder::from_pack(&pack).map_err(bad_model)? })
    }

    /// Orders hits with these `scores`. The model reads `texts`, which belong to the first hits. The site owner has
    /// pinned the first `pinned` hits. Returns three numbers for each hit as a `Float32Array`: its previous place, its
    /// score, and how well it answers the question, or -1 if the model has not read it.
    #[expect(clippy::needless_pass_by_value, reason = "lists of texts come no other way")]
    pub fn rerank(
        &self,
        question: &str,
        texts: Vec<String>,
        scores: Vec<f32>,
        pinned: usize,
    ) -> Result<Vec<f32>, JsValue> {
        let read: Vec<&str> = texts.iter().map(String::as_str).collect();
        let relevance = self.model.scores(question, &read).map_err(bad_model)?;
        let document = |(place, score)| Reranked {
            place,
            score,
            pinned: place < pinned,
            relevance: relevance.get(place).copied(),
        };
        let mut order: Vec<Reranked> = scores.into_iter().enumerate().map(document).collect();
        rerank(&mut order, texts.len(), RERANK_WEIGHT);
        let row = |found: Reranked| [found.place as f32, found.score, found.relevance.unwrap_or(-1.0)];
        Ok(order.into_iter().flat_map(row).collect())
    }
}
