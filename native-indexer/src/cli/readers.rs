//! Reading the files of sources in processes of this program.

use anyhow::{Context as _, Result};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::progress::Progress;
use nearfind_extract::apart::{Limits, Readers};
use nearfind_extract::ocr::{OcrSettings, Recognizer};
use std::sync::Arc;

/// Reads files in processes of this program, and pictures as `ocr` says, if it is on. That this program does not know its own
/// place is an error: files of strangers are not read without limits.
pub(super) fn readers(ocr: Option<&OcrSettings>, cache: &CacheFolder, progress: Progress) -> Result<Arc<Readers>> {
    let program = std::env::current_exe()
        .context("the path of this program is unknown, so it cannot read files in processes of their own")?;
    let open = |settings| Recognizer::open(settings, Some(program.clone()), cache, progress);
    let ocr = ocr.map(open).transpose()?;
    Ok(Arc::new(Readers::apart(program, Limits::default()).with_ocr(ocr)))
}
