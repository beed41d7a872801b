//! How far an index is, as a process that keeps it up to date tells the one that started it: a line of JSON for each state.

use serde::{Deserialize, Serialize};

/// The activity of a process that keeps an index up to date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It works.
    Working {
        /// On what, in words.
        what: String,
        /// Steps that are done.
        done: u64,
        /// All steps.
        of: u64,
    },
    /// Files have changed that the index does not have yet.
    Changed,
    /// The index contains the words of all files.
    Words,
    /// The model has read everything too.
    Whole,
    /// Something went wrong; it is tried again.
    Failed(String),
    /// Another process keeps this index up to date.
    KeptByAnother,
}
