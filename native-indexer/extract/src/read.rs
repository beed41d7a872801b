//! Reads a file from its name and its bytes, with the reader for its format.

use crate::code::{self, Unwanted};
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::extraction::Extraction;
use crate::kinds::{FileKind, kind_of};
use crate::left_out::LeftOut;
use crate::ocr::PictureReader;
use crate::{
    asciidoc, fiction_book, html, letters, man, markdown, mdx, mediawiki, named_places, notebook, org, plain_text,
    restructuredtext, subtitles, text_encoding, textile,
};
#[cfg(feature = "formats")]
use crate::{documents, sheet};
use std::path::Path;

/// Maximum number of documents that a document may be inside.
const MAX_DEPTH: usize = 3;
/// First bytes of the placeholder that Git LFS stores for a large file.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Extracts the text of the file called `name`. A file of an unknown kind is left out: see [`kind_of`](crate::kind_of).
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
    extract_with_ocr(name, bytes, None)
}

/// Extracts the text of a file like [`extract`]. If `pictures` is set, it reads pictures and pages without text.
pub fn extract_with_ocr(
    name: &str,
    bytes: &[u8],
    pictures: Option<&dyn PictureReader>,
) -> Result<Extraction, ExtractError> {
    let Some(kind) = kind_of(Path::new(name)) else { return Ok(Extraction::LeftOut(LeftOut::Empty)) };
    if bytes.starts_with(LFS_POINTER) {
        return Err(ExtractError::LfsPointer);
    }
    let mut outcome = read(kind, name, bytes, pictures, MAX_DEPTH)?;
    let Extraction::Document(extracted) = &mut outcome else { return Ok(outcome) };
    letters::compose(extracted);
    named_places::shorten(extracted);
    if !kind.is_page() {
        // A link to the file may be a download, so results show its format and its size.
        let shown = [("format", kind.format_name().to_owned()), ("size", bytes.len().to_string())];
        extracted.metadata.shown.extend(shown.map(|(name, value)| (name.to_owned(), value)));
    }
    Ok(outcome)
}

/// Reads the file called `name` as source code.
///
/// ```
/// use nearfind_extract::{Extraction, extract_code};
///
/// let Extraction::Code(file) = extract_code("undo.py", b"def undo(commit):\n    return commit.parent\n") else {
///     panic!("Python is source code")
/// };
/// assert_eq!(file.language, "python");
/// assert!(matches!(extract_code("undo.bin", b"\0\x01\x02\0"), Extraction::Unwanted(_)));
/// ```
pub fn extract_code(name: &str, bytes: &[u8]) -> Extraction {
    if text_encoding::is_binary(bytes) || bytes.starts_with(LFS_POINTER) {
        return Extraction::Unwanted(Unwanted::Binary);
    }
    let text = text_encoding::decode(bytes).0.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match code::read(name, text) {
        Ok(file) => Extraction::Code(Box::new(file)),
        Err(reason) => Extraction::Unwanted(reason),
    }
}

#[cfg_attr(not(feature = "formats"), expect(unused_variables, reason = "only documents have pictures and attachments"))]
fn read(
    kind: FileKind,
    name: &str,
    bytes: &[u8],
    pictures: Option<&dyn PictureReader>,
    depth: usize,
) -> Result<Extraction, ExtractError> {
    match kind {
        #[cfg(feature = "formats")]
        FileKind::Document(format) => {
            let attached = |name: &str, bytes: &[u8]| attached(name, bytes, pictures, depth);
            return documents::extract(format, bytes, &attached, pictures);
        }
        FileKind::Html => {
            let (text, note) = html::decode(bytes);
            return Ok(noted(html::extract(name.rsplit('/').next().unwrap_or(name), &text)?, note));
        }
        FileKind::Manual if !man::is_manual(bytes) => return Ok(Extraction::LeftOut(LeftOut::NoManual)),
        _ if text_encoding::is_binary(bytes) => return Err(ExtractError::Binary),
        FileKind::MediaWiki => {
            let (text, note) = text_encoding::decode(bytes);
            return Ok(noted(with_text(mediawiki::extract(&text)?), note));
        }
        FileKind::Textile => {
            let (text, note) = text_encoding::decode(bytes);
            return Ok(noted(with_text(textile::extract(&text)?), note));
        }
        FileKind::FictionBook => return Ok(Extraction::Document(Box::new(fiction_book::extract(bytes)?))),
        // JSON is UTF-8.
        FileKind::Notebook => return notebook::extract(str::from_utf8(bytes).map_err(|_| ExtractError::NotUtf8)?),
        _ => {}
    }
    let (text, note) = text_encoding::decode(bytes);
    #[cfg(feature = "formats")]
    if kind == FileKind::Delimited {
        return Ok(noted(with_text(sheet::delimited(&text)?), note));
    }
    Ok(noted(read_text(kind, &text), note))
}

