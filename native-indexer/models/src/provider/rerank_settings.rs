//! The table `[rerank]`: the model that reads the question and a document together.

use super::embedding_settings::{EmbeddingKind, EmbeddingSettings};
use super::key::Key;
use super::server_settings::{self, base_url};
use anyhow::{Context as _, Result, bail};
use nearfind_core::rank::RERANK_WEIGHT;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// Protocol of a reranking server, or a model on this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RerankKind {
    /// The protocol is recognized from the answers.
    #[default]
    Auto,
    /// Cohere's API, which vLLM, Jina and others support.
    Cohere,
    /// Text Embeddings Inference.
    Tei,
    /// A cross-encoder on this machine.
    Local,
}

/// `[rerank]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RerankSettings {
    /// Protocol of the server.
    pub provider: RerankKind,
    /// Name of the model at the provider; on this machine, the name or path of a pack.
    pub model: Option<String>,
    /// Address of the server. Default: the address for embeddings.
    pub base_url: Option<String>,
    /// Address to send requests to, or a path relative to `base_url`.
    pub url: Option<String>,
    /// Environment variable with the key. Default: RERANK_API_KEY, if it is set.
    pub key_variable: Option<String>,
    /// Maximum number of documents per request; never more than the model accepts.
    pub batch_texts: Option<u32>,
    /// Maximum time to wait for a response, in seconds.
    pub timeout: Option<u32>,
    /// Number of documents to score: the best ones by words and meaning.
    pub candidates: Option<u32>,
    /// Weight of the model, from 0 to 1. Words and meaning share the rest.
    pub weight: Option<f32>,
}

/// Default address of requests.
const RERANK_PATH: &str = "rerank";
const COHERE_HOST: &str = "api.cohere.com";
const COHERE_RERANK: &str = "https://api.cohere.com/v2/rerank";
/// Maximum number of documents that a model accepts at once, by a part of its name.
const RERANK_CAPS: [(&str, u32); 3] =
    [("qwen3-reranker-8b", 64), ("qwen3-reranker-4b", 96), ("qwen3-reranker-0.6b", 128)];
/// Maximum number of documents for other models.
const RERANK_CAP: u32 = 128;
/// Default wait for an answer, in seconds.
const RERANK_TIMEOUT: u32 = 30;
/// Default number of documents to score.
const CANDIDATES: u32 = 50;

impl RerankSettings {
    /// Returns the address of requests. The server for embeddings may score too.
    pub(super) fn address(&self, of_embedding: Option<&EmbeddingSettings>) -> Result<Url> {
        let is_cohere = self.provider == RerankKind::Cohere && self.base_url.is_none() && of_embedding.is_none();
        let usual = if is_cohere { COHERE_RERANK } else { RERANK_PATH };
        let path = self.url.as_deref().unwrap_or(usual);
        if path.contains("://") {
            let mut url = base_url(path).context("`url` in [rerank]")?;
            let without_slash = url.path().trim_end_matches('/').to_owned();
            url.set_path(&without_slash);
            return Ok(url);
        }
        let base = match (&self.base_url, of_embedding) {
            (Some(base), _) => base_url(base)?,
            (None, Some(embedding)) => embedding.base()?,
            (None, None) => bail!("[rerank] has no server: set base_url, or set url to an address"),
        };
        Ok(base.join(path.trim_start_matches('/'))?)
    }

    /// Returns the key for `address`: from key_variable, or else from a usual variable. If the server also embeds, its
    /// key is used.
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

    /// Returns the number of documents in a request, at most the known limit of the model.
    pub(super) fn batch_texts(&self) -> usize {
        let model = self.model.as_deref().unwrap_or_default().to_lowercase();
        let known = RERANK_CAPS.iter().find(|(name, _)| model.contains(name)).map_or(RERANK_CAP, |(_, cap)| *cap);
        self.batch_texts.map_or(known, |wanted| wanted.clamp(1, known)) as usize
    }

    pub(super) fn timeout(&self) -> Duration {
        server_settings::timeout(self.timeout, RERANK_TIMEOUT)
    }

    /// Returns the number of documents to score.
    pub fn candidates(&self) -> usize {
        self.candidates.unwrap_or(CANDIDATES).max(1) as usize
    }

    /// Returns the weight of the model, 0 to 1.
    pub fn weight(&self) -> f32 {
        self.weight.filter(|weight| weight.is_finite()).unwrap_or(RERANK_WEIGHT).clamp(0.0, 1.0)
    }
}
