//! Reads the files that are attached to a document.

use super::objects::text;
use super::outline::collect_names;
use crate::attached::{PartReader, attached_document, nested};
use crate::document_writer::DocumentWriter;
use crate::kinds::{kind_of, kind_with_text};
use crate::words::one_line;
use hayro_syntax::object::{Dict, Object, Stream, String as PdfString};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Maximum number of files that are listed, and maximum number of files that are read.
const MAX_FILES: usize = 1_000;
const MAX_READ: usize = 100;
/// Maximum number of bytes of all files that are read.
const MAX_READ_BYTES: usize = 64 << 20;
/// The expansion that is assumed for a file without a declared size.
const MAX_EXPANSION: usize = 100;
/// Maximum number of files that a note names.
const MAX_NAMED: usize = 5;

/// An attached file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AttachedFile {
    pub name: String,
    /// The content, if a reader knows the kind of the file and the limits allow it.
    pub bytes: Option<Vec<u8>>,
}

/// The number of files and bytes that may still be unpacked.
#[derive(Debug)]
pub(super) struct Budget {
    files: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { files: MAX_READ, bytes: MAX_READ_BYTES }
    }
}

/// Returns the files that are attached to the document rather than to a page.
pub(super) fn files(catalog: &Dict<'_>, budget: &mut Budget) -> Vec<AttachedFile> {
    let mut named = HashMap::new();
    if let Some(tree) = catalog.get::<Dict<'_>>("Names").and_then(|names| names.get::<Dict<'_>>("EmbeddedFiles")) {
        collect_names(&tree, &mut named, 0);
    }
    // The order of the tree is not kept, so files are sorted by their keys.
    let named: BTreeMap<Vec<u8>, Object<'_>> = named.into_iter().collect();
    let specifications = named.into_values().filter_map(Object::into_dict);
    specifications.filter_map(|file| attached_file(&file, budget)).take(MAX_FILES).collect()
}

/// Reads the specification of a file.
pub(super) fn attached_file(file: &Dict<'_>, budget: &mut Budget) -> Option<AttachedFile> {
    let said = file.get::<PdfString<'_>>("UF").or_else(|| file.get::<PdfString<'_>>("F"))?;
    let name = Some(one_line(&text(said.as_bytes()))).filter(|name| !name.is_empty())?;
    let bytes = kind_of(Path::new(&name)).and_then(|_| unpacked(file, budget));
    Some(AttachedFile { name, bytes })
}

/// Returns the content of a file, within the budget.
fn unpacked(file: &Dict<'_>, budget: &mut Budget) -> Option<Vec<u8>> {
    let stored = file.get::<Dict<'_>>("EF")?;
    let stream = stored.get::<Stream<'_>>("UF").or_else(|| stored.get::<Stream<'_>>("F"))?;
    // A file without a declared size is only unpacked if it is small, because it may unpack without end.
    let declared = stream.dict().get::<Dict<'_>>("Params").and_then(|params| params.get::<i64>("Size"));
    let expected = match declared {
        Some(size) => usize::try_from(size).unwrap_or(usize::MAX),
        None => stream.raw_data().len().saturating_mul(MAX_EXPANSION),
    };
    if budget.files == 0 || expected > budget.bytes {
        return None;
    }
    let bytes = stream.decoded_data().ok()?;
    budget.files -= 1;
    budget.bytes = budget.bytes.checked_sub(bytes.len())?;
    Some(bytes.to_vec())
}

/// Writes the files after the document, each below a heading with its name if `parts` finds text in it. Returns notes
/// for a report.
pub(super) fn write(mut files: Vec<AttachedFile>, parts: PartReader<'_>, writer: &mut DocumentWriter) -> Vec<String> {
    files.sort_by(|a, b| a.name.cmp(&b.name).then(b.bytes.cmp(&a.bytes)));
    files.dedup_by(|later, first| later.name == first.name && (later.bytes.is_none() || later == first));
    files.truncate(MAX_FILES);
    files.iter().for_each(|file| writer.paragraph(&format!("Attached file: {}", file.name)));
    let mut notes = Vec::new();
    let mut unread = Vec::new();
    for AttachedFile { name, bytes } in &files {
        let Some(kind) = kind_of(Path::new(name)).filter(|kind| !kind.is_picture() || parts.reads_pictures) else {
            continue;
        };
        if writer.is_full() {
            break;
        }
        let Some(bytes) = bytes else {
            unread.extend(kind_with_text(Path::new(name)).map(|_| name.as_str()));
            continue;
        };
        match attached_document(kind, name, bytes, parts.read) {
            Ok(document) => {
                writer.mark("", name, "");
                writer.heading(1, name);
                writer.embed(&nested(&document, 1, name));
                notes.extend(document.notes.iter().map(|note| format!("its attachment {name}: {note}")));
            }
            Err(reason) => notes.push(format!("its attachment {name} was left out: {reason}")),
        }
    }
    notes.extend(unread_note(&unread));
    notes
}

