//! Reads whole documents that a Word document includes (`altChunk`): web pages, texts, Word documents and other
//! formats.

use super::package::{Package, Relationship};
use super::xml::{attribute, below};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::extraction::{Extraction, ReadPart};
use crate::ocr::PictureReader;
use crate::{html, text_encoding};
use roxmltree::Node;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

/// Maximum number of included documents in a file, at all depths.
const MAX_PARTS: usize = 100;
/// Maximum number of bytes to unpack from all included documents.
const MAX_UNPACKED_BYTES: u64 = 128 << 20;

/// A function that reads a Word document that is included in another one.
pub(super) type ReadNested<'r> = &'r dyn Fn(&[u8], &mut Budget<'_>) -> Result<Extracted, ExtractError>;

/// The number of documents and bytes that may still be included. All depths share the limits, because the number of
/// documents may grow exponentially with the depth.
pub(super) struct Budget<'r> {
    parts: usize,
    pub(super) bytes: u64,
    is_told: bool,
    /// Reads parts that are not Word documents, web pages or texts.
    read: ReadPart<'r>,
    /// Reads pictures, if OCR is on.
    pub(super) pictures: Option<&'r dyn PictureReader>,
}

impl<'r> Budget<'r> {
    pub(super) fn new(read: ReadPart<'r>, pictures: Option<&'r dyn PictureReader>) -> Self {
        Self { parts: MAX_PARTS, bytes: MAX_UNPACKED_BYTES, is_told: false, read, pictures }
    }
}

/// Reads the parts that `body` refers to, by relationship id. `nested` reads a Word document. Problems are added to
/// `notes`.
pub(super) fn read(
    package: &mut Package<'_>,
    relationships: &[Relationship],
    body: Node<'_, '_>,
    budget: &mut Budget<'_>,
    nested: ReadNested<'_>,
    notes: &mut Vec<String>,
) -> BTreeMap<String, Extracted> {
    let mut parts = BTreeMap::new();
    let known = relationships.iter().filter(|relationship| relationship.kind == "aFChunk");
    let mut known: BTreeMap<&str, &str> =
        known.map(|relationship| (relationship.id.as_str(), relationship.target.as_str())).collect();
    for reference in below(body, "altChunk") {
        // Each reference has its own part.
        let Some((id, target)) = attribute(reference, "id").and_then(|id| known.remove_entry(id)) else { continue };
        let Some(parts_left) = budget.parts.checked_sub(1) else {
            if !std::mem::replace(&mut budget.is_told, true) {
                notes.push(format!("only the first {MAX_PARTS} of the documents in it were read"));
            }
            break;
        };
        budget.parts = parts_left;
        match read_part(package, target, budget, nested) {
            Ok(Some(mut extracted)) => {
                notes.append(&mut extracted.notes);
                // Anchors would lead into the part.
                extracted.headings.iter_mut().for_each(|heading| heading.anchor.clear());
                parts.insert(id.to_owned(), extracted);
            }
            Ok(None) => {
                notes.push(format!("its part {target} was left out, as it is not a page, a text or a document"));
            }
            Err(error) => notes.push(format!("its part {target} was left out: {error}")),
        }
    }
    parts
}

/// Reads the part called `target`. Returns `None` if there is no reader for it.
fn read_part(
    package: &mut Package<'_>,
    target: &str,
    budget: &mut Budget<'_>,
    nested: ReadNested<'_>,
) -> Result<Option<Extracted>, ExtractError> {
    let missing = || ExtractError::Damaged("it is missing".to_owned());
    let bytes = package.part(target)?.ok_or_else(missing)?;
    let ending = Path::new(target).extension().map(OsStr::to_ascii_lowercase).unwrap_or_default();
    let read = match ending.to_str() {
        Some("docx" | "docm" | "dotx" | "dotm") => nested(&bytes, budget),
        Some("htm" | "html" | "xhtml" | "xht") => html::part(&html::decode(&bytes).0),
        Some("txt" | "text") => Ok(text(&bytes)),
        // The extension is arbitrary, because the package declares the type of a part elsewhere.
        _ if bytes.starts_with(b"PK") => nested(&bytes, budget),
        _ if begins_as_page(&bytes) => html::part(&html::decode(&bytes).0),
        _ => {
            return match (budget.read)(name_of(&bytes, ending.to_str().unwrap_or_default()), &bytes)? {
                Extraction::Document(extracted) => Ok(Some(*extracted)),
                _ => Ok(None),
            };
        }
    };
    read.map(Some)
}

/// Returns a name with the extension for Rich Text, or for a page that a browser saved. For other parts, returns a name
/// without an extension.
fn name_of(bytes: &[u8], ending: &str) -> &'static str {
    let is_saved_page = matches!(ending, "mht" | "mhtml") || bytes.trim_ascii_start().starts_with(b"MIME-Version:");
    match () {
        () if bytes.trim_ascii_start().starts_with(b"{\\rtf") => "part.rtf",
        () if is_saved_page => "part.mht",
        () => "part",
    }
}

