//! The table `[language_model]`: the model that writes texts.

use super::key::Key;
use super::server_settings::{self, base_url};
use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// Protocol of a server with a language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LanguageKind {
    /// OpenAI's chat completions API, which many servers support.
    OpenAi,
    /// Ollama's own.
    Ollama,
    /// The messages of Anthropic.
    Anthropic,
}

/// `[language_model]`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LanguageSettings {
    /// Protocol of the server.
    pub provider: LanguageKind,
    /// Name of the model at the provider.
    pub model: String,
    /// Address of the server. Default: the provider's usual one.
    pub base_url: Option<String>,
    /// Environment variable with the key. Default: the provider's usual one, if it is set.
    pub key_variable: Option<String>,
    /// Whether the model writes questions for each passage during indexing.
    #[serde(default)]
    pub questions: bool,
    /// Whether the model writes a line about each document during indexing.
    #[serde(default)]
    pub summaries: bool,
    /// Whether the model describes pictures in documents during indexing. It must accept pictures.
    #[serde(default)]
    pub pictures: bool,
    /// Number of concurrent requests.
    pub requests: Option<u32>,
    /// Maximum time to wait for a response, in seconds.
    pub timeout: Option<u32>,
    /// Number of retries after errors that a retry may fix.
    pub retries: Option<u32>,
    /// Maximum number of tokens that one run of the indexer may send.
    pub budget_tokens: Option<u64>,
}

/// Default wait for an answer, in seconds.
const TIMEOUT: u32 = 120;
/// Default number of retries.
const RETRIES: u32 = 3;
/// Default limit of tokens. A run that would exceed it stops first.
const BUDGET_TOKENS: u64 = 5_000_000;

impl LanguageKind {
    /// Returns the provider's public address, or the one its server listens on by default.
    const fn usual_base(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }

    /// Returns the environment variable that usually holds its key.
    const fn usual_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["OPENAI_API_KEY"],
            Self::Ollama => &["OLLAMA_API_KEY"],
            Self::Anthropic => &["ANTHROPIC_API_KEY"],
        }
    }
}

impl LanguageSettings {
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
        server_settings::timeout(self.timeout, TIMEOUT)
    }

    /// Tokens that one run of the indexer may send, at most.
    pub fn budget_tokens(&self) -> u64 {
        self.budget_tokens.unwrap_or(BUDGET_TOKENS)
    }

    /// Whether it writes anything during indexing.
    pub fn writes_for_index(&self) -> bool {
        self.questions || self.summaries
    }

    /// Returns the hash that identifies its texts, 64 hexadecimal digits.
    pub fn identity(&self) -> String {
        blake3::hash(format!("{:?} {}", self.provider, self.model).as_bytes()).to_hex().to_string()
    }
}
