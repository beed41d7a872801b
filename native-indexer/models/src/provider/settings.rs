//! The providers to use: the tables of a `nearfind.toml` that name them.

use super::embedding_settings::EmbeddingSettings;
use super::language_settings::LanguageSettings;
use super::rerank_settings::RerankSettings;
use serde::Deserialize;

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
