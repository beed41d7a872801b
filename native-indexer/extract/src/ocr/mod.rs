//! Recognizes the text of pictures, such as scanned pages (OCR), and has a model describe figures.
//!
//! An external program or a service reads the pictures. The program gets a picture on its standard input, never the
//! name of a file, and prints the text. It runs within limits of time, memory and output. A cache keeps the text by the
//! bytes of the picture.

mod bounded_process;
#[cfg(feature = "formats")]
mod embedded;
mod picture;
#[cfg(feature = "formats")]
mod portable;
mod program;
mod recognizer;
mod service;
mod settings;
mod text_cache;
mod tiff;

pub use bounded_process::{LIMITED_COMMAND, become_limited};
#[cfg(feature = "formats")]
pub(crate) use embedded::may_have_text;
#[cfg(feature = "formats")]
pub(crate) use picture::media_type;
pub use picture::{Picture, PictureReader, Recognized, Subject};
#[cfg(feature = "formats")]
pub use portable::portable;
pub use recognizer::{Recognizer, Services};
pub use service::{PictureService, ServiceFailure};
pub use settings::{OcrServiceSettings, OcrSettings};

/// Tells users how to read pages that are pictures.
pub const HOW_TO_READ_PICTURES: &str = "to read them, install Tesseract (`apt install tesseract-ocr` or `brew install tesseract`) and index with --ocr, or with [ocr] in nearfind.toml";
