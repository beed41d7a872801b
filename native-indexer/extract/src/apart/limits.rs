//! How a process that reads is started, and what it may take.

use std::time::Duration;

/// The argument by which this program reads files for another process of itself.
pub const READER_COMMAND: &str = "read-apart";

/// What a reader may take for one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time.
    pub time: Duration,
    /// Bytes of memory of its process.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(30), memory: 1 << 30 }
    }
}
