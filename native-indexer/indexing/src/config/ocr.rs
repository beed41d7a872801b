//! How text is read from pictures.

use super::project::{OneOrSeveral, one_or_several};
use nearfind_extract::ocr::OcrSettings;
use schemars::JsonSchema;
use serde::Deserialize;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// OCR of scanned pages and pictures, by Tesseract, which must be installed. The table alone turns it on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OcrTable {
    /// Languages of the pages, as Tesseract names them: `["eng", "deu"]`; `eng` by default.
    #[serde(default, deserialize_with = "one_or_several")]
    #[schemars(with = "Option<OneOrSeveral>")]
    pub languages: Option<Vec<String>>,
    /// The program, if it is not the `tesseract` in PATH. It gets a picture on its standard input and prints the text.
    pub program: Option<PathBuf>,
    /// Seconds that a page may take; 120 by default.
    pub seconds: Option<NonZeroU32>,
    /// Most pages to read of a file; 500 by default.
    pub pages: Option<NonZeroU32>,
}

impl OcrTable {
    /// The settings, of a file in `folder`.
    pub(super) fn settings(&self, folder: &Path) -> OcrSettings {
        let usual = OcrSettings::default();
        // A bare name is looked for in PATH.
        let program = self.program.as_ref().map(|program| match program.components().count() {
            1 => program.clone(),
            _ => std::path::absolute(folder.join(program)).unwrap_or_else(|_| program.clone()),
        });
        OcrSettings {
            program,
            languages: self.languages.clone().unwrap_or(usual.languages),
            time: self.seconds.map_or(usual.time, |seconds| Duration::from_secs(seconds.get().into())),
            pages: self.pages.map_or(usual.pages, |pages| pages.get() as usize),
        }
    }
}
