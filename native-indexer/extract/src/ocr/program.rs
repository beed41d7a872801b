//! The program that reads pictures: where it is, which version it has and which languages it knows.

use super::bounded_process::{Bounds, run};
use super::settings::OcrSettings;
use crate::words::one_line;
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The program, where none is named.
const TESSERACT: &str = "tesseract";
/// How its list of languages begins.
const LANGUAGES: &str = "List of available languages";
/// The data by which it finds out how a page is turned.
const ORIENTATION: &str = "osd";
/// Bytes of a list of languages and of a version.
const MAX_ANSWER_BYTES: u64 = 64 << 10;
/// How long it may take to say what it is.
const ANSWER_TIME: Duration = Duration::from_secs(20);

/// A program that reads pictures.
#[derive(Debug)]
pub(super) struct Program {
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Stands for all that its answers depend on: itself, its languages, and its arguments.
    pub identity: String,
}

impl Program {
    /// Finds the program of `settings`. That it is missing, or does not know a language, is an error.
    pub(super) fn find(settings: &OcrSettings, bounds: &Bounds) -> Result<Self> {
        settings.check()?;
        let path = match &settings.program {
            Some(named) => found(named).with_context(|| format!("there is no OCR program {}", named.display()))?,
            None => found(Path::new(TESSERACT)).context(
                "OCR needs Tesseract, which is not installed: run `apt install tesseract-ocr` or `brew install tesseract`, or name its place with `program` in [ocr]",
            )?,
        };
        let bounds = Bounds { time: ANSWER_TIME, output: MAX_ANSWER_BYTES, ..bounds.clone() };
        let ask = |option: &str| {
            let finished = run(&path, &[option.to_owned()], &[], &bounds).ok()?;
            Some(String::from_utf8_lossy(&finished.output).into_owned())
        };
        let version = ask("--version").with_context(|| format!("{} does not say its version", path.display()))?;
        let languages = ask("--list-langs").unwrap_or_default();
        let known = languages.split_once('\n').filter(|(first, _)| first.starts_with(LANGUAGES));
        let known: Option<Vec<&str>> = known.map(|(_, names)| names.lines().map(str::trim).collect());
        if let Some(known) = &known {
            require(&settings.languages, known)?;
        }
        let mut arguments: Vec<String> = ["stdin", "stdout", "-l"].map(str::to_owned).into();
        arguments.push(settings.joined_languages());
        // It turns pages that lie on their side where it has the data for that.
        let psm = if known.is_some_and(|known| known.contains(&ORIENTATION)) { "1" } else { "3" };
        arguments.extend(["--psm", psm].map(str::to_owned));
        // Its version stands for the libraries that it loads.
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let all = format!("{version}\n{languages}\n{arguments:?}\n{}", blake3::hash(&bytes));
        let identity =
            format!("{} {}", one_line(version.lines().next().unwrap_or_default()), blake3::hash(all.as_bytes()));
        Ok(Self { path, arguments, identity })
    }
}

/// The program called `name`: a path, or the first of that name in the folders of PATH.
fn found(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 || name.is_absolute() {
        return name.is_file().then(|| name.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    let (mut name, suffix) = (name.to_owned(), std::env::consts::EXE_SUFFIX);
    if !name.to_string_lossy().to_ascii_lowercase().ends_with(suffix) {
        name.as_mut_os_string().push(suffix);
    }
    // A relative one would be in a folder of documents.
    let whole = std::env::split_paths(&folders).filter(|folder| folder.is_absolute());
    whole.map(|folder| folder.join(&name)).find(|path| path.is_file())
}

fn require(wanted: &[String], known: &[&str]) -> Result<()> {
    ensure!(!known.is_empty(), "Tesseract has no languages: run `apt install tesseract-ocr-eng`");
    if let Some(missing) = wanted.iter().find(|language| !known.contains(&language.as_str())) {
        bail!(
            "Tesseract does not know the language {missing:?}: install it, as with `apt install tesseract-ocr-{}`; it knows {}",
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
        assert!(error.contains("tesseract-ocr-chi-sim") && error.ends_with("it knows eng"), "{error}");
    }

    #[test]
    fn programs_are_found_in_absolute_folders_alone() {
        assert_eq!(found(Path::new("no-such-program-anywhere")), None);
        assert_eq!(found(Path::new("/no/such/program")), None);
        #[cfg(unix)]
        assert!(found(Path::new("sh")).is_some_and(|path| path.is_absolute()));
    }
}
