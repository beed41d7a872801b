//! Runs one query, and combines the lists of several bundles into one answer.

pub(crate) mod answer;
pub(crate) mod candidates;
pub(crate) mod fit;
pub(crate) mod steps;
