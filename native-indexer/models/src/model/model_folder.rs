//! Properties that a model's folder declares, and properties that a user sets instead.

use anyhow::{Context as _, Result, bail, ensure};
use nearfind_base::real_path::real_path;
use nearfind_core::embed::Pooling;
use std::path::Path;

/// Maximum size in bytes of a model's file.
const MAX_MODEL_BYTES: u64 = 4 << 30;

/// Properties that the model's files do not contain or get wrong.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// Name of the pack. Default: the name of the folder or file.
    pub name: Option<String>,
    /// Pooling. Default: the pooling config, or else mean.
    pub pooling: Option<Pooling>,
    /// Number of tokens that the model reads from a text. Default: the model's configuration.
    pub max_tokens: Option<u32>,
    /// Number of components to keep in each vector, for models that are trained for that. Default: all.
    pub dimensions: Option<u32>,
    /// Prefix of each query. Default: the model's configuration.
    pub query_prefix: Option<String>,
    /// Prefix of each passage. Default: the model's configuration.
    pub passage_prefix: Option<String>,
}

/// Returns the pack's name: the requested name, or else the name of `path`.
pub(super) fn pack_name(path: &Path, options: &ImportOptions) -> Result<String> {
    let own = || {
        let absolute = real_path(path).ok()?;
        let name = absolute.file_stem().filter(|_| absolute.is_file()).or(absolute.file_name())?;
        Some(name.to_string_lossy().into_owned())
    };
    let name = options.name.clone().or_else(own).context("name the model with --name")?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    ensure!(name.chars().all(plain) && !name.is_empty(), "model name {name:?}: use letters, digits, `-`, `_` and `.`");
    Ok(name)
}

/// Reads a file of the model.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let length = std::fs::metadata(path).with_context(|| format!("{} is missing", path.display()))?.len();
    ensure!(
        length <= MAX_MODEL_BYTES,
        "{}: {length} bytes are more than the limit of {MAX_MODEL_BYTES}",
        path.display()
    );
    std::fs::read(path).with_context(|| path.display().to_string())
}

/// Reads a JSON file of the model. Returns `None` if there is no such file.
pub(super) fn read_json(path: &Path) -> Result<Option<serde_json::Value>> {
    if !path.exists() {
        return Ok(None);
    }
    let value = serde_json::from_slice(&read(path)?).with_context(|| format!("{}: not JSON", path.display()))?;
    Ok(Some(value))
}

/// Returns the requested pooling, or else the folder's, or else mean.
pub(super) fn pooling(folder: &Path, options: &ImportOptions) -> Result<Pooling> {
    if let Some(pooling) = options.pooling {
        return Ok(pooling);
    }
    let path = folder.join("1_Pooling").join("config.json");
    let Some(config) = read_json(&path)? else { return Ok(Pooling::Mean) };
    let says = |mode: &str| config.get(mode).and_then(serde_json::Value::as_bool) == Some(true);
    match (says("pooling_mode_mean_tokens"), says("pooling_mode_cls_token")) {
        (true, false) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::Cls),
        _ => bail!("{}: only mean and cls pooling are supported; choose one with --pooling", path.display()),
    }
}

/// Returns the number of tokens that the model reads from a text: the requested number, or else the folder's, at most
/// `positions`.
pub(super) fn max_tokens(folder: &Path, options: &ImportOptions, positions: u32) -> Result<u32> {
    let config = read_json(&folder.join("sentence_bert_config.json"))?;
    let own = config.as_ref().and_then(|config| config.get("max_seq_length")?.as_u64()).map(|tokens| tokens as u32);
    let tokens = options.max_tokens.or(own).unwrap_or(positions);
    ensure!((16..=positions).contains(&tokens), "a maximum of {tokens} tokens is not possible: use 16 to {positions}");
    Ok(tokens)
}

/// Whether vectors are scaled to unit length. This is the case unless there is a `modules.json` that does not list the
/// module for it.
pub(super) fn normalizes(folder: &Path) -> Result<bool> {
    let modules = read_json(&folder.join("modules.json"))?;
    Ok(modules.is_none_or(|modules| modules.to_string().contains("Normalize")))
}

/// Names of the query prompt in model configurations.
pub(super) const QUERY_PROMPTS: [&str; 3] = ["query", "search_query", "s2p_query"];
/// Names of the passage prompt in model configurations.
pub(super) const PASSAGE_PROMPTS: [&str; 3] = ["passage", "document", "search_document"];

/// Returns the prefix: the requested prefix, or else the prompt with one of `names`, or else an empty text.
pub(super) fn prefix(folder: &Path, asked: Option<&str>, names: [&str; 3]) -> Result<String> {
    if let Some(asked) = asked {
        return Ok(asked.to_owned());
    }
    let config = read_json(&folder.join("config_sentence_transformers.json"))?;
    let prompt = |config: &serde_json::Value| {
        let prompts = &config["prompts"];
        names.iter().find_map(|name| Some(prompts[name].as_str()?.to_owned()))
    };
    Ok(config.as_ref().and_then(prompt).unwrap_or_default())
}

/// Returns the number of components to keep in each vector: the requested number, or else all `own`.
pub(super) fn dimensions(options: &ImportOptions, own: u32) -> Result<u32> {
    let dimensions = options.dimensions.unwrap_or(own);
    ensure!((1..=own).contains(&dimensions), "{dimensions} dimensions are not possible: use 1 to {own}");
    Ok(dimensions)
}
