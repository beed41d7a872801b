//! Reading the files of sources in processes of this program.

use anyhow::{Context as _, Result};
use nearfind_extract::apart::{Limits, Readers};
use std::sync::Arc;

/// Reads files in processes of this program. That it does not know its own place is an error: files of strangers are not read
/// without limits.
pub(super) fn readers() -> Result<Arc<Readers>> {
    let program =
        std::env::current_exe().context("this program's own place is not known, so it cannot read files apart")?;
    Ok(Arc::new(Readers::apart(program, Limits::default())))
}
