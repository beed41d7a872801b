//! The file formats of documents, for filters.

use nearfind_base::facets::{FORMAT, HISTORY, KIND};
use nearfind_core::bundle::BundleDocument;
use nearfind_core::search::CODE;
use nearfind_extract::kind_of;
use std::collections::BTreeSet;
use std::path::Path;

/// Adds the format of each document as a facet, unless all documents are pages, because then there is nothing to
/// choose.
pub(super) fn mark_formats(documents: &mut [BundleDocument]) {
    let format = |document: &BundleDocument| match kind_of(Path::new(&document.record.path)) {
        _ if document.code.is_some() => CODE,
        _ if is_commit(document) => COMMIT,
        kind => kind.map_or(PAGE, |kind| kind.format_name()),
    };
    if documents.iter().all(|document| format(document) == PAGE) {
        return;
    }
    for document in documents {
        let format = format(document).to_owned();
        document.facets.entry(FORMAT.to_owned()).or_insert_with(|| BTreeSet::from([format]));
    }
}

/// The format of pages.
const PAGE: &str = "page";
/// The format of commits.
const COMMIT: &str = "commit";

/// Whether a document is a commit rather than a file.
pub(super) fn is_commit(document: &BundleDocument) -> bool {
    document.facets.get(KIND).is_some_and(|kinds| kinds.contains(HISTORY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(paths: &[&str]) -> Vec<String> {
        let mut documents = vec![BundleDocument::default(); paths.len()];
        documents.iter_mut().zip(paths).for_each(|(document, path)| document.record.path = (*path).to_owned());
        mark_formats(&mut documents);
        let of = |document: &BundleDocument| document.facets.get(FORMAT).and_then(|values| values.first().cloned());
        documents.iter().map(|document| of(document).unwrap_or_default()).collect()
    }

    #[test]
    fn pages_alone_have_no_format() {
        assert_eq!(marked(&["a.md", "b.html", "c"]), ["", "", ""]);
        assert_eq!(marked(&["a.md", "b.txt"]), ["page", "text"]);
    }
}
