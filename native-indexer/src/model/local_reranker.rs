//! A cross-encoder of this machine, on all cores.

use super::{Relevance, Reranker};
use anyhow::{Context as _, Result};
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::embed::{CrossEncoder, SharedBytes};
use rayon::prelude::*;
use std::path::Path;

/// Passages that a core takes at once.
const BATCH: usize = 4;

/// A cross-encoder.
#[derive(Debug)]
pub struct LocalReranker(CrossEncoder);

impl LocalReranker {
    /// That of the pack at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        let name = || format!("model pack {}", path.display());
        let pack = ModelPack::open(SharedBytes::new(std::fs::read(path).with_context(name)?)).with_context(name)?;
        Ok(Self(CrossEncoder::from_pack(&pack)?))
    }
}

impl Reranker for LocalReranker {
    fn relevance(&self, query: &str, documents: &[&str]) -> Result<Relevance> {
        let score = |batch: &[&str]| self.0.scores(query, batch);
        let scored = documents.par_chunks(BATCH).map(score).collect::<Result<Vec<_>, _>>()?;
        Ok(Relevance { scores: scored.into_iter().flatten().map(Some).collect(), warnings: Vec::new() })
    }
}
