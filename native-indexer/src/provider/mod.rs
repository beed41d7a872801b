//! Models of others, over HTTP: embeddings by any of five protocols. Nothing is sent anywhere unless a setting names where to.

mod client;
mod embedding;
mod embedding_wire;
mod key;
mod probe;
mod settings;

pub use embedding::EmbeddingProvider;
pub use probe::{is_same_model, probe_mark};
pub use settings::{EmbeddingKind, EmbeddingSettings, ProviderSettings};
