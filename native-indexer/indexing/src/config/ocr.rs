//! Settings of OCR.

use super::project::{OneOrSeveral, one_or_several};
use nearfind_extract::ocr::{OcrServiceSettings, OcrSettings};
use schemars::JsonSchema;
use serde::Deserialize;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// OCR of scanned pages and pictures by Tesseract, which must be installed, or by a service. The table turns OCR on, even
/// if it is empty.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OcrTable {
    /// Languages of the pages, as Tesseract names them, such as `["eng", "deu"]`. Default: `eng`.
    #[serde(default, deserialize_with = "one_or_several")]
    #[schemars(with = "Option<OneOrSeveral>")]
    pub languages: Option<Vec<String>>,
    /// Path of the program, if it is not the `tesseract` in PATH. It receives a picture on standard input and prints
    /// the text in it.
    pub program: Option<PathBuf>,
    /// Address of an OCR service to use instead of a program. It receives each picture in the body of a POST request
    /// and responds with the text in it.
    pub url: Option<String>,
    /// Environment variable with the key for the service.
    pub key_variable: Option<String>,
    /// Maximum time per page, in seconds. Default: 120.
    pub seconds: Option<NonZeroU32>,
    /// Maximum number of pages to read per file. Default: 500.
    pub pages: Option<NonZeroU32>,
}

impl OcrTable {
    /// Returns the settings of OCR. A path of the program is relative to `folder`, the folder of the configuration.
    pub(super) fn settings(&self, folder: &Path) -> OcrSettings {
        let usual = OcrSettings::default();
        // A bare name is looked up in PATH.
        let program = self.program.as_ref().map(|program| match program.components().count() {
            1 => program.clone(),
            _ => std::path::absolute(folder.join(program)).unwrap_or_else(|_| program.clone()),
        });
        let service = |url: &String| OcrServiceSettings { url: url.clone(), key_variable: self.key_variable.clone() };
        OcrSettings {
            service: self.url.as_ref().map(service),
            program,
            languages: self.languages.clone().unwrap_or(usual.languages),
            time: self.seconds.map_or(usual.time, |seconds| Duration::from_secs(seconds.get().into())),
            pages: self.pages.map_or(usual.pages, |pages| pages.get() as usize),
        }
    }
}
