//! One query on its way: lists of several bundles become one answer.

pub(crate) mod answer;
pub(crate) mod candidates;
pub(crate) mod fit;
pub(crate) mod steps;
