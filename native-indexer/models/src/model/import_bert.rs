//! Imports a sentence-transformers folder with BERT, RoBERTa or MPNet: `config.json`, `model.safetensors`,
//! `tokenizer.json` and the pooling config.

use super::import_tokenizer;
use super::model_folder::{self, ImportOptions};
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_core::embed::model_pack::{Architecture, BertShape, PackHeader, write_pack};
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct Config {
    model_type: String,
    hidden_size: u32,
    num_hidden_layers: u32,
    num_attention_heads: u32,
    intermediate_size: u32,
    max_position_embeddings: u32,
    vocab_size: u32,
    layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
    #[serde(default)]
    relative_attention_num_buckets: u32,
    #[serde(default)]
    architectures: Vec<String>,
    #[serde(default)]
    id2label: BTreeMap<String, String>,
}

/// Architecture name in checkpoints that score a passage for a question.
const CROSS_ENCODER: &str = "BertForSequenceClassification";
/// Tensors of the layer that turns the first token's vector into a score.
const HEAD: [&str; 4] = ["pooler.dense.weight", "pooler.dense.bias", "classifier.weight", "classifier.bias"];
/// Returns the number of rows before the first position in the position table of this type of model: two for RoBERTa,
/// its relatives and MPNet.
pub(super) fn rows_before_first(model_type: &str) -> u32 {
    let of_family = ["mpnet", "camembert", "xlm-roberta-xl", "xmod", "longformer"];
    if is_roberta(model_type) || of_family.contains(&model_type) { 2 } else { 0 }
}

fn is_roberta(model_type: &str) -> bool {
    matches!(model_type, "roberta" | "xlm-roberta")
}

/// Returns the name of a BERT tensor in an MPNet checkpoint.
fn mpnet_name(name: &str) -> String {
    let parts = [
        ("attention.self.query", "attention.attn.q"),
        ("attention.self.key", "attention.attn.k"),
        ("attention.self.value", "attention.attn.v"),
        ("attention.output.dense", "attention.attn.o"),
        ("attention.output.LayerNorm", "attention.LayerNorm"),
    ];
    let part = parts.into_iter().find(|(bert, _)| name.contains(bert));
    part.map_or_else(|| name.to_owned(), |(bert, mpnet)| name.replace(bert, mpnet))
}

/// Returns the names of the tensors that the graph reads.
fn tensor_names(shape: &BertShape) -> Vec<String> {
    let mut names: Vec<String> =
        ["word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight"]
            .map(|name| format!("embeddings.{name}"))
            .to_vec();
    let mut with_bias = vec!["embeddings.LayerNorm".to_owned()];
    names.extend((shape.distances > 0).then(|| "encoder.relative_attention_bias.weight".to_owned()));
    for layer in 0..shape.layers {
        let modules = [
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "attention.output.LayerNorm",
            "intermediate.dense",
            "output.dense",
            "output.LayerNorm",
        ];
        with_bias.extend(modules.map(|module| format!("encoder.layer.{layer}.{module}")));
    }
    names.extend(with_bias.iter().flat_map(|name| [format!("{name}.weight"), format!("{name}.bias")]));
    names
}

