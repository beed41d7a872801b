//! One document in several formats, such as a report as PDF and as the Word file from which it was made. One of them is found,
//! and the others lead to it.

use super::document::SourceDocument;
use nearfind_base::file_names::stem;
use nearfind_extract::{FileKind, kind_of};
use std::collections::BTreeMap;
use std::path::Path;

/// Formats in the order in which readers want them; sheets replace nothing but sheets, mail nothing but mail.
const TEXTS: [&str; 6] = ["page", "pdf", "word", "slides", "book", "text"];

/// Takes out documents that are another one of the same name in the same folder, in another format.
pub(super) fn merge_formats(documents: &mut BTreeMap<String, SourceDocument>) -> Vec<(String, String)> {
    let mut same: BTreeMap<(String, &str), Vec<String>> = BTreeMap::new();
    for path in documents.keys() {
        let of_its_own = Some(format(path)).filter(|format| matches!(*format, "sheet" | "mail"));
        // The number of a manual is a part of its name: `passwd.1` is another one than `passwd.5`.
        let name = if kind(path) == Some(FileKind::Manual) { path } else { stem(path) };
        same.entry((name.to_owned(), of_its_own.unwrap_or_default())).or_default().push(path.clone());
    }
    let mut leads = Vec::new();
    for mut paths in same.into_values().filter(|paths| paths.len() > 1) {
        // What pages of the same name are to each other their folder tells.
        let pages = paths.iter().filter(|path| kind(path).is_some_and(FileKind::is_page)).count();
        if pages > 1 {
            continue;
        }
        paths.sort_by_key(|path| TEXTS.iter().position(|text| *text == format(path)));
        let kept = paths.remove(0);
        for path in paths {
            documents.remove(&path);
            leads.push((path, kept.clone()));
        }
    }
    leads
}

fn kind(path: &str) -> Option<FileKind> {
    kind_of(Path::new(path))
}

fn format(path: &str) -> &'static str {
    kind(path).map_or("page", FileKind::format_name)
}
