//! The state of an index, as the process that keeps it up to date reports it to the process that started it: one line
//! of JSON per state.

use serde::{Deserialize, Serialize};

/// The activity of a process that keeps an index up to date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It is working.
    Working {
        /// The current step, in words.
        what: String,
        /// The number of completed units.
        done: u64,
        /// The number of all units.
        of: u64,
    },
    /// Files have changed, and the index does not contain the changes yet.
    Changed,
    /// The index contains the words of all files.
    Words,
    /// The model has read everything too.
    Whole,
    /// Something went wrong, and the process will try again.
    Failed(String),
    /// Another process keeps this index up to date.
    KeptByAnother,
}
