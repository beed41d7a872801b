//! Starts processes of this program that read the files of sources.

use anyhow::{Context as _, Result};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::progress::Progress;
use nearfind_extract::apart::{Limits, Readers};
use nearfind_extract::ocr::{OcrSettings, Recognizer, Services};
use nearfind_models::provider::LanguageSettings;
use std::sync::Arc;

/// Returns readers that run in processes of this program, with OCR if `ocr` is given. `model` may describe pictures. Fails
/// if the path of this program is not known, because files from third parties are not read without limits.
pub(super) fn readers(
    ocr: Option<&OcrSettings>,
    model: Option<&LanguageSettings>,
    cache: &CacheFolder,
    progress: Progress,
) -> Result<Arc<Readers>> {
    let program = std::env::current_exe()
        .context("the path of this program is unknown, so it cannot read files in separate processes")?;
    let services = services(ocr, model)?;
    let ocr = Recognizer::open(ocr, services, Some(program.clone()), cache, progress)?;
    Ok(Arc::new(Readers::apart(program, Limits::default()).with_ocr(ocr)))
}

#[cfg(feature = "full")]
fn services(ocr: Option<&OcrSettings>, model: Option<&LanguageSettings>) -> Result<Services> {
    nearfind_indexing::picture_services::picture_services(ocr, model)
}

/// Without the readers of documents, no file has pictures.
#[cfg(not(feature = "full"))]
#[expect(clippy::unnecessary_wraps, reason = "the other variant can fail")]
fn services(_ocr: Option<&OcrSettings>, _model: Option<&LanguageSettings>) -> Result<Services> {
    Ok(Services::default())
}
