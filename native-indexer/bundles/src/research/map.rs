//! A map of some questions: the passages that were found for them, in clusters.

use super::cluster::Cluster;
use super::ties::Tie;
use anyhow::{Context as _, Result};
use serde::Serialize;

/// The passages for some questions, in clusters.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ResearchMap {
    /// The questions.
    pub questions: Vec<String>,
    /// The clusters, starting with the one that has the best passage.
    pub clusters: Vec<Cluster>,
    /// The relations between clusters, strongest first.
    pub ties: Vec<Tie>,
    /// Number of clusters found by density, before near ones were merged.
    pub num_native_clusters: usize,
    /// Number of passages that belonged to none of these clusters, and were added to the nearest cluster.
    pub num_outliers: usize,
    /// Number of clusters after merging.
    pub num_clusters: usize,
    /// Number of passages in all clusters.
    pub passages: usize,
    /// Number of files that contain these passages.
    pub files: usize,
    /// Numbers of the questions without results, starting at 1.
    pub unanswered: Vec<usize>,
    /// Suggestions for what to read or ask next.
    pub next: Vec<Step>,
    /// Notices about how the passages were found.
    pub notices: Vec<String>,
}

impl ResearchMap {
    /// Returns the cluster with this number.
    pub fn cluster(&self, number: usize) -> Result<&Cluster> {
        let found = number.checked_sub(1).and_then(|place| self.clusters.get(place));
        found.with_context(|| format!("there is no cluster {number}: there are {}", self.clusters.len()))
    }
}

/// A suggested next step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Read the passages of the cluster with this number.
    ReadCluster(usize),
    /// Read a file: project and path.
    ReadFile(String, String),
    /// Find the callers of a symbol.
    Callers(String),
    /// Rephrase the question with this number, starting at 1.
    AskAgain(usize),
}