fn begins_as_page(bytes: &[u8]) -> bool {
    let start = text_encoding::decode(&bytes[..bytes.len().min(1024)]).0.to_lowercase();
    let start = start.trim_start_matches('\u{feff}').trim_start();
    start.starts_with("<!doctype html")
        || start.starts_with("<html")
        || start.starts_with("<?xml") && start.contains("<html")
}

/// Reads a plain text with empty lines between paragraphs.
fn text(bytes: &[u8]) -> Extracted {
    let text = text_encoding::decode(bytes).0.replace("\r\n", "\n").replace('\r', "\n");
    let mut writer = DocumentWriter::default();
    text.split("\n\n").for_each(|paragraph| writer.paragraph(paragraph));
    writer.finish(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{docx, docx_bytes, paragraph};

    #[test]
    fn pages_texts_and_documents_are_read_at_their_place() {
        let inner = docx(&format!("{}{}", paragraph("Inner document."), paragraph("Its end.")));
        let page = "<html><head><title>x</title></head><body><h2>Part</h2><p>A <b>page</b>.</p></body></html>";
        let chunk = |id: &str| format!(r#"<w:altChunk w:id="{id}"/>"#);
        let body = [paragraph("Before."), chunk("p"), chunk("t"), chunk("d"), chunk("r"), paragraph("After.")].concat();
        let bytes = docx_bytes(
            &body,
            &[
                ("p", "aFChunk", "page.html", page.as_bytes()),
                ("t", "aFChunk", "note.txt", b"First.\r\n\r\nSecond."),
                ("d", "aFChunk", "inner.dat", &inner),
                ("r", "aFChunk", "old.rtf", b"{\\rtf1 x}"),
            ],
        );
        let extracted = super::super::docx(&bytes).unwrap();
        assert_eq!(
            extracted.text,
            "Before.\n\n## Part\n\nA page.\n\nFirst.\n\nSecond.\n\nInner document.\n\nIts end.\n\nAfter.\n"
        );
        assert_eq!(extracted.headings.len(), 1);
        assert_eq!(extracted.notes, ["its part word/old.rtf was left out, as it is not a page, a text or a document"]);
    }

    #[test]
    fn parts_that_no_place_refers_to_are_not_read() {
        let bytes = docx_bytes(&paragraph("All."), &[("d", "aFChunk", "inner.bin", b"no document")]);
        let extracted = super::super::docx(&bytes).unwrap();
        assert_eq!((extracted.text.as_str(), extracted.notes), ("All.\n", Vec::new()));
    }

    /// Returns a document that includes the document `inner` `count` times.
    fn many_times(inner: &[u8], count: usize) -> Vec<u8> {
        let ids: Vec<String> = (0..count).map(|number| format!("d{number}")).collect();
        let body: String = ids.iter().map(|id| format!(r#"<w:altChunk w:id="{id}"/>"#)).collect();
        let name = |id: &String| format!("{id}.docx");
        let names: Vec<String> = ids.iter().map(name).collect();
        let parts: Vec<_> = ids.iter().zip(&names).map(|(id, name)| (&**id, "aFChunk", &**name, inner)).collect();
        docx_bytes(&body, &parts)
    }

    #[test]
    fn documents_in_documents_are_counted_together() {
        let once = many_times(&docx(&paragraph("Innermost.")), 20);
        let extracted = super::super::docx(&many_times(&once, 20)).unwrap();
        // Four documents are read with all 20 parts, and a fifth with the remaining 15.
        assert_eq!(extracted.text.matches("Innermost.").count(), super::MAX_PARTS - 5);
        assert_eq!(extracted.notes, ["only the first 100 of the documents in it were read"]);
    }

    #[test]
    fn documents_in_documents_share_what_may_be_unpacked() {
        let long = "x".repeat(30 << 20);
        let bytes = many_times(&docx(&paragraph(&long)), 6);
        let extracted = super::super::docx(&bytes).unwrap();
        assert_eq!(extracted.text.matches(&*long).count(), 1, "one alone is as much as is read of a text");
        assert!(
            extracted.notes.iter().any(|note| note.contains("was left out: it is larger than")),
            "{:?}",
            extracted.notes
        );
    }

    #[test]
    fn documents_in_documents_end() {
        let mut bytes = docx(&paragraph("Innermost."));
        for _ in 0..6 {
            bytes = docx_bytes(r#"<w:altChunk w:id="d"/>"#, &[("d", "aFChunk", "inner.docx", &bytes)]);
        }
        let extracted = super::super::docx(&bytes).unwrap();
        assert!(extracted.text.is_empty(), "{}", extracted.text);
    }
}
