//! Judged queries: how well a bundle answers them.

mod judged;
mod metrics;

pub use judged::{JudgedQuery, read_judged};
pub use metrics::{CUTOFFS, Metrics, evaluate};
