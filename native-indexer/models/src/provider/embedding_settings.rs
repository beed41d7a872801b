//! The table `[embedding]`: the model that computes vectors.

use super::key::Key;
use super::server_settings::{self, base_url};
use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// Protocol of an embedding server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingKind {
    /// OpenAI's API, which many servers support.
    OpenAi,
    /// Text Embeddings Inference.
    Tei,
    /// Ollama's own.
    Ollama,
    /// The API of Cohere.
    Cohere,
    /// The API of Voyage AI.
    Voyage,
}

/// `[embedding]`.
///
/// ```
/// use nearfind_models::provider::{EmbeddingKind, EmbeddingSettings};
///
/// // As in `nearfind.toml`.
/// let table = r#"{ "provider": "openai", "model": "text-embedding-3-small" }"#;
/// let settings: EmbeddingSettings = serde_json::from_str(table)?;
/// assert_eq!(settings.provider, EmbeddingKind::OpenAi);
/// assert_eq!(settings.base_url, None);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// The schema has no examples.
#[schemars(description = "`[embedding]`.")]
pub struct EmbeddingSettings {
    /// Protocol of the server.
    pub provider: EmbeddingKind,
    /// Name of the model at the provider.
    pub model: String,
    /// Address of the server. Default: the provider's usual one.
    pub base_url: Option<String>,
    /// Number of components to request per vector, for models that can return fewer.
    pub dimensions: Option<u32>,
    /// Environment variable with the key. Default: the provider's usual one, if it is set.
    pub key_variable: Option<String>,
    /// Maximum number of texts per request; never more than the provider accepts.
    pub batch_texts: Option<u32>,
    /// Number of concurrent requests.
    pub requests: Option<u32>,
    /// Maximum time to wait for a response, in seconds.
    pub timeout: Option<u32>,
    /// Number of retries after errors that a retry may fix.
    pub retries: Option<u32>,
    /// Maximum number of tokens that one run may send.
    pub budget_tokens: Option<u64>,
    /// Prefix for questions, such as `query: `.
    #[serde(default)]
    pub query_prefix: String,
    /// Prefix for passages, such as `passage: `.
    #[serde(default)]
    pub passage_prefix: String,
}

/// Default wait for an answer, in seconds.
const EMBEDDING_TIMEOUT: u32 = 60;
/// Default number of retries: during indexing, a server may be unavailable for half a minute.
const RETRIES: u32 = 6;
/// Default limit of tokens. A run that would exceed it stops first.
const BUDGET_TOKENS: u64 = 20_000_000;

impl EmbeddingKind {
    /// Returns the provider's public address, or the one its server listens on by default.
    const fn usual_base(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Tei => "http://127.0.0.1:8080",
            Self::Ollama => "http://127.0.0.1:11434",
            Self::Cohere => "https://api.cohere.com",
            Self::Voyage => "https://api.voyageai.com/v1",
        }
    }

    /// Returns the environment variables that usually hold its key.
    pub(super) const fn usual_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["OPENAI_API_KEY"],
            Self::Tei => &["TEI_API_KEY"],
            Self::Ollama => &["OLLAMA_API_KEY"],
            Self::Cohere => &["COHERE_API_KEY", "CO_API_KEY"],
            Self::Voyage => &["VOYAGE_API_KEY"],
        }
    }

    /// Whether it distinguishes questions from passages.
    pub(super) const fn has_roles(self) -> bool {
        matches!(self, Self::Cohere | Self::Voyage)
    }

    /// Returns the most texts that it accepts in a request.
    pub(super) const fn most_texts(self) -> usize {
        match self {
            Self::OpenAi => 2048,
            Self::Tei | Self::Ollama => 512,
            Self::Cohere => 96,
            Self::Voyage => 1000,
        }
    }

    /// Returns the most tokens that it accepts in a request. Requests use less than half, because our tokenizer counts
    /// differently.
    pub(super) const fn most_tokens(self) -> usize {
        match self {
            Self::OpenAi => 120_000,
            Self::Tei | Self::Ollama | Self::Cohere | Self::Voyage => 50_000,
        }
    }
}

impl EmbeddingSettings {
    /// Returns the address of requests.
    pub(super) fn base(&self) -> Result<Url> {
        base_url(self.base_url.as_deref().unwrap_or_else(|| self.provider.usual_base()))
    }

    /// Returns the key from the environment, if there is one.
    pub(super) fn key(&self) -> Result<Option<Key>> {
        Key::of_environment(self.key_variable.as_deref(), self.provider.usual_variables())
    }

    pub(super) fn requests(&self) -> usize {
        server_settings::requests(self.requests)
    }

    pub(super) fn retries(&self) -> usize {
        self.retries.unwrap_or(RETRIES) as usize
    }

    pub(super) fn timeout(&self) -> Duration {
        server_settings::timeout(self.timeout, EMBEDDING_TIMEOUT)
    }

    /// Tokens that one run may send, at most.
    pub fn budget_tokens(&self) -> u64 {
        self.budget_tokens.unwrap_or(BUDGET_TOKENS)
    }

    /// Returns the hash that identifies its vectors, 64 hexadecimal digits. The address is not part of it, because a
    /// server may move. `generation` counts the models that a provider has had under one name.
    pub fn identity(&self, generation: u32) -> String {
        let prefixes = (&self.query_prefix, &self.passage_prefix);
        let all = ("provider", generation, &self.model, self.dimensions, self.provider.has_roles(), prefixes);
        blake3::hash(format!("{all:?}").as_bytes()).to_hex().to_string()
    }
}
