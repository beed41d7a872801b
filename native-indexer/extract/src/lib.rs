//! Extracts structured text from files.

pub mod apart;
pub mod archive;
mod asciidoc;
#[cfg(feature = "formats")]
mod attached;
pub mod code;
#[cfg(feature = "formats")]
mod compound_file;
mod date;
mod directive_names;
#[cfg_attr(not(feature = "formats"), expect(dead_code, reason = "texts need a part of it"))]
mod document_writer;
#[cfg(feature = "formats")]
mod documents;
mod error;
mod extracted;
mod extraction;
mod fiction_book;
mod front_matter;
mod html;
mod html_tags;
mod kinds;
mod left_out;
mod letters;
#[cfg(feature = "formats")]
mod mail;
mod man;
mod markdown;
mod mdx;
mod mediawiki;
mod memory_limit;
mod named_places;
mod notebook;
#[cfg(feature = "formats")]
mod number_format;
pub mod ocr;
#[cfg(feature = "formats")]
mod office;
mod org;
#[cfg(feature = "formats")]
mod pdf;
#[cfg(feature = "formats")]
mod picture_file;
mod plain_text;
mod read;
mod restructuredtext;
#[cfg(feature = "formats")]
mod rtf;
mod scripts;
#[cfg(feature = "formats")]
mod sheet;
mod source_lines;
mod subtitles;
mod terminal_codes;
mod text_encoding;
mod textile;
mod words;

pub use date::{Date, date_in_name};
pub use error::ExtractError;
pub use extracted::{Extracted, Heading, MAX_WEIGHT, MIN_WEIGHT, Mark, Metadata};
pub use extraction::Extraction;
pub use html::{Links, links};
#[cfg(feature = "formats")]
pub use kinds::DocumentFormat;
pub use kinds::{FileKind, kind_of, kind_with_text};
pub use left_out::LeftOut;
pub use letters::composed;
pub use read::{extract, extract_code, extract_with_ocr};
pub use text_encoding::decode as decode_text;
pub use words::one_line;
