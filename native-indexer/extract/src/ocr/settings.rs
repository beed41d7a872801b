//! Settings of OCR.

use anyhow::{Result, ensure};
use std::path::PathBuf;
use std::time::Duration;

/// A service that reads pictures instead of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OcrServiceSettings {
    /// Its address.
    pub url: String,
    /// Environment variable with its key.
    pub key_variable: Option<String>,
}

/// The program or service, the languages and the limits of OCR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OcrSettings {
    /// The service that replaces the program, if there is one.
    pub service: Option<OcrServiceSettings>,
    /// The program, which must take the arguments of Tesseract. By default, Tesseract from `PATH`.
    pub program: Option<PathBuf>,
    /// Languages of the pages, as Tesseract names them, such as `eng` and `deu`.
    pub languages: Vec<String>,
    /// Maximum time for a page.
    pub time: Duration,
    /// Maximum number of pages of a file that are read.
    pub pages: usize,
}

impl Default for OcrSettings {
    fn default() -> Self {
        Self {
            service: None,
            program: None,
            languages: vec!["eng".to_owned()],
            time: Duration::from_mins(2),
            pages: 500,
        }
    }
}

impl OcrSettings {
    /// Checks that there is a language, that all are names rather than options or paths of files, and that a program and
    /// a service are not both set.
    pub fn check(&self) -> Result<()> {
        ensure!(self.service.is_none() || self.program.is_none(), "set either `program` or `url`, not both");
        ensure!(!self.languages.is_empty(), "name a language for OCR, as in languages = [\"eng\"]");
        for language in &self.languages {
            let is_name = |part: &str| {
                part.starts_with(|c: char| c.is_ascii_alphanumeric())
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            };
            ensure!(
                language.split('/').count() <= 2 && language.split('/').all(is_name),
                "{language:?} is not a Tesseract language: use names such as eng, deu or script/Latin"
            );
        }
        Ok(())
    }

    /// Returns the languages as a single argument for the program.
    pub(super) fn joined_languages(&self) -> String {
        self.languages.join("+")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_neither_options_nor_files() {
        let check = |language: &str| OcrSettings { languages: vec![language.into()], ..OcrSettings::default() }.check();
        for language in ["eng", "chi_sim", "script/Latin", "deu_latf"] {
            assert!(check(language).is_ok(), "{language}");
        }
        for language in ["", "-l", "../eng", "/eng", "eng deu", "a/b/c", "eng+-x"] {
            assert!(check(language).is_err(), "{language}");
        }
        assert!(OcrSettings { languages: Vec::new(), ..OcrSettings::default() }.check().is_err());
    }
}
