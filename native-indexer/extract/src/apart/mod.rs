//! Reads files in separate processes. If a reader crashes, hangs or exhausts memory, only its file is lost.
//!
//! The child process is this program again: see [`serve`]. It reads one file after another from its standard input. It
//! is replaced after a number of files, or when it dies. If there is no program to start, as in tests of this library,
//! files are read in this process.

mod child;
mod limits;
mod messages;
mod process;

pub use child::serve;
pub use limits::{Limits, READER_COMMAND};

use crate::error::ExtractError;
use crate::extraction::Extraction;
use crate::kinds::{FileKind, kind_of};
use crate::ocr::{PictureReader, Recognizer};
use crate::read::{extract_code, extract_with_ocr};
use messages::{CODE, DOCUMENT, DOCUMENT_WITH_DESCRIPTIONS, DOCUMENT_WITH_OCR};
use process::{ReaderProcess, Request};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Number of files that a process reads before it is replaced, which releases leaked memory.
const MAX_FILES: usize = 256;
/// Number of files of source code that a process reads before it is replaced. They are small and numerous.
const MAX_CODE_FILES: usize = 4096;
/// Minimum size in bytes of a text file that is read in a separate process. The readers of text are proven, and smaller
/// files are too short to take long.
const MIN_BYTES_APART: usize = 64 << 10;

/// Limit on time for smaller files: the limit for other files divided by `SMALL_SHARE`, but at least `SMALL_TIME`.
const SMALL_SHARE: u32 = 3;
const SMALL_TIME: Duration = Duration::from_secs(1);
/// Factor of the limit on time for binary documents, which may contain a thousand pages.
const DOCUMENT_TIMES: u32 = 2;

/// Reads files in separate processes or in this one. Several threads may share it.
///
/// ```
/// use nearfind_extract::apart::Readers;
/// use nearfind_extract::Extraction;
///
/// let readers = Readers::inside();
/// let Extraction::Document(document) = readers.read("undo.md", b"# Undo\n\nRun `git revert`.\n")? else {
///     panic!("Markdown is a document")
/// };
/// assert_eq!(document.title, "Undo");
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Readers {
    program: Option<PathBuf>,
    limits: Limits,
    idle: Mutex<Vec<ReaderProcess>>,
    ocr: Option<Recognizer>,
}

impl Readers {
    /// Reads every file in this process.
    pub fn inside() -> Self {
        Self::default()
    }

    /// Reads binary documents and large files in processes of `program`, which must be this program, within `limits`.
    pub fn apart(program: PathBuf, limits: Limits) -> Self {
        Self { program: Some(program), limits, ..Self::default() }
    }

    /// Reads pages without text with `ocr`.
    #[must_use]
    pub fn with_ocr(self, ocr: Option<Recognizer>) -> Self {
        Self { ocr, ..self }
    }

    /// Identifies the version of OCR, if there is OCR. The texts of documents depend on it.
    pub fn ocr_identity(&self) -> Option<String> {
        self.ocr.as_ref().map(Recognizer::identity)
    }

    /// Whether a service gets pictures.
    pub fn sends_pictures(&self) -> bool {
        self.ocr.as_ref().is_some_and(Recognizer::sends_pictures)
    }

    /// From now on, services get no pictures.
    pub fn send_nothing(&self) {
        if let Some(ocr) = &self.ocr {
            ocr.send_nothing();
        }
    }

    /// Returns the number of pictures that were not sent since [`send_nothing`](Self::send_nothing).
    pub fn unsent(&self) -> usize {
        self.ocr.as_ref().map_or(0, Recognizer::unsent)
    }

    /// Begins a run of the indexer, because readers may serve several runs.
    pub fn begin_run(&self) {
        if let Some(ocr) = &self.ocr {
            ocr.begin_run();
        }
    }

    /// Returns an error if the user has asked to stop, or if a service that reads pictures has failed.
    pub fn check(&self) -> anyhow::Result<()> {
        self.ocr.as_ref().map_or(Ok(()), Recognizer::check)
    }

    /// Reads the file called `name`.
    pub fn read(&self, name: &str, bytes: &[u8]) -> Result<Extraction, ExtractError> {
        let is_foreign = kind_of(Path::new(name)).is_some_and(FileKind::is_binary);
        let time = self.time_for(bytes);
        let time = if is_foreign { time * DOCUMENT_TIMES } else { time };
        let reader = self.ocr.as_ref().filter(|_| is_foreign).map(Recognizer::for_file);
        let pictures = reader.as_ref().map(|reader| reader as &dyn PictureReader);
        let Some(program) = self.program.as_ref().filter(|_| is_foreign || bytes.len() >= MIN_BYTES_APART) else {
            return extract_with_ocr(name, bytes, pictures);
        };
        let request = Request { kind: DOCUMENT, name, bytes, time };
        let kind = match pictures {
            None => return self.read_by(program, &request, None, MAX_FILES),
            Some(pictures) if pictures.describes() => DOCUMENT_WITH_DESCRIPTIONS,
            Some(_) => DOCUMENT_WITH_OCR,
        };
        match self.read_by(program, &Request { kind, ..request }, pictures, MAX_FILES) {
            // Rendering its pages may have exceeded the limits.
            Err(problem @ (ExtractError::TooSlow(_) | ExtractError::OutOfMemory | ExtractError::Crashed)) => {
                let mut read = self.read_by(program, &request, None, MAX_FILES);
                if let Ok(Extraction::Document(extracted)) = &mut read {
                    extracted.notes.push(format!("its pages could not be read by OCR: {problem}"));
                }
                read
            }
            read => read,
        }
    }

    /// Reads the file called `name` as source code, in a separate process because grammars are unproven code in C.
    pub fn read_code(&self, name: &str, bytes: &[u8]) -> Result<Extraction, ExtractError> {
        match &self.program {
            Some(program) => {
                let request = Request { kind: CODE, name, bytes, time: self.time_for(bytes) };
                self.read_by(program, &request, None, MAX_CODE_FILES)
            }
            None => Ok(extract_code(name, bytes)),
        }
    }

    /// Returns the limit on time. A small file takes long only if it is hostile.
    fn time_for(&self, bytes: &[u8]) -> Duration {
        let time = self.limits.time;
        if bytes.len() < MIN_BYTES_APART { (time / SMALL_SHARE).max(SMALL_TIME).min(time) } else { time }
    }

    fn read_by(
        &self,
        program: &Path,
        request: &Request<'_>,
        pictures: Option<&dyn PictureReader>,
        most_files: usize,
    ) -> Result<Extraction, ExtractError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut process = match idle {
            Some(process) => process,
            None => ReaderProcess::start(program, self.limits)?,
        };
        let outcome = process.read(request, pictures);
        // A process that failed is not used again. Dropping it kills it.
        if process.is_sound() && process.files_read() < most_files {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
        }
        outcome
    }
}
