//! Models of others, over HTTP: embeddings and reranking. Nothing is sent anywhere unless a setting names where to.

mod batches;
mod client;
mod embedding;
mod embedding_wire;
mod key;
mod probe;
mod rerank_wire;
mod reranker;
mod settings;

pub use embedding::EmbeddingProvider;
pub use probe::{is_same_model, probe_mark};
pub use reranker::RemoteReranker;
pub use settings::{EmbeddingKind, EmbeddingSettings, ProviderSettings, RerankKind, RerankSettings};
