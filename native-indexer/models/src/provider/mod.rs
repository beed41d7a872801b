//! Provider models over HTTP: embeddings, reranking, language models and OCR. Nothing is sent to an address unless a
//! setting names it.

mod batches;
mod chat_wire;
mod client;
mod embedding;
mod embedding_settings;
mod embedding_wire;
mod key;
mod language_model;
mod language_settings;
mod ocr_service;
mod picture_error;
mod probe;
mod rerank_settings;
mod rerank_wire;
mod reranker;
mod server_settings;
mod settings;

pub use embedding::EmbeddingProvider;
pub use embedding_settings::{EmbeddingKind, EmbeddingSettings};
pub use language_model::LanguageModel;
pub use language_settings::{LanguageKind, LanguageSettings};
pub use ocr_service::OcrService;
pub use picture_error::PictureError;
pub use probe::{is_same_model, probe_mark};
pub use rerank_settings::{RerankKind, RerankSettings};
pub use reranker::RemoteReranker;
pub use settings::ProviderSettings;
