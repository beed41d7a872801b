//! The map of a question: the passages that were found, in clusters.

use super::cluster::Cluster;
use super::ties::Tie;
use anyhow::{Context as _, Result};
use serde::Serialize;

/// What there is on the questions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ResearchMap {
    /// The questions.
    pub questions: Vec<String>,
    /// What belongs together, the cluster with the best passage first.
    pub clusters: Vec<Cluster>,
    /// How the clusters hang together, the strongest ties first.
    pub ties: Vec<Tie>,
    /// Clusters by density alone, before they were merged.
    pub num_native_clusters: usize,
    /// Passages that belonged to none of those, and were added to the nearest.
    pub num_outliers: usize,
    /// Clusters in the end.
    pub num_clusters: usize,
    /// Passages in all of them.
    pub passages: usize,
    /// Files that these are of.
    pub files: usize,
    /// Numbers of the questions, from 1, that nothing was found for.
    pub unanswered: Vec<usize>,
    /// What to read or to ask next.
    pub next: Vec<Step>,
    /// What to know of how this was found.
    pub notices: Vec<String>,
}

impl ResearchMap {
    /// The cluster with this number.
    pub fn cluster(&self, number: usize) -> Result<&Cluster> {
        let found = number.checked_sub(1).and_then(|place| self.clusters.get(place));
        found.with_context(|| format!("there is no cluster {number}: there are {}", self.clusters.len()))
    }
}

/// Something to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Read the passages of the cluster with this number.
    ReadCluster(usize),
    /// Read a file: project and path.
    ReadFile(String, String),
    /// Find out what calls a symbol.
    Callers(String),
    /// Ask the question with this number, from 1, in other words.
    AskAgain(usize),
}
