//! Questions to all bundles of a view.

pub(crate) mod about_history;
mod asking;
pub(crate) mod encoders;
pub(crate) mod filters;
pub(crate) mod misspelt_names;
pub(crate) mod multi_hop;
pub(crate) mod question;
pub(crate) mod recent_answers;
pub(crate) mod related;
pub(crate) mod reranked;
pub(crate) mod reranking;
