//! Reads pictures in parallel with an external program or services, and caches their texts.

use super::bounded_process::{Bounds, Failure, run};
use super::picture::{Picture, PictureReader, Recognized, Subject};
use super::program::Program;
use super::service::{PictureService, ServiceFailure};
use super::settings::OcrSettings;
use super::text_cache::TextCache;
use super::tiff;
use crate::words::one_line;
use anyhow::{Result, anyhow};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::progress::Progress;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum size of the text of a picture in bytes. A page usually contains a few thousand characters.
const MAX_TEXT_BYTES: u64 = 4 << 20;
/// Maximum memory of the program in bytes. A page of 40 megapixels takes half a gigabyte.
const MAX_MEMORY: u64 = 3 << 30;
/// Number of pictures of a file that may take too long. After that, no more pictures of the file are read.
const MAX_SLOW: usize = 3;
/// Maximum number of characters of a message from the program.
const MAX_MESSAGE_CHARS: usize = 120;
/// Minimum time between two reports of progress.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// The services that read pictures, if there are any.
#[derive(Debug, Default)]
pub struct Services {
    /// Reads text instead of the OCR program.
    pub reader: Option<Box<dyn PictureService>>,
    /// Describes figures. Without OCR, it also reads pages.
    pub describer: Option<Box<dyn PictureService>>,
}

/// What reads the text of pictures.
#[derive(Debug)]
enum Engine {
    Program(Program),
    Service(Box<dyn PictureService>),
}

/// Reads pictures. Several threads may share it.
#[derive(Debug)]
pub struct Recognizer {
    engine: Option<Engine>,
    describer: Option<Engine>,
    bounds: Bounds,
    pages: usize,
    cache: Mutex<TextCache>,
    progress: Progress,
    pages_read: AtomicUsize,
    said: Mutex<Instant>,
    /// Why a service failed.
    failure: Mutex<Option<String>>,
    /// Whether services are not called, because the run only estimates.
    is_dry: AtomicBool,
    /// Number of pictures that were not sent in a dry run.
    unsent: AtomicUsize,
}

impl Recognizer {
    /// Prepares OCR with `settings`, if there are any, and `services`. Finds the program of OCR unless a service reads
    /// instead. `launcher` is the path of this program, which limits the memory of the other. Texts are kept in
    /// `cache`. Returns `None` if nothing reads pictures.
    pub fn open(
        settings: Option<&OcrSettings>,
        services: Services,
        launcher: Option<PathBuf>,
        cache: &CacheFolder,
        progress: Progress,
    ) -> Result<Option<Self>> {
        let usual = OcrSettings::default();
        let limits = settings.unwrap_or(&usual);
        let bounds = Bounds { time: limits.time, output: MAX_TEXT_BYTES, memory: MAX_MEMORY, launcher };
        let engine = match (services.reader, settings) {
            (Some(service), _) => Some(Engine::Service(service)),
            (None, Some(settings)) => Some(Engine::Program(Program::find(settings, &bounds)?)),
            (None, None) => None,
        };
        if engine.is_none() && services.describer.is_none() {
            return Ok(None);
        }
        Ok(Some(Self {
            engine,
            describer: services.describer.map(Engine::Service),
            bounds,
            pages: limits.pages,
            cache: Mutex::new(TextCache::open(cache)?),
            progress,
            pages_read: AtomicUsize::new(0),
            said: Mutex::new(Instant::now()),
            failure: Mutex::default(),
            is_dry: AtomicBool::new(false),
            unsent: AtomicUsize::new(0),
        }))
    }

    /// Identifies the version of the texts of files: it changes with the programs and services, their arguments and
    /// their limits.
    pub fn identity(&self) -> String {
        let engine = self.engine.as_ref().map(Engine::identity).unwrap_or_default();
        let describer = self.describer.as_ref().map(|describer| format!(" {}", describer.identity()));
        format!("{engine} {} {}{}", self.bounds.time.as_millis(), self.pages, describer.unwrap_or_default())
    }

    /// Whether a service gets pictures.
    pub fn sends_pictures(&self) -> bool {
        self.describer.is_some() || matches!(self.engine, Some(Engine::Service(_)))
    }

    /// From now on, services get no pictures. Pictures without a known text count as [`unsent`](Self::unsent).
    pub fn send_nothing(&self) {
        self.is_dry.store(true, Ordering::Relaxed);
    }

    /// Returns the number of pictures that services would have got.
    pub fn unsent(&self) -> usize {
        self.unsent.load(Ordering::Relaxed)
    }

