//! Evaluates the ranking of a bundle on judged queries.

mod judged;
mod loss;
mod metrics;
mod statistics;

pub use judged::{JudgedQuery, read_judged, unknown_documents};
pub use loss::{Loss, score_loss, search_quality, vector_loss};
pub use metrics::{CUTOFFS, Metrics, Scores, means, score};
pub use statistics::{bootstrap_interval, randomization_test};
