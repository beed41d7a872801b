//! Converts a model in any supported form to a checked pack.

#[cfg(not(feature = "onnx"))]
use self::without_onnx as import_onnx;
use super::import_bert;
#[cfg(feature = "onnx")]
use super::import_onnx;
use super::model_folder::ImportOptions;
use anyhow::{Context as _, Result, bail};
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::embed::{CrossEncoder, Encoder, SharedBytes};
use std::path::Path;

/// Imports a sentence-transformers folder, an ONNX file with its `tokenizer.json` beside it, or a folder that contains
/// both.
///
/// Opens the pack and runs it once before returning it, so a successful import always yields a working model.
pub fn import(path: &Path, options: &ImportOptions) -> Result<ModelPack<SharedBytes>> {
    let metadata =
        std::fs::metadata(path).with_context(|| format!("{}: pass a model folder or an .onnx file", path.display()))?;
    let bytes = if metadata.is_file() {
        import_onnx::import(path, options)?
    } else if path.join("model.safetensors").exists() {
        import_bert::import(path, options)?
    } else if let Some(onnx) =
        ["model.onnx", "onnx/model.onnx"].map(|file| path.join(file)).into_iter().find(|file| file.exists())
    {
        import_onnx::import(&onnx, options)?
    } else {
        bail!("{}: this folder contains neither model.safetensors nor model.onnx", path.display());
    };
    let pack = ModelPack::open(SharedBytes::new(bytes))?;
    let run = if pack.header().scores {
        CrossEncoder::from_pack(&pack).and_then(|model| model.scores("Does this model run?", &["It does."])).map(drop)
    } else {
        Encoder::from_pack(&pack).and_then(|encoder| encoder.encode_query("Does this model run?")).map(drop)
    };
    run.with_context(|| path.display().to_string())?;
    Ok(pack)
}

/// Replaces `import_onnx` in builds without the `onnx` feature.
#[cfg(not(feature = "onnx"))]
mod without_onnx {
    use super::{ImportOptions, Path, Result, bail};

    pub(super) fn import(onnx: &Path, _: &ImportOptions) -> Result<Vec<u8>> {
        bail!("{}: this build of nearfind cannot read ONNX models: build it with the `full` feature", onnx.display())
    }
}
