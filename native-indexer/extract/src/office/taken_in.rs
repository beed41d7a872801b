//! Parts that a document of Word takes in whole (`altChunk`): pages, texts and other documents of Word.

use super::package::{Package, Relationship};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::{html, plain_text};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

/// Parts beyond this are not read.
const MAX_PARTS: usize = 100;

/// The parts that `relationships` lead to, by the ids of those; `nested` reads a document. What could not be read goes to
/// `notes`.
pub(super) fn read(
    package: &mut Package<'_>,
    relationships: &[Relationship],
    nested: &dyn Fn(&[u8]) -> Result<Extracted, ExtractError>,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<String, Extracted>, ExtractError> {
    let mut parts = BTreeMap::new();
    let taken_in = relationships.iter().filter(|relationship| relationship.kind == "aFChunk");
    for Relationship { id, target, .. } in taken_in.take(MAX_PARTS) {
        let Some(bytes) = package.part(target)? else { continue };
        let ending = Path::new(target).extension().map(OsStr::to_ascii_lowercase).unwrap_or_default();
        let read = match ending.to_str() {
            Some("docx" | "docm" | "dotx" | "dotm") => nested(&bytes),
            Some("htm" | "html" | "xhtml" | "xht") => html::part(&html::decode(&bytes).0),
            Some("txt" | "text") => Ok(text(&bytes)),
            // Producers choose any ending, as the package says elsewhere what a part is.
            _ if bytes.starts_with(b"PK") => nested(&bytes),
            _ if begins_as_page(&bytes) => html::part(&html::decode(&bytes).0),
            _ => {
                notes.push(format!("its part {target} was left out, as it is neither a page nor a text nor a .docx"));
                continue;
            }
        };
        match read {
            Ok(mut extracted) => {
                notes.append(&mut extracted.notes);
                // Anchors lead to places inside the part.
                extracted.headings.iter_mut().for_each(|heading| heading.anchor.clear());
                parts.insert(id.clone(), extracted);
            }
            Err(error) => notes.push(format!("its part {target} was left out: {error}")),
        }
    }
    Ok(parts)
}

fn begins_as_page(bytes: &[u8]) -> bool {
    let start = plain_text::decode(&bytes[..bytes.len().min(1024)]).to_lowercase();
    let start = start.trim_start_matches('\u{feff}').trim_start();
    start.starts_with("<!doctype html")
        || start.starts_with("<html")
        || start.starts_with("<?xml") && start.contains("<html")
}

/// Paragraphs between empty lines.
fn text(bytes: &[u8]) -> Extracted {
    let text = plain_text::decode(bytes).replace("\r\n", "\n").replace('\r', "\n");
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
        assert_eq!(
            extracted.notes,
            ["its part word/old.rtf was left out, as it is neither a page nor a text nor a .docx"]
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
