//! Finds the program that reads pictures, its version and its languages.

use super::bounded_process::{Bounds, run};
use super::settings::OcrSettings;
use crate::words::one_line;
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The default program.
const TESSERACT: &str = "tesseract";
/// The beginning of its list of languages.
const LANGUAGES: &str = "List of available languages";
/// The name of the data for detecting the orientation of a page, which is in the list of languages.
const ORIENTATION: &str = "osd";
/// Maximum size of a list of languages or a version in bytes.
const MAX_ANSWER_BYTES: u64 = 64 << 10;
/// Maximum time for printing its version or its languages.
const ANSWER_TIME: Duration = Duration::from_secs(20);

/// A program that reads pictures.
#[derive(Debug)]
pub(super) struct Program {
    pub path: PathBuf,
    /// Its arguments for every picture.
    pub arguments: Vec<String>,
    /// Identifies the version of its answers: it changes with the program, its languages and its arguments.
    pub identity: String,
}

impl Program {
    /// Finds the program of `settings`. Fails if the program is missing or does not know one of the languages.
    pub(super) fn find(settings: &OcrSettings, bounds: &Bounds) -> Result<Self> {
        settings.check()?;
        let path = match &settings.program {
            Some(named) => found(named).with_context(|| format!("there is no OCR program {}", named.display()))?,
            None => found(Path::new(TESSERACT)).context(
                "OCR needs Tesseract, which is not installed: run `apt install tesseract-ocr` or `brew install tesseract`, or set its path with `program` in [ocr]",
            )?,
        };
        let bounds = Bounds { time: ANSWER_TIME, output: MAX_ANSWER_BYTES, ..bounds.clone() };
        let ask = |option: &str| {
            let finished = run(&path, &[option.to_owned()], &[], &bounds).ok()?;
            Some(String::from_utf8_lossy(&finished.output).into_owned())
        };
        let version = ask("--version").with_context(|| format!("{} does not report its version", path.display()))?;
        let languages = ask("--list-langs").unwrap_or_default();
        let known = languages.split_once('\n').filter(|(first, _)| first.starts_with(LANGUAGES));
        let known: Option<Vec<&str>> = known.map(|(_, names)| names.lines().map(str::trim).collect());
        if let Some(known) = &known {
            require(&settings.languages, known)?;
        }
        let mut arguments: Vec<String> = ["stdin", "stdout", "-l"].map(str::to_owned).into();
        arguments.push(settings.joined_languages());
        // It turns pages upright if it has the data for their orientation.
        let psm = if known.is_some_and(|known| known.contains(&ORIENTATION)) { "1" } else { "3" };
        arguments.extend(["--psm", psm].map(str::to_owned));
        // The hash does not cover the libraries that it loads. Its version includes theirs.
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let all = format!("{version}\n{languages}\n{arguments:?}\n{}", blake3::hash(&bytes));
        let identity =
            format!("{} {}", one_line(version.lines().next().unwrap_or_default()), blake3::hash(all.as_bytes()));
        Ok(Self { path, arguments, identity })
    }
}

/// Returns the path of the program `name`, which is a path or a name to search for in the folders of `PATH`.
fn found(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 || name.is_absolute() {
        return name.is_file().then(|| name.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    let (mut name, suffix) = (name.to_owned(), std::env::consts::EXE_SUFFIX);
    if !name.to_string_lossy().to_ascii_lowercase().ends_with(suffix) {
        name.as_mut_os_string().push(suffix);
    }
    // A relative folder of `PATH` could be a folder of documents, which may contain a hostile program.
    let whole = std::env::split_paths(&folders).filter(|folder| folder.is_absolute());
    whole.map(|folder| folder.join(&name)).find(|path| path.is_file())
}

fn require(wanted: &[String], known: &[&str]) -> Result<()> {
    ensure!(!known.is_empty(), "Tesseract has no languages: run `apt install tesseract-ocr-eng`");
    if let Some(missing) = wanted.iter().find(|language| !known.contains(&language.as_str())) {
        bail!(
            "Tesseract does not know the language {missing:?}: install it, for example with `apt install tesseract-ocr-{}`; installed languages: {}",
            missing.replace('_', "-"),
            known.join(", ")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_that_is_missing_is_named_with_its_package() {
        assert!(require(&["eng".into(), "deu".into()], &["deu", "eng", "osd"]).is_ok());
        let error = require(&["chi_sim".into()], &["eng"]).unwrap_err().to_string();
        assert!(error.contains("tesseract-ocr-chi-sim") && error.ends_with("installed languages: eng"), "{error}");
    }

    #[test]
    fn programs_are_found_in_absolute_folders_alone() {
        assert_eq!(found(Path::new("no-such-program-anywhere")), None);
        assert_eq!(found(Path::new("/no/such/program")), None);
        #[cfg(unix)]
        assert!(found(Path::new("sh")).is_some_and(|path| path.is_absolute()));
    }
}
