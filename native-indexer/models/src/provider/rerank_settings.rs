//! The table `[rerank]`: the model that reads a question and documents together.

use super::embedding_settings::{EmbeddingKind, EmbeddingSettings};
use super::key::Key;
use super::server_settings::{self, base_url};
use anyhow::{Context as _, Result, bail};
use nearfind_core::rank::RERANK_WEIGHT;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// What a server that reranks speaks, or that none is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
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
        server_settings::timeout(self.timeout, RERANK_TIMEOUT)
    }

    /// Documents that are scored.
    pub fn candidates(&self) -> usize {
        self.candidates.unwrap_or(CANDIDATES).max(1) as usize
    }

    /// What the model counts, 0 to 1.
    pub fn weight(&self) -> f32 {
        self.weight.filter(|weight| weight.is_finite()).unwrap_or(RERANK_WEIGHT).clamp(0.0, 1.0)
    }
}
