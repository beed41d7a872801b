//! Models: packs and how they are made, providers that run models elsewhere, and the query encoder, which is distilled
//! from either kind of model.

pub mod distil;
pub mod embedding_cache;
pub mod encoder_cache;
pub mod model;
pub mod provider;
pub mod reranker;
pub mod role;
