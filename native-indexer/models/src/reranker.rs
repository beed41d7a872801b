//! Rerankers read the question and a document together, whereas an encoder reads each of them alone.

use anyhow::Result;

/// Scores of documents for a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relevance {
    /// The score of each document, in order, or `None` if the model returned no score. Scores are between 0 and 1, or
    /// any numbers where larger is better.
    pub scores: Vec<Option<f32>>,
    /// Notes for the user about how the scores were computed.
    pub warnings: Vec<String>,
}

/// A model that scores documents for a question.
pub trait Reranker: std::fmt::Debug + Send + Sync {
    /// Scores how well `documents` answer `query`.
    fn relevance(&self, query: &str, documents: &[&str]) -> Result<Relevance>;
}

impl Relevance {
    /// Returns scores between 0 and 1. If any score is outside that range, the logistic function is applied to all
    /// scores.
    pub fn shares(&self) -> Vec<Option<f32>> {
        let are_shares = self.scores.iter().flatten().all(|score| (0.0..=1.0).contains(score));
        let share = |score: f32| if are_shares { score } else { 1.0 / (1.0 + (-score).exp()) };
        self.scores.iter().map(|score| score.map(share)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_any_range_become_shares_in_their_order() {
        let shares = |scores: &[f32]| {
            let scores = scores.iter().copied().map(Some).collect();
            Relevance { scores, warnings: Vec::new() }.shares()
        };
        assert_eq!(shares(&[0.2, 1.0]), [Some(0.2), Some(1.0)]);
        let logits = shares(&[-8.0, 0.0, 5.0]);
        assert!(logits[0] < Some(0.001) && logits[1] == Some(0.5) && logits[2] > Some(0.99), "{logits:?}");
    }
}
