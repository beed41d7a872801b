//! Imports an ONNX encoder with a `tokenizer.json` beside it.

use super::import_bert::rows_before_first;
use super::import_tokenizer;
use super::model_folder::{self, ImportOptions};
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_core::embed::model_pack::{Architecture, ONNX_BLOB, PackHeader, write_pack};
use nearfind_core::embed::{OnnxModel, TokenModel as _, TokenOutput};
use std::path::Path;

/// Class names of models that return scores instead of vectors.
const CLASSIFIER: &str = "ForSequenceClassification";
/// Number of positions if no configuration specifies one. This is BERT's number.
const USUAL_POSITIONS: u32 = 512;

pub(super) fn import(onnx: &Path, options: &ImportOptions) -> Result<Vec<u8>> {
    let beside = onnx.parent().context("the model has no folder")?;
    // Hub folders keep the tokenizer one level above `onnx/`.
    let folders = [Some(beside), beside.parent()];
    let folder = folders.into_iter().flatten().find(|folder| folder.join("tokenizer.json").exists());
    let Some(folder) = folder else { bail!("{}: there is no tokenizer.json next to it", onnx.display()) };
    let tokenizer = import_tokenizer::import(&folder.join("tokenizer.json"))?;
    let graph = model_folder::read(onnx)?;
    let model = OnnxModel::parse(&graph).with_context(|| onnx.display().to_string())?;
    let config = model_folder::read_json(&folder.join("config.json"))?.unwrap_or_default();
    let positions = config["max_position_embeddings"].as_u64().map_or(USUAL_POSITIONS, |positions| positions as u32);
    let positions = positions.saturating_sub(rows_before_first(config["model_type"].as_str().unwrap_or_default()));
    if let Some(rows) = config["vocab_size"].as_u64() {
        tokenizer.check_rows(rows as u32).with_context(|| folder.display().to_string())?;
    }
    let probe = tokenizer.probe;
    let length = probe.len();
    let outputs = model.run(&[probe.into()]).map_err(anyhow::Error::msg).with_context(|| onnx.display().to_string())?;
    let dimensions = match &outputs[..] {
        [TokenOutput::Tokens(values)] => values.len() / length,
        [TokenOutput::Text(values)] => values.len(),
        _ => bail!("{}: it has {} outputs for one text", onnx.display(), outputs.len()),
    };
    let is_classifier = |name: &serde_json::Value| name.as_str().is_some_and(|name| name.ends_with(CLASSIFIER));
    let scores = config["architectures"].as_array().is_some_and(|names| names.iter().any(is_classifier));
    ensure!(
        !scores || dimensions == 1,
        "{}: its output has {dimensions} classes, but a cross-encoder outputs one number",
        onnx.display()
    );
    let named = if beside == folder && folder.join("config.json").exists() { folder } else { onnx };
    let header = PackHeader {
        name: model_folder::pack_name(named, options)?,
        dimensions: model_folder::dimensions(options, dimensions as u32)?,
        max_tokens: model_folder::max_tokens(folder, options, positions)?,
        pooling: model_folder::pooling(folder, options)?,
        normalize: model_folder::normalizes(folder)?,
        query_prefix: model_folder::prefix(folder, options.query_prefix.as_deref(), model_folder::QUERY_PROMPTS)?,
        passage_prefix: model_folder::prefix(folder, options.passage_prefix.as_deref(), model_folder::PASSAGE_PROMPTS)?,
        scores,
        architecture: Architecture::Onnx,
        tokenizer: tokenizer.options,
        blobs: Vec::new(),
        rows: None,
    };
    Ok(write_pack(header, &[tokenizer.blob, (ONNX_BLOB.to_owned(), graph)]))
}