/// Reads an attachment or another part of a document.
#[cfg(feature = "formats")]
fn attached(
    name: &str,
    bytes: &[u8],
    pictures: Option<&dyn PictureReader>,
    depth: usize,
) -> Result<Extraction, ExtractError> {
    // A document may contain itself.
    let depth = depth.checked_sub(1).ok_or(ExtractError::AttachedTooDeep)?;
    // Most small attached pictures belong to signatures.
    let is_read = |kind: &FileKind| !kind.is_picture() || pictures.is_some() && crate::ocr::may_have_text(bytes);
    match crate::kinds::kind_of(Path::new(name)).filter(is_read) {
        Some(kind) if bytes.len() as u64 <= kind.max_bytes() => read(kind, name, bytes, pictures, depth),
        _ => Ok(Extraction::LeftOut(LeftOut::Empty)),
    }
}

/// Returns a document, or leaves it out if it does not contain text.
fn with_text(extracted: Extracted) -> Extraction {
    let is_empty = extracted.text.trim().is_empty();
    if is_empty { Extraction::LeftOut(LeftOut::Empty) } else { Extraction::Document(Box::new(extracted)) }
}

fn read_text(kind: FileKind, text: &str) -> Extraction {
    let document = |extracted| Extraction::Document(Box::new(extracted));
    match kind {
        FileKind::Text => plain_text::extract(text),
        FileKind::Manual => man::extract(text),
        FileKind::Subtitles => with_text(subtitles::extract(text)),
        FileKind::Org => document(markdown::structure_from(&org::to_markdown(text), text)),
        FileKind::Mdx => markdown::extract_from(&mdx::to_markdown(text), text),
        FileKind::RestructuredText => match restructuredtext::only_inclusion(text) {
            Some(target) => Extraction::Redirect(target.to_owned()),
            None => document(markdown::structure_from(&restructuredtext::to_markdown(text), text)),
        },
        FileKind::AsciiDoc => document(markdown::structure_from(&asciidoc::to_markdown(text), text)),
        _ => markdown::extract(text),
    }
}

/// Adds a note about the decoding of a file to `outcome`.
fn noted(mut outcome: Extraction, note: Option<String>) -> Extraction {
    if let Extraction::Document(extracted) = &mut outcome {
        extracted.notes.extend(note);
    }
    outcome
}

#[cfg(all(test, feature = "formats"))]
mod tests {
    use super::*;
    use crate::office::docx_bytes;

    #[test]
    fn parts_of_other_kinds_are_read_at_their_place() {
        let page = b"MIME-Version: 1.0\nContent-Type: text/html\n\n<html><body><p>A saved page</p></body></html>";
        let body = r#"<w:altChunk w:id="r"/><w:altChunk w:id="m"/><w:altChunk w:id="x"/>"#;
        let bytes = docx_bytes(
            body,
            &[
                ("r", "aFChunk", "a.rtf", b"{\\rtf1 Rich}"),
                ("m", "aFChunk", "b.mht", page),
                ("x", "aFChunk", "c.xlsx", b"other"),
            ],
        );
        let Ok(Extraction::Document(extracted)) = extract("a.docx", &bytes) else { panic!() };
        assert_eq!(extracted.text, "Rich\n\nA saved page\n");
        assert_eq!(extracted.notes.len(), 1, "{:?}", extracted.notes);
    }
}
