//! Counts requests and bytes that are read over the network.

use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers of requests and bytes that were read over the network.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub(super) bytes: AtomicU64,
    pub(super) requests: AtomicU64,
}

impl Meter {
    pub(crate) fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
