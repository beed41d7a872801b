//! The table `[embedding]`: the model that makes vectors.

use super::key::Key;
use super::server_settings::{self, base_url};
use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// What a server that embeds speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingKind {
    /// The API of OpenAI, which many servers speak.
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
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// What the server speaks.
    pub provider: EmbeddingKind,
    /// The model, as the provider calls it.
    pub model: String,
    /// Where the server is; if not given, where the provider's authors have it.
    pub base_url: Option<String>,
    /// Components to ask for, of models that can give fewer.
    pub dimensions: Option<u32>,
    /// The environment variable that holds the key; if not given, the provider's usual one, if it is set.
    pub key_variable: Option<String>,
    /// Texts of a request, at most; never more than the provider takes.
    pub batch_texts: Option<u32>,
    /// Requests under way at a time.
    pub requests: Option<u32>,
    /// Seconds that an answer may take.
    pub timeout: Option<u32>,
    /// Tries after the first, where another may help.
    pub retries: Option<u32>,
    /// Tokens that one run may send, at most.
    pub budget_tokens: Option<u64>,
    /// What the model wants before a question, as in `query: `.
    #[serde(default)]
    pub query_prefix: String,
    /// What the model wants before a passage, as in `passage: `.
    #[serde(default)]
    pub passage_prefix: String,
}

/// Seconds for an answer, unless the settings say otherwise.
const EMBEDDING_TIMEOUT: u32 = 60;
/// While texts are indexed, a server may be away for half a minute.
const RETRIES: u32 = 6;
/// A run that would send more stops before it does.
const BUDGET_TOKENS: u64 = 20_000_000;

impl EmbeddingKind {
    /// The address that the provider's authors have, or that its server listens to.
    const fn usual_base(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Tei => "http://127.0.0.1:8080",
            Self::Ollama => "http://127.0.0.1:11434",
            Self::Cohere => "https://api.cohere.com",
            Self::Voyage => "https://api.voyageai.com/v1",
        }
    }

    /// Variables that hold its key by convention.
    pub(super) const fn usual_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["OPENAI_API_KEY"],
            Self::Tei => &["TEI_API_KEY"],
            Self::Ollama => &["OLLAMA_API_KEY"],
            Self::Cohere => &["COHERE_API_KEY", "CO_API_KEY"],
            Self::Voyage => &["VOYAGE_API_KEY"],
        }
    }

    /// Whether it tells questions from passages.
    pub(super) const fn has_roles(self) -> bool {
        matches!(self, Self::Cohere | Self::Voyage)
    }

    /// Texts that it takes in a request.
    pub(super) const fn most_texts(self) -> usize {
        match self {
            Self::OpenAi => 2048,
            Self::Tei | Self::Ollama => 512,
            Self::Cohere => 96,
            Self::Voyage => 1000,
        }
    }

    /// Tokens that it takes in a request: with less than half of them the count of another tokenizer does no harm.
    pub(super) const fn most_tokens(self) -> usize {
        match self {
            Self::OpenAi => 120_000,
            Self::Tei | Self::Ollama | Self::Cohere | Self::Voyage => 50_000,
        }
    }
}

impl EmbeddingSettings {
    /// Where requests go.
    pub(super) fn base(&self) -> Result<Url> {
        base_url(self.base_url.as_deref().unwrap_or_else(|| self.provider.usual_base()))
    }

    /// The key of the environment, if there is one.
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

    /// Hash of what tells its vectors from those of other models, 64 hexadecimal digits. Where they are asked for is not part
    /// of it: a server may move. The `generation` counts models that a provider has had under one name.
    pub fn identity(&self, generation: u32) -> String {
        let prefixes = (&self.query_prefix, &self.passage_prefix);
        let all = ("provider", generation, &self.model, self.dimensions, self.provider.has_roles(), prefixes);
        blake3::hash(format!("{all:?}").as_bytes()).to_hex().to_string()
    }
}
