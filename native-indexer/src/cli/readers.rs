//! Starts processes of this program that read the files of sources.

use anyhow::{Context as _, Result};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::progress::Progress;
use nearfind_extract::apart::{Limits, Readers};
use nearfind_extract::ocr::{OcrSettings, Recognizer};
use std::sync::Arc;

/// Returns readers that run in processes of this program, with OCR if `ocr` is given. Fails if the path of this program
/// is not known, because files from third parties are not read without limits.
pub(super) fn readers(ocr: Option<&OcrSettings>, cache: &CacheFolder, progress: Progress) -> Result<Arc<Readers>> {
    let program = std::env::current_exe()
        .context("the path of this program is unknown, so it cannot read files in separate processes")?;
    let open = |settings| Recognizer::open(settings, Some(program.clone()), cache, progress);
    let ocr = ocr.map(open).transpose()?;
    Ok(Arc::new(Readers::apart(program, Limits::default()).with_ocr(ocr)))
}
