//! The providers to use: the tables of a `nearfind.toml` that name them.

use super::embedding_settings::EmbeddingSettings;
use super::language_settings::LanguageSettings;
use super::rerank_settings::RerankSettings;
use serde::Deserialize;

/// All tables. A missing table is not used.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSettings {
    /// Model that computes vectors instead of one on this machine.
    pub embedding: Option<EmbeddingSettings>,
    /// Model that reads the question and a document together.
    pub rerank: Option<RerankSettings>,
    /// Model that writes reports, and texts about passages during indexing.
    pub language_model: Option<LanguageSettings>,
}
