//! What tells this program from another build of it.

use std::time::UNIX_EPOCH;

/// The build: caches keep by it what another build may find out otherwise.
pub fn build_id() -> String {
    let file = std::env::current_exe().and_then(std::fs::metadata);
    let changed = file.and_then(|file| Ok((file.len(), file.modified()?)));
    let age = changed.map(|(bytes, time)| (bytes, time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()));
    format!("{} {:?}", env!("CARGO_PKG_VERSION"), age.unwrap_or_default())
}
