//! Runs a cross-encoder on this machine, on all cores.

use super::read_pack;
use crate::reranker::{Relevance, Reranker};
use anyhow::Result;
use nearfind_core::embed::CrossEncoder;
use rayon::prelude::*;
use std::path::Path;

/// Number of passages that each CPU core scores at once.
const BATCH: usize = 4;

/// A cross-encoder on this machine.
#[derive(Debug)]
pub struct LocalReranker(CrossEncoder);

impl LocalReranker {
    /// Loads the pack at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self(CrossEncoder::from_pack(&read_pack(path)?)?))
    }
}

impl Reranker for LocalReranker {
    fn relevance(&self, query: &str, documents: &[&str]) -> Result<Relevance> {
        let score = |batch: &[&str]| self.0.scores(query, batch);
        let scored = documents.par_chunks(BATCH).map(score).collect::<Result<Vec<_>, _>>()?;
        Ok(Relevance { scores: scored.into_iter().flatten().map(Some).collect(), warnings: Vec::new() })
    }
}
