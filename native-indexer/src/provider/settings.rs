//! Which providers are asked: the tables of a nearfind.toml that name them, and what all of them have.

use super::embedding_settings::EmbeddingSettings;
use super::language_settings::LanguageSettings;
use super::rerank_settings::RerankSettings;
use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
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
    /// The model that writes reports, and for passages when they are indexed.
    pub language_model: Option<LanguageSettings>,
}

/// Requests under way at a time, unless the settings say otherwise.
const REQUESTS: u32 = 4;

/// Requests under way at a time, at most as many as a server bears.
pub(super) fn requests(wanted: Option<u32>) -> usize {
    wanted.unwrap_or(REQUESTS).clamp(1, 64) as usize
}

/// How long an answer may take: so many seconds, `usual` unless the settings say otherwise.
pub(super) fn timeout(wanted: Option<u32>, usual: u32) -> Duration {
    Duration::from_secs(wanted.unwrap_or(usual).max(1).into())
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
