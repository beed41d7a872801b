//! Arguments for OCR, which reads text in pictures.

use clap::Args;
use nearfind_extract::ocr::OcrSettings;

/// Whether text is read from pictures.
#[derive(Debug, Args)]
pub(super) struct OcrArguments {
    /// Read scanned pages and pictures with OCR, in these languages. Tesseract must be installed [default: eng]
    #[arg(long, value_name = "LANGUAGES", num_args = 0..=1, require_equals = true, default_missing_value = "eng", value_delimiter = '+')]
    ocr: Option<Vec<String>>,
}

impl OcrArguments {
    /// Returns the settings, if OCR is on.
    pub(super) fn settings(&self) -> Option<OcrSettings> {
        let languages = self.ocr.clone()?;
        Some(OcrSettings { languages, ..OcrSettings::default() })
    }
}
