//! Which providers are asked, and how: the tables `[embedding]` and `[rerank]` of a nearfind.toml.

use super::key::Key;
use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// All tables; what is not there is not used.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSettings {
    /// What makes vectors in place of a model of this machine.
    pub embedding: Option<EmbeddingSettings>,
    /// What reads question and documents together.
    pub rerank: Option<RerankSettings>,
}

/// What a server that reranks speaks, or that none is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RerankKind {
    /// What its answers look like.
    #[default]
    Auto,
    /// The API of Cohere, which vLLM, Jina and others speak.
    Cohere,
    /// Text Embeddings Inference.
    Tei,
    /// A cross-encoder of this machine.
    Local,
}

/// `[rerank]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RerankSettings {
    /// What the server speaks.
    pub provider: RerankKind,
    /// The model, as the provider calls it; of this machine the name or path of a pack.
    pub model: Option<String>,
    /// Where the server is; if not given, where that of the embeddings is.
    pub base_url: Option<String>,
    /// Where requests go: an address, or a path below `base_url`.
    pub url: Option<String>,
    /// The environment variable that holds the key; if not given, RERANK_API_KEY, if it is set.
    pub key_variable: Option<String>,
    /// Documents of a request, at most; never more than the model takes.
    pub batch_texts: Option<u32>,
    /// Seconds that an answer may take.
    pub timeout: Option<u32>,
    /// Documents that are scored, the best by words and meaning.
    pub candidates: Option<u32>,
    /// What the model counts, 0 to 1; words and meaning count the rest.
    pub weight: Option<f32>,
}

/// What a server that embeds speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Deserialize)]
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

/// Where requests for scores go, unless the settings say otherwise.
const RERANK_PATH: &str = "rerank";
const COHERE_HOST: &str = "api.cohere.com";
const COHERE_RERANK: &str = "https://api.cohere.com/v2/rerank";
/// Documents that models take at once, by a part of their names.
const RERANK_CAPS: [(&str, u32); 3] =
    [("qwen3-reranker-8b", 64), ("qwen3-reranker-4b", 96), ("qwen3-reranker-0.6b", 128)];
/// That others take.
const RERANK_CAP: u32 = 128;
/// Seconds for scores, unless the settings say otherwise.
const RERANK_TIMEOUT: u32 = 30;
/// Documents that are scored, unless the settings say otherwise.
const CANDIDATES: u32 = 50;
/// What the model counts, unless the settings say otherwise.
const WEIGHT: f32 = 0.7;

/// Requests under way at a time, unless the settings say otherwise.
const REQUESTS: u32 = 4;
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
    const fn usual_variables(self) -> &'static [&'static str] {
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
        self.requests.unwrap_or(REQUESTS).clamp(1, 64) as usize
    }

    pub(super) fn retries(&self) -> usize {
        self.retries.unwrap_or(RETRIES) as usize
    }

    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout.unwrap_or(EMBEDDING_TIMEOUT).max(1).into())
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

impl RerankSettings {
    /// Where requests go. The server of the embeddings may be that of the scores too.
    pub(super) fn address(&self, of_embedding: Option<&EmbeddingSettings>) -> Result<Url> {
        let is_cohere = self.provider == RerankKind::Cohere && self.base_url.is_none() && of_embedding.is_none();
        let usual = if is_cohere { COHERE_RERANK } else { RERANK_PATH };
        let path = self.url.as_deref().unwrap_or(usual);
        if path.contains("://") {
            let mut url = base_url(path).context("url of [rerank]")?;
            let without_slash = url.path().trim_end_matches('/').to_owned();
            url.set_path(&without_slash);
            return Ok(url);
        }
        let base = match (&self.base_url, of_embedding) {
            (Some(base), _) => base_url(base)?,
            (None, Some(embedding)) => embedding.base()?,
            (None, None) => bail!("[rerank] does not say where its server is: give base_url, or url as an address"),
        };
        Ok(base.join(path.trim_start_matches('/'))?)
    }

    /// The key for `address`: that of key_variable, else one that is usual for it. Where it is the server of the embeddings, theirs.
    pub(super) fn key(&self, address: &Url, of_embedding: Option<&EmbeddingSettings>) -> Result<Option<Key>> {
        let own = Key::of_environment(self.key_variable.as_deref(), &["RERANK_API_KEY"])?;
        let origin =
            |settings: &&EmbeddingSettings| settings.base().is_ok_and(|base| base.origin() == address.origin());
        match of_embedding.filter(origin) {
            Some(embedding) if own.is_none() => embedding.key(),
            None if own.is_none() && address.host_str() == Some(COHERE_HOST) => {
                Key::of_environment(None, EmbeddingKind::Cohere.usual_variables())
            }
            _ => Ok(own),
        }
    }

    /// Documents of a request: what models are known to take at once, or fewer.
    pub(super) fn batch_texts(&self) -> usize {
        let model = self.model.as_deref().unwrap_or_default().to_lowercase();
        let known = RERANK_CAPS.iter().find(|(name, _)| model.contains(name)).map_or(RERANK_CAP, |(_, cap)| *cap);
        self.batch_texts.map_or(known, |wanted| wanted.clamp(1, known)) as usize
    }

    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout.unwrap_or(RERANK_TIMEOUT).max(1).into())
    }

    /// Documents that are scored.
    pub fn candidates(&self) -> usize {
        self.candidates.unwrap_or(CANDIDATES).max(1) as usize
    }

    /// What the model counts, 0 to 1.
    pub fn weight(&self) -> f32 {
        self.weight.filter(|weight| weight.is_finite()).unwrap_or(WEIGHT).clamp(0.0, 1.0)
    }
}

/// An address to which paths are added.
pub(super) fn base_url(text: &str) -> Result<Url> {
    let mut url = Url::parse(text).with_context(|| format!("base_url {text:?} is no address"))?;
    ensure!(
        matches!(url.scheme(), "http" | "https") && url.has_host(),
        "base_url {text:?}: an address begins with http:// or https://"
    );
    ensure!(
        url.username().is_empty() && url.password().is_none(),
        "base_url names a user or password: keys come from the environment, see key_variable"
    );
    let path = format!("{}/", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}
