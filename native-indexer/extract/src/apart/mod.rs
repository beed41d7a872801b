//! Reading files in a process apart: a reader that crashes, hangs or eats memory costs its file and nothing else.
//!
//! The child is this program again, see [`serve`]. It reads one file after the other from its standard input and is
//! replaced after some, or when it dies. Where there is no program to start, as in tests of this library, files are
//! read inside.

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
use messages::{CODE, DOCUMENT, DOCUMENT_WITH_OCR};
use process::{ReaderProcess, Request};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Files that a process reads before it is replaced: what a reader loses of memory is given back.
const MAX_FILES: usize = 256;
/// The same of source code, whose files are small and many.
const MAX_CODE_FILES: usize = 4096;
/// Shorter files are small. Readers that are proven read them inside: nothing that takes long fits into them.
const MIN_BYTES_APART: usize = 64 << 10;

/// The share of the time that a reader may take for such a file, and what it may take at least.
const SMALL_SHARE: u32 = 3;
const SMALL_TIME: Duration = Duration::from_secs(1);
/// How many times as long as for a page a reader may take for a document of a thousand pages.
const DOCUMENT_TIMES: u32 = 2;

/// Reads files, apart or inside; shared by threads.
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

    /// Reads large files and documents in processes of `program`, which is this program, within `limits`.
    pub fn apart(program: PathBuf, limits: Limits) -> Self {
        Self { program: Some(program), limits, ..Self::default() }
    }

    /// Has `ocr` read pages without text.
    #[must_use]
    pub fn with_ocr(self, ocr: Option<Recognizer>) -> Self {
        Self { ocr, ..self }
    }

    /// How pictures are read, if they are: the text of documents depends on it besides their bytes.
    pub fn ocr_identity(&self) -> Option<String> {
        self.ocr.as_ref().map(Recognizer::identity)
    }

    /// That reading may go on: an error once the user has asked to stop.
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
        if pictures.is_none() {
            return self.read_by(program, &request, None, MAX_FILES);
        }
        match self.read_by(program, &Request { kind: DOCUMENT_WITH_OCR, ..request }, pictures, MAX_FILES) {
            // Drawing its pages may have been too much.
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

    /// Reads the file called `name` as source code: grammars are written in C, and nobody has proven all of them.
    pub fn read_code(&self, name: &str, bytes: &[u8]) -> Result<Extraction, ExtractError> {
        match &self.program {
            Some(program) => {
                let request = Request { kind: CODE, name, bytes, time: self.time_for(bytes) };
                self.read_by(program, &request, None, MAX_CODE_FILES)
            }
            None => Ok(extract_code(name, bytes)),
        }
    }

    /// A small file is read in a blink, unless it was made to take long.
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
        // One that failed is not asked again: dropping it ends it.
        if process.is_sound() && process.files_read() < most_files {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
        }
        outcome
    }
}