pub(super) fn import(folder: &Path, options: &ImportOptions) -> Result<Vec<u8>> {
    let path = folder.join("config.json");
    let config: Config =
        serde_json::from_slice(&model_folder::read(&path)?).with_context(|| path.display().to_string())?;
    let absolute = config.position_embedding_type.as_deref().is_none_or(|kind| kind == "absolute");
    let is_mpnet = config.model_type == "mpnet";
    let is_roberta = is_roberta(&config.model_type);
    ensure!(
        (config.model_type == "bert" || is_roberta || is_mpnet) && config.hidden_act == "gelu" && absolute,
        "{}: from safetensors, only BERT, RoBERTa and MPNet encoders with exact GELU and absolute positions can be \
        imported; import its onnx/model.onnx, or export the model to ONNX",
        path.display()
    );
    let scores = config.architectures.iter().any(|name| name == CROSS_ENCODER);
    ensure!(
        !scores || config.id2label.len() == 1,
        "{}: its output has {} classes, but a cross-encoder outputs one number",
        path.display(),
        config.id2label.len()
    );
    let first_position = rows_before_first(&config.model_type);
    ensure!(
        config.num_hidden_layers <= 48,
        "{}: the model has {} layers, more than the limit of 48",
        path.display(),
        config.num_hidden_layers
    );
    let tokenizer = import_tokenizer::import(&folder.join("tokenizer.json"))?;
    tokenizer.check_rows(config.vocab_size).with_context(|| folder.display().to_string())?;
    let shape = BertShape {
        hidden: config.hidden_size,
        layers: config.num_hidden_layers,
        heads: config.num_attention_heads,
        intermediate: config.intermediate_size,
        positions: config.max_position_embeddings.saturating_sub(first_position),
        vocabulary: config.vocab_size,
        epsilon: config.layer_norm_eps,
        distances: if is_mpnet { config.relative_attention_num_buckets } else { 0 },
        two_texts: scores,
    };
    let weights_path = folder.join("model.safetensors");
    let weights = model_folder::read(&weights_path)?;
    let tensors = SafeTensors::deserialize(&weights).with_context(|| weights_path.display().to_string())?;
    let mut blobs = vec![tokenizer.blob];
    let row_bytes = shape.hidden as usize * 4;
    let of_head = scores.then_some(HEAD).into_iter().flatten().map(str::to_owned);
    for name in tensor_names(&shape).into_iter().chain(of_head) {
        if is_mpnet && name.ends_with("token_type_embeddings.weight") {
            // The model has no sentence types.
            blobs.push((name, vec![0; row_bytes]));
            continue;
        }
        let (own, prefix) = match (is_mpnet, is_roberta) {
            (true, _) => (mpnet_name(&name), "mpnet"),
            (_, true) => (name.clone(), "roberta"),
            _ => (name.clone(), "bert"),
        };
        let tensor = tensors
            .tensor(&own)
            .or_else(|_| tensors.tensor(&format!("{prefix}.{own}")))
            .with_context(|| format!("{}: tensor {own} is missing", weights_path.display()))?;
        let mut bytes = as_f32(tensor.dtype(), tensor.data())
            .with_context(|| format!("{}: tensor {own}", weights_path.display()))?;
        if name.ends_with("token_type_embeddings.weight") {
            bytes.truncate(row_bytes * shape.kinds());
        } else if name.ends_with("position_embeddings.weight") {
            bytes.drain(..(first_position as usize * row_bytes).min(bytes.len()));
        }
        blobs.push((name, bytes));
    }
    let header = PackHeader {
        name: model_folder::pack_name(folder, options)?,
        dimensions: model_folder::dimensions(options, shape.hidden)?,
        max_tokens: model_folder::max_tokens(folder, options, shape.positions)?,
        pooling: model_folder::pooling(folder, options)?,
        normalize: model_folder::normalizes(folder)?,
        query_prefix: model_folder::prefix(folder, options.query_prefix.as_deref(), model_folder::QUERY_PROMPTS)?,
        passage_prefix: model_folder::prefix(folder, options.passage_prefix.as_deref(), model_folder::PASSAGE_PROMPTS)?,
        scores,
        architecture: Architecture::Bert(shape),
        tokenizer: tokenizer.options,
        blobs: Vec::new(),
        rows: None,
    };
    Ok(write_pack(header, &blobs))
}

/// Returns the values of a tensor as f32, little-endian.
fn as_f32(kind: Dtype, data: &[u8]) -> Result<Vec<u8>> {
    match kind {
        Dtype::F32 => Ok(data.to_vec()),
        Dtype::BF16 => Ok(data.as_chunks().0.iter().flat_map(|[low, high]: &[u8; 2]| [0, 0, *low, *high]).collect()),
        other => bail!("numbers of type {other:?} are not supported; save the model as F32"),
    }
}