    /// Begins a run of the indexer: forgets the failure of a service in the run before.
    pub fn begin_run(&self) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = None;
        for engine in self.engine.iter().chain(&self.describer) {
            if let Engine::Service(service) = engine {
                service.begin_run();
            }
        }
    }

    /// Returns an error if the user has asked to stop, or if a service has failed.
    pub fn check(&self) -> Result<()> {
        self.progress.check()?;
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map_or(Ok(()), |said| Err(anyhow!("pictures cannot be read: {said}")))
    }

    /// Returns a reader for the pictures of one file.
    pub fn for_file(&self) -> impl PictureReader + '_ {
        FileRecognizer { recognizer: self, left: AtomicUsize::new(self.pages), slow: AtomicUsize::new(0) }
    }

    /// Returns the engine that reads `picture`. Models do not read TIFF files.
    fn engine_for(&self, picture: &Picture) -> Option<&Engine> {
        let is_figure = picture.subject == Subject::Figure && !picture.is_tiff();
        let describer = self.describer.as_ref().filter(|_| is_figure || self.engine.is_none());
        describer.or(self.engine.as_ref())
    }

    fn read(&self, picture: &Picture, pages: usize, slow: &AtomicUsize) -> Recognized {
        let Some(engine) = self.engine_for(picture) else { return Err("nothing reads it".to_owned()) };
        let key = TextCache::key(picture, &engine.identity());
        if let Some(text) = self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(text);
        }
        if self.check().is_err() {
            return Err("the run was stopped".to_owned());
        }
        let text = match engine {
            Engine::Program(program) => self.run(program, picture, pages, slow),
            Engine::Service(service) => self.request(service.as_ref(), picture),
        }?;
        if text.len() as u64 > MAX_TEXT_BYTES {
            return Err(words(&Failure::TooMuchOutput, self.bounds.time));
        }
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).insert(key, &text);
        self.count(pages);
        Ok(text)
    }

    /// Has `service` read `picture`. After a failure of the service, the run stops.
    fn request(&self, service: &dyn PictureService, picture: &Picture) -> Recognized {
        if self.is_dry.load(Ordering::Relaxed) {
            self.unsent.fetch_add(1, Ordering::Relaxed);
            return Err("nothing is sent in a dry run".to_owned());
        }
        service.read(picture, &|| self.check()).map_err(|failure| match failure {
            ServiceFailure::Picture(reason) => reason,
            ServiceFailure::Service(error) => {
                let said = one_line(&format!("{error:#}"));
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(said.clone());
                said
            }
        })
    }

    /// Has `program` read `picture`.
    fn run(&self, program: &Program, picture: &Picture, pages: usize, slow: &AtomicUsize) -> Recognized {
        if slow.load(Ordering::Relaxed) >= MAX_SLOW {
            return Err(format!("{MAX_SLOW} others took too long"));
        }
        let mut arguments = program.arguments.clone();
        if picture.dpi > 0 {
            arguments.extend(["--dpi".to_owned(), picture.dpi.to_string()]);
        }
        let time = self.bounds.time * u32::try_from(pages).unwrap_or(u32::MAX);
        let bounds = Bounds { time, ..self.bounds.clone() };
        let finished = run(&program.path, &arguments, &picture.bytes, &bounds).map_err(|failure| {
            if matches!(failure, Failure::TooSlow) {
                slow.fetch_add(1, Ordering::Relaxed);
            }
            words(&failure, time)
        })?;
        if !finished.status.success() {
            let said = String::from_utf8_lossy(&finished.errors).into_owned();
            let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it gives no details");
            let last: String = one_line(last).chars().take(MAX_MESSAGE_CHARS).collect();
            return Err(format!("OCR failed: {last}"));
        }
        Ok(String::from_utf8_lossy(&finished.output).into_owned())
    }

    /// Reports from time to time how many pages were read.
    fn count(&self, pages: usize) {
        let read = self.pages_read.fetch_add(pages, Ordering::Relaxed) + pages;
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.elapsed() >= BETWEEN_LINES {
            *said = Instant::now();
            self.progress.note(&format!("OCR: {read} pages read"));
        }
    }
}

impl Engine {
    fn identity(&self) -> String {
        match self {
            Self::Program(program) => program.identity.clone(),
            Self::Service(service) => service.identity(),
        }
    }
}

fn words(failure: &Failure, time: Duration) -> String {
    match failure {
        Failure::DoesNotStart(error) => format!("the OCR program does not start: {error}"),
        Failure::TooSlow => format!("OCR takes longer than {} s", time.as_secs_f32()),
        Failure::TooMuchOutput => format!("OCR returns more than {} MB of text", MAX_TEXT_BYTES >> 20),
    }
}

/// Reads the pictures of one file.
struct FileRecognizer<'a> {
    recognizer: &'a Recognizer,
    /// Number of pages that may still be read.
    left: AtomicUsize,
    /// Number of pictures that took too long.
    slow: AtomicUsize,
}

impl PictureReader for FileRecognizer<'_> {
    fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized> {
        let mut left = self.left.load(Ordering::Relaxed);
        let mut wanted = Vec::with_capacity(pictures.len());
        for picture in &pictures {
            if left == 0 {
                break;
            }
            // The program reads all pages of a TIFF.
            let pages = match tiff::pages(&picture.bytes) {
                Ok(pages) if pages <= left => Ok(pages.max(1)),
                Ok(_) => Err(format!("it has more than {left} pages; raise `pages` in [ocr]")),
                Err(problem) => Err(problem.to_owned()),
            };
            left -= pages.as_ref().copied().unwrap_or(1);
            wanted.push((picture, pages));
        }
        self.left.store(left, Ordering::Relaxed);
        let read = |(picture, pages): (&Picture, Result<usize, String>)| {
            pages.and_then(|pages| self.recognizer.read(picture, pages, &self.slow))
        };
        let texts = wanted.into_par_iter().map(read).collect();
        // Save now, so that an interrupted run does not lose pages.
        self.recognizer.cache.lock().unwrap_or_else(PoisonError::into_inner).save();
        texts
    }

    fn describes(&self) -> bool {
        self.recognizer.describer.is_some()
    }
}
