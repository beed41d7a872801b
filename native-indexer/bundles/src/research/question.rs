//! The questions for research.

use crate::library::PathFilter;
use anyhow::{Result, ensure};
use nearfind_core::search::Filter;

/// Maximum number of questions in one call.
pub const MAX_QUESTIONS: usize = 8;
/// Default number of tokens in a cluster. A cluster of this size fits into a response from the server for agents.
pub const CLUSTER_TOKENS: usize = 2000;

/// The questions for research, and the settings.
#[derive(Clone)]
pub struct ResearchQuestion {
    /// The questions, from one to [`MAX_QUESTIONS`].
    pub questions: Vec<String>,
    /// Filters, as in [`crate::library::Question`].
    pub filters: Vec<Filter>,
    /// Restricts the paths of documents.
    pub path: Option<PathFilter>,
    /// Maximum number of tokens of a merged cluster.
    pub cluster_tokens: usize,
}

impl ResearchQuestion {
    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.questions.iter().any(|question| !question.trim().is_empty()), "there is no question to explore");
        ensure!(
            self.questions.len() <= MAX_QUESTIONS,
            "{} questions are too many: ask at most {MAX_QUESTIONS}",
            self.questions.len()
        );
        Ok(())
    }
}

impl std::fmt::Debug for ResearchQuestion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ResearchQuestion").field("questions", &self.questions).finish_non_exhaustive()
    }
}
