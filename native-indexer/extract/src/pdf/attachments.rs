//! Lists the files that are attached to a document.

use super::objects::text;
use super::outline::collect_names;
use crate::kinds::kind_with_text;
use crate::words::one_line;
use hayro_syntax::object::{Dict, Object, String as PdfString};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Maximum number of listed files.
const MAX_FILES: usize = 1_000;
/// Maximum number of files to name in a note.
const MAX_NAMED: usize = 5;

/// Returns the names of the files that are attached to the document rather than to a page.
pub(super) fn names(catalog: &Dict<'_>) -> BTreeSet<String> {
    let mut files = HashMap::new();
    if let Some(tree) = catalog.get::<Dict<'_>>("Names").and_then(|names| names.get::<Dict<'_>>("EmbeddedFiles")) {
        collect_names(&tree, &mut files, 0);
    }
    let names: BTreeSet<String> =
        files.into_values().filter_map(Object::into_dict).filter_map(|file| name(&file)).collect();
    names.into_iter().take(MAX_FILES).collect()
}

/// Returns the name of a file from its specification.
pub(super) fn name(file: &Dict<'_>) -> Option<String> {
    let said = file.get::<PdfString<'_>>("UF").or_else(|| file.get::<PdfString<'_>>("F"))?;
    Some(one_line(&text(said.as_bytes()))).filter(|name| !name.is_empty())
}

/// Returns a note for a report, about attached files that nearfind could read if they were next to the document.
pub(super) fn note(names: &BTreeSet<String>) -> Option<String> {
    let readable: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| kind_with_text(Path::new(name)).is_some()).collect();
    let more = readable.len().saturating_sub(MAX_NAMED);
    let named = readable.get(..MAX_NAMED).unwrap_or(&readable).join(", ");
    let and_more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!readable.is_empty())
        .then(|| format!("files attached to it are not read; save them next to it: {named}{and_more}"))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::extract;
    use super::super::fixtures::{document_of_pages, show};

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
            ["files attached to it are not read; save them next to it: plan.docx, prices.xlsx"]
        );
    }
}
