//! Documents that exist in several formats, such as a report in PDF and the Word file that it was made from. Search
//! finds one of them, and the others lead to it.

use super::document::SourceDocument;
use nearfind_base::file_names::stem;
use nearfind_extract::{FileKind, kind_of};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Formats, most preferred first. Sheets are merged only with sheets, and mail only with mail.
const TEXTS: [&str; 6] = ["page", "pdf", "word", "slides", "book", "text"];

/// Two texts are one document if at least one in this many distinct words of the shorter text occurs in the other.
const SHARED: usize = 2;

/// Merges documents with the same name, folder and content but different formats. Returns the paths that were removed,
/// each with the path that stays.
pub(super) fn merge_formats(documents: &mut BTreeMap<String, SourceDocument>) -> Vec<(String, String)> {
    let mut same: BTreeMap<(String, &str), Vec<String>> = BTreeMap::new();
    for path in documents.keys() {
        let of_its_own = Some(format(path)).filter(|format| matches!(*format, "sheet" | "mail"));
        // The number of a manual page is part of its name: `passwd.1` is not `passwd.5`.
        let name = if kind(path) == Some(FileKind::Manual) { path } else { stem(path) };
        same.entry((name.to_owned(), of_its_own.unwrap_or_default())).or_default().push(path.clone());
    }
    let mut leads = Vec::new();
    for mut paths in same.into_values().filter(|paths| paths.len() > 1) {
        // Two pages with the same name are not necessarily versions of one document, so they stay.
        let pages = paths.iter().filter(|path| kind(path).is_some_and(FileKind::is_page)).count();
        if pages > 1 {
            continue;
        }
        paths.sort_by_key(|path| TEXTS.iter().position(|text| *text == format(path)));
        let kept = paths.remove(0);
        let words = words_of(&documents[&kept].extracted.text);
        for path in paths {
            if are_alike(&words, &words_of(&documents[&path].extracted.text)) {
                documents.remove(&path);
                leads.push((path, kept.clone()));
            }
        }
    }
    leads
}

fn words_of(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Whether texts with these words are one document. A scan has no words, so its name alone decides.
fn are_alike(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let shared = a.intersection(b).count();
    shared * SHARED >= a.len().min(b.len())
}

fn kind(path: &str) -> Option<FileKind> {
    kind_of(Path::new(path))
}

fn format(path: &str) -> &'static str {
    kind(path).map_or("page", FileKind::format_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_does_not_make_two_texts_one() {
        let report = words_of("The annual report on penguins, with tables and a map of the colonies.");
        let printed =
            words_of("The annual report on penguins, printed. With tables and a map of the colonies. Page 1 of 1");
        let slides = words_of("Quarterly sales by region: north, south, east and west, as of last Friday");
        assert!(are_alike(&report, &printed) && !are_alike(&report, &slides));
        assert!(are_alike(&report, &words_of("")), "a scan");
    }
}
