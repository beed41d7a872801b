//! Code shared by tests that cross crates.

pub mod module_graph;
mod tiny_bert;

pub use tiny_bert::{write_tiny_bert, write_tiny_cross_encoder, write_tiny_mpnet, write_tiny_roberta};

use nearfind_models::model::{self, DEFAULT_MODEL, LoadedModel, ModelStore};
use std::path::PathBuf;

/// Loads the default model, which `tests/run.sh` puts into the store.
///
/// # Panics
/// If the store does not have the model.
pub fn default_model() -> LoadedModel {
    let store = ModelStore::open(std::env::var_os("NEARFIND_MODELS").map(PathBuf::from)).expect("a model store");
    let path = store.find(DEFAULT_MODEL.name).expect("the default model: run tests/run.sh, or `nearfind model fetch`");
    model::load(&path).expect("a sound pack")
}
