//! From the name and the bytes of a file to what it is: each format has a reader of its own.

use crate::code::{self, Unwanted};
use crate::error::ExtractError;
use crate::extraction::Extraction;
use crate::kinds::{FileKind, kind_of};
use crate::left_out::LeftOut;
use crate::{asciidoc, html, letters, markdown, mdx, named_places, notebook, plain_text, restructuredtext};
#[cfg(feature = "formats")]
use crate::{documents, sheet};
use std::path::Path;

/// How a file begins that Git LFS puts in place of another.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Extracts the text of the file called `name`; that `kind_of` does not know is not content.
///
/// ```
/// use nearfind_extract::{Extraction, extract};
///
/// # fn main() -> Result<(), nearfind_extract::ExtractError> {
/// let page = "<!doctype html><main><h1>Undo</h1><p>Run <code>git revert</code>.</p></main>";
/// let Extraction::Document(document) = extract("undo.html", page.as_bytes())? else { panic!("a page is a document") };
/// assert_eq!(document.title, "Undo");
/// assert!(document.text.contains("Run `git revert`."));
/// # Ok(())
/// # }
/// ```
pub fn extract(name: &str, bytes: &[u8]) -> Result<Extraction, ExtractError> {
    let Some(kind) = kind_of(Path::new(name)) else { return Ok(Extraction::LeftOut(LeftOut::Empty)) };
    if bytes.starts_with(LFS_POINTER) {
        return Err(ExtractError::LfsPointer);
    }
    let mut outcome = read(kind, name, bytes)?;
    let Extraction::Document(extracted) = &mut outcome else { return Ok(outcome) };
    letters::compose(extracted);
    named_places::shorten(extracted);
    if !kind.is_page() {
        // A link to it may be a download: readers want to know of what, and how much.
        let shown = [("format", kind.format_name().to_owned()), ("size", bytes.len().to_string())];
        extracted.metadata.shown.extend(shown.map(|(name, value)| (name.to_owned(), value)));
    }
    Ok(outcome)
}

/// Reads the file called `name` as source code.
pub fn extract_code(name: &str, bytes: &[u8]) -> Extraction {
    if plain_text::is_binary(bytes) || bytes.starts_with(LFS_POINTER) {
        return Extraction::Unwanted(Unwanted::Binary);
    }
    let text = plain_text::decode(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match code::read(name, text) {
        Ok(file) => Extraction::Code(Box::new(file)),
        Err(reason) => Extraction::Unwanted(reason),
    }
}

fn read(kind: FileKind, name: &str, bytes: &[u8]) -> Result<Extraction, ExtractError> {
    match kind {
        #[cfg(feature = "formats")]
        FileKind::Document(format) => return documents::extract(format, bytes),
        #[cfg(feature = "formats")]
        FileKind::Delimited if plain_text::is_binary(bytes) => return Err(ExtractError::Binary),
        #[cfg(feature = "formats")]
        FileKind::Delimited => {
            let extracted = sheet::delimited(bytes)?;
            let is_empty = extracted.text.is_empty();
            return Ok(if is_empty {
                Extraction::LeftOut(LeftOut::Empty)
            } else {
                Extraction::Document(Box::new(extracted))
            });
        }
        FileKind::Text if plain_text::is_binary(bytes) => return Err(ExtractError::Binary),
        FileKind::Text => return Ok(plain_text::extract(bytes)),
        FileKind::Html => {
            let (text, note) = html::decode(bytes);
            let mut outcome = html::extract(name.rsplit('/').next().unwrap_or(name), &text)?;
            if let Extraction::Document(extracted) = &mut outcome {
                extracted.notes.extend(note);
            }
            return Ok(outcome);
        }
        _ if bytes.contains(&0) => return Err(ExtractError::Binary),
        _ => {}
    }
    let text = str::from_utf8(bytes).map_err(|_| ExtractError::NotUtf8)?;
    match kind {
        FileKind::Mdx => Ok(markdown::extract(&mdx::to_markdown(text))),
        FileKind::Notebook => notebook::extract(text),
        FileKind::RestructuredText => {
            if let Some(target) = restructuredtext::only_inclusion(text) {
                return Ok(Extraction::Redirect(target.to_owned()));
            }
            let text = restructuredtext::to_markdown(text.trim_start_matches('\u{feff}'));
            Ok(Extraction::Document(Box::new(markdown::structure(&text))))
        }
        FileKind::AsciiDoc => Ok(Extraction::Document(Box::new(markdown::structure(&asciidoc::to_markdown(text))))),
        _ => Ok(markdown::extract(text)),
    }
}