/// Returns a note on the files that nearfind could read if they were next to the document.
fn unread_note(names: &[&str]) -> Option<String> {
    let more = names.len().saturating_sub(MAX_NAMED);
    let named = names.get(..MAX_NAMED).unwrap_or(names).join(", ");
    let and_more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty())
        .then(|| format!("some attached files were not read; save them next to the document: {named}{and_more}"))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::extract;
    use super::super::fixtures::{FIRST_OBJECT, document_of_pages, show};
    use crate::extraction::Extraction;

    #[test]
    fn attached_files_are_named() {
        let catalog =
            "/Names << /EmbeddedFiles << /Names [(b) << /F (prices.xlsx) >> (a) << /F (x) /UF (data.bin) >>] >> >>";
        let pin = "/Annots [<< /Subtype /FileAttachment /Rect [0 0 9 9] /FS << /F (plan.docx) >> >>]";
        let page = show("A page of text", 50, 700, 10);
        let extracted = extract(&document_of_pages(&[&page], pin, catalog, &["<< >>"])).unwrap();
        let text =
            "A page of text\n\nAttached file: data.bin\n\nAttached file: plan.docx\n\nAttached file: prices.xlsx\n";
        assert_eq!(extracted.text, text);
        assert_eq!(
            extracted.notes,
            ["some attached files were not read; save them next to the document: plan.docx, prices.xlsx"]
        );
    }

    #[test]
    fn attached_files_are_read_after_the_pages() {
        let file = |text: &str| format!("<< /Type /EmbeddedFile /Length {} >>\nstream\n{text}\nendstream", text.len());
        let objects = ["<< >>".to_owned(), file("# Prices\n\nA kettle costs 20."), file("no text"), file("A plan.")];
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        let of = |name: &str, number: usize| format!("<< /F ({name}) /EF << /F {} 0 R >> >>", FIRST_OBJECT + number);
        let catalog =
            format!("/Names << /EmbeddedFiles << /Names [(b) {} (a) {}] >> >>", of("prices.md", 1), of("data.bin", 2));
        let pin = format!("/Annots [<< /Subtype /FileAttachment /Rect [0 0 9 9] /FS {} >>]", of("plan.txt", 3));
        let page = show("A page of text", 50, 700, 10);
        let bytes = document_of_pages(&[&page], &pin, &catalog, &objects);
        let Ok(Extraction::Document(extracted)) = crate::extract("a.pdf", &bytes) else { panic!() };
        assert!(
            extracted.text.ends_with(
                "Attached file: prices.md\n\n# plan.txt\n\nA plan.\n\n# prices.md\n\n## Prices\n\nA kettle costs 20.\n"
            ),
            "{}",
            extracted.text
        );
        assert!(extracted.notes.is_empty(), "{:?}", extracted.notes);
        assert_eq!(extracted.marks.last().unwrap().label, "prices.md");
    }

    #[test]
    fn documents_in_documents_end() {
        let mut bytes = document_of_pages(&[&show("Innermost text", 50, 700, 10)], "", "", &["<< >>"]);
        for _ in 0..8 {
            let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let file = format!(
                "<< /Filter /ASCIIHexDecode /Length {} >>\nstream\n{hexadecimal}>\nendstream",
                hexadecimal.len() + 1
            );
            let catalog = format!(
                "/Names << /EmbeddedFiles << /Names [(a) << /F (a.pdf) /EF << /F {} 0 R >> >>] >> >>",
                FIRST_OBJECT + 1
            );
            bytes = document_of_pages(&[&show("A page of text", 50, 700, 10)], "", &catalog, &["<< >>", &file]);
        }
        let Ok(Extraction::Document(extracted)) = crate::extract("a.pdf", &bytes) else { panic!() };
        assert_eq!(extracted.text.matches("A page of text").count(), 1 + 3, "{}", extracted.text);
        assert!(!extracted.text.contains("Innermost"));
        assert!(extracted.notes[0].contains("inside too many others"), "{:?}", extracted.notes);
    }
}
