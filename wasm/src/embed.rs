//! A model that turns text into vectors.

use crate::error::js_error;
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::embed::{EmbedError, Encoder, SharedBytes};
use wasm_bindgen::prelude::*;

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` calls")]
fn bad_model(error: EmbedError) -> JsValue {
    js_error("bad-model", &error)
}

/// A model ready to encode.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ModelEncoder {
    encoder: Encoder,
}

#[wasm_bindgen]
impl ModelEncoder {
    /// Checks a model pack and builds its graph, which reads the bytes in place.
    #[wasm_bindgen(constructor)]
    pub fn new(pack: Vec<u8>) -> Result<Self, JsValue> {
        let pack = ModelPack::open(SharedBytes::new(pack)).map_err(|error| bad_model(error.into()))?;
        Ok(Self { encoder: Encoder::from_pack(&pack).map_err(bad_model)? })
    }

    /// The pack's hash: must be the one that the bundle names.
    pub fn hash(&self) -> String {
        self.encoder.hash().to_owned()
    }

    /// The vector of `text`, as a `Float32Array`.
    pub fn encode(&self, text: &str) -> Result<Vec<f32>, JsValue> {
        self.encoder.encode_query(text).map_err(bad_model)
    }
}
