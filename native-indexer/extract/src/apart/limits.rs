//! The command and the limits of a reader process.

use std::time::Duration;

/// The command of this program that starts a reader process.
pub const READER_COMMAND: &str = "read-apart";

/// The limits of a reader for one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum time.
    pub time: Duration,
    /// Maximum memory of its process in bytes.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(30), memory: 1 << 30 }
    }
}
