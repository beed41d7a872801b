//! The table `[language_model]`: the model that writes texts.

use super::key::Key;
use super::server_settings::{self, base_url};
use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// What a server with a language model speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LanguageKind {
    /// The chat completions of OpenAI, which many servers speak.
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
    /// What the server speaks.
    pub provider: LanguageKind,
    /// The model, as the provider calls it.
    pub model: String,
    /// Where the server is; if not given, where the provider's authors have it.
    pub base_url: Option<String>,
    /// The environment variable that holds the key; if not given, the provider's usual one, if it is set.
    pub key_variable: Option<String>,
    /// Whether it writes questions that each passage answers, when documents are indexed.
    #[serde(default)]
    pub questions: bool,
    /// Whether it writes a line on each document, when they are indexed.
    #[serde(default)]
    pub summaries: bool,
    /// Requests under way at a time.
    pub requests: Option<u32>,
    /// Seconds that an answer may take.
    pub timeout: Option<u32>,
    /// Tries after the first, where another may help.
    pub retries: Option<u32>,
    /// Tokens that one run of the indexer may send, at most.
    pub budget_tokens: Option<u64>,
}

/// Seconds for an answer, unless the settings say otherwise.
const TIMEOUT: u32 = 120;
/// Tries after the first, unless the settings say otherwise.
const RETRIES: u32 = 3;
/// A run that would send more stops before it does.
const BUDGET_TOKENS: u64 = 5_000_000;

impl LanguageKind {
    /// The address that the provider's authors have, or that its server listens to.
    const fn usual_base(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }

    /// The variable that holds its key by convention.
    const fn usual_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["OPENAI_API_KEY"],
            Self::Ollama => &["OLLAMA_API_KEY"],
            Self::Anthropic => &["ANTHROPIC_API_KEY"],
        }
    }
}

impl LanguageSettings {
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
        server_settings::timeout(self.timeout, TIMEOUT)
    }

    /// Tokens that one run of the indexer may send, at most.
    pub fn budget_tokens(&self) -> u64 {
        self.budget_tokens.unwrap_or(BUDGET_TOKENS)
    }

    /// Whether it is to write anything when documents are indexed.
    pub fn writes_for_index(&self) -> bool {
        self.questions || self.summaries
    }

    /// What tells its texts from those of other models: a hash, 64 hexadecimal digits.
    pub fn identity(&self) -> String {
        blake3::hash(format!("{:?} {}", self.provider, self.model).as_bytes()).to_hex().to_string()
    }
}
