//! The result of a run, or what it would do.

use super::changes::ProjectChanges;
use super::corpus::ProjectReport;
use super::estimate::Estimate;
use super::scan::Failure;
use super::written::WritingEstimate;
use nearfind_models::distil::Closeness;
use serde::Serialize;

/// What a run gave.
#[derive(Clone, Debug, Serialize)]
pub struct IndexRun {
    /// Projects that could not be brought up to date.
    pub failures: Vec<Failure>,
    /// What has changed since the last build.
    pub changes: Vec<ProjectChanges>,
    /// Why the bundle was written; `None` if it was not.
    pub reason: Option<&'static str>,
    /// What was written; `None` if the bundle that is there is as it would be.
    pub written: Option<Report>,
}

/// What was written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// A row for each project.
    pub projects: Vec<ProjectReport>,
    /// Texts that the query encoder was fitted on; 0 without one.
    pub encoder_texts: usize,
    /// Whether the query encoder is one that was fitted before, on nearly the same documents.
    pub encoder_was_known: bool,
    /// How close it comes to the model, if it could be judged.
    pub closeness: Option<Closeness>,
    /// Seconds spent listing, hashing and reading files.
    pub read_seconds: f64,
    /// Seconds spent on the query encoder.
    pub encoder_seconds: f64,
    /// Seconds spent building the graph.
    pub graph_seconds: f64,
    /// Seconds spent compressing and writing, most of it beside the graph.
    pub write_seconds: f64,
    /// Seconds of the whole run.
    pub seconds: f64,
    /// Bytes of all files of the bundle, without a shipped model.
    pub bytes: u64,
    /// Whether another run would make a better bundle of the same files, see [`IndexOptions::soon`](super::IndexOptions::soon).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_for_now: bool,
}

/// What a run would do.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Projects that cannot be brought up to date.
    pub failures: Vec<Failure>,
    /// What has changed since the last build.
    pub changes: Vec<ProjectChanges>,
    /// Why the bundle would be written again; `None` if it would not be.
    pub reason: Option<&'static str>,
    /// What a provider would be sent; `None` if none embeds, or nothing would be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Estimate>,
    /// What a language model would be sent; `None` if none writes, or nothing would be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing: Option<WritingEstimate>,
}
