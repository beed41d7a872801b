//! Recognizes the text of pictures, such as scanned pages (OCR).
//!
//! An external program reads the pictures. It gets a picture on its standard input, never the name of a file, and
//! prints the text. It runs within limits of time, memory and output. A cache keeps the text by the bytes of the
//! picture.

mod bounded_process;
#[cfg(feature = "formats")]
mod embedded;
mod picture;
mod program;
mod recognizer;
mod settings;
mod text_cache;
mod tiff;

pub use bounded_process::{LIMITED_COMMAND, become_limited};
#[cfg(feature = "formats")]
pub(crate) use embedded::may_have_text;
pub use picture::{Picture, PictureReader, Recognized};
pub use recognizer::Recognizer;
pub use settings::OcrSettings;

/// Tells users how to read pages that are pictures.
pub const HOW_TO_READ_PICTURES: &str = "to read them, install Tesseract (`apt install tesseract-ocr` or `brew install tesseract`) and index with --ocr, or with [ocr] in nearfind.toml";
