//! What reads the files of sources.

use nearfind_extract::apart::{Limits, Readers};
use std::sync::Arc;

/// What reads the files of sources: processes of this program.
pub(super) fn readers() -> Arc<Readers> {
    Arc::new(
        std::env::current_exe()
            .map_or_else(|_| Readers::inside(), |program| Readers::apart(program, Limits::default())),
    )
}
