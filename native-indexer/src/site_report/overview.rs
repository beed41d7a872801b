//! Titles, lengths and folders of pages.

use super::page::{Page, page_of};
use nearfind_bundles::library::Document;
use serde::Serialize;
use std::collections::BTreeMap;

/// Pages with more characters are reported as long. This is about two hundred printed pages.
const LONG: usize = 400_000;

/// Titles, lengths and folders of pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// Titles that several pages share.
    pub same_titles: Vec<SameTitle>,
    /// Very long pages, longest first.
    pub long: Vec<LongPage>,
    /// Amounts of text by folder, largest first.
    pub folders: Vec<Folder>,
}

/// Pages with the same title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SameTitle {
    /// The title.
    pub title: String,
    /// Canonical ids of the pages.
    pub documents: Vec<String>,
}

/// A very long page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LongPage {
    /// The page.
    pub page: Page,
    /// Number of characters in the page's text.
    pub characters: usize,
}

/// The pages of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Folder {
    /// The project, and the first folder of the path if it has one.
    pub name: String,
    /// Number of pages in the folder.
    pub pages: usize,
    /// Number of characters in the text of these pages.
    pub characters: usize,
}

pub(super) fn overview(documents: &[Document]) -> Overview {
    let mut report = Overview::default();
    let mut titles: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    for document in documents.iter().filter(|document| !document.is_reference || document.pieces.is_empty()) {
        let characters = document.chunks.iter().map(|chunk| chunk.text.chars().count()).sum();
        titles.entry(document.title.trim()).or_default().push(document.id.clone());
        if characters > LONG {
            report.long.push(LongPage { page: page_of(document), characters });
        }
        let name = match document.path.split_once('/') {
            Some((top, _)) => format!("{}/{top}", document.project),
            None => document.project.clone(),
        };
        let folder = folders.entry(name.clone()).or_insert(Folder { name, pages: 0, characters: 0 });
        folder.pages += 1;
        folder.characters += characters;
    }
    let several = titles.into_iter().filter(|(title, documents)| documents.len() > 1 && !title.is_empty());
    report.same_titles = several.map(|(title, documents)| SameTitle { title: title.to_owned(), documents }).collect();
    report.long.sort_by_key(|page| std::cmp::Reverse(page.characters));
    report.folders = folders.into_values().collect();
    report.folders.sort_by_key(|folder| std::cmp::Reverse(folder.characters));
    report
}
