//! The result of a run, or the plan of a run.

use super::changes::ProjectChanges;
use super::corpus::ProjectReport;
use super::estimate::Estimate;
use super::scan::Failure;
use super::written::WritingEstimate;
use nearfind_models::distil::Closeness;
use serde::Serialize;

/// The result of a run.
#[derive(Clone, Debug, Serialize)]
pub struct IndexRun {
    /// Projects that could not be brought up to date.
    pub failures: Vec<Failure>,
    /// The changes since the last build.
    pub changes: Vec<ProjectChanges>,
    /// The reason why the bundle was written, or `None` if it was not written.
    pub reason: Option<&'static str>,
    /// A report on the bundle that was written, or `None` if the existing bundle is up to date.
    pub written: Option<Report>,
}

/// A report on a bundle that was written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// A report for each project.
    pub projects: Vec<ProjectReport>,
    /// Number of texts that the query encoder was fitted to, or 0 without a query encoder.
    pub encoder_texts: usize,
    /// Whether the query encoder comes from an earlier run with nearly the same documents.
    pub encoder_was_known: bool,
    /// How close the query encoder comes to the model, if there were enough texts to judge it.
    pub closeness: Option<Closeness>,
    /// Seconds spent listing, hashing and reading files.
    pub read_seconds: f64,
    /// Seconds spent on the query encoder.
    pub encoder_seconds: f64,
    /// Seconds spent building the graph.
    pub graph_seconds: f64,
    /// Seconds spent compressing and writing, mostly while the graph is built.
    pub write_seconds: f64,
    /// Seconds that the whole run took.
    pub seconds: f64,
    /// Size in bytes of all parts of the bundle, without the manifest and model packs.
    pub bytes: u64,
    /// Whether another run would make a better bundle from the same files: see
    /// [`IndexOptions::soon`](super::IndexOptions::soon).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_for_now: bool,
}

/// The plan of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Projects that cannot be brought up to date.
    pub failures: Vec<Failure>,
    /// The changes since the last build.
    pub changes: Vec<ProjectChanges>,
    /// The reason why the bundle would be written again, or `None` if it would not be written.
    pub reason: Option<&'static str>,
    /// The amount of text that would be sent to an embedding provider, or `None` if there is no such provider or
    /// nothing would be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Estimate>,
    /// The requests that would be sent to a language model, or `None` if no model writes texts or nothing would be
    /// written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing: Option<WritingEstimate>,
}
