//! Pages that only redirect to others or repeat them. They become names of those pages.

use super::document::SourceDocument;
use super::open_source::OpenSource;
use super::page_links::resolve;
use nearfind_base::facets::PageKind;
use nearfind_base::file_names::stem;
use nearfind_extract as extract;
use nearfind_extract::{Extracted, FileKind};
use std::collections::BTreeMap;
use std::path::Path;

/// Pages that must share a text before they are taken for stubs.
const STUB_PAGES: usize = 3;
/// Shorter texts are shared by honest pages too ("Inherited from Widget").
const STUB_BYTES: usize = 100;

/// Notebooks were known by the Markdown that they were converted to: their names lead to them, where nothing else is
/// called so.
pub(super) fn converted_notebooks(
    source: &OpenSource,
    documents: &BTreeMap<String, SourceDocument>,
) -> Vec<(String, String)> {
    let mut leads = Vec::new();
    let is_notebook = |path: &&String| extract::kind_of(Path::new(path)) == Some(FileKind::Notebook);
    for path in documents.keys().filter(is_notebook) {
        let converted = format!("{}.md", stem(path));
        let (root, inside) = source.selection.place(&converted);
        let converted = if root.kind == Some(PageKind::Reference) {
            format!("{}/{inside}", root.folder.rsplit('/').next().unwrap_or_default())
        } else {
            converted
        };
        if !documents.contains_key(&converted) {
            leads.push((converted, path.clone()));
        }
    }
    leads
}

/// Where `path` leads in the end. A circle of redirects ends after as many steps as there are.
pub(super) fn follow<'a>(targets: &BTreeMap<&str, &'a str>, mut path: &'a str) -> &'a str {
    for _ in 0..targets.len() {
        let next = targets.get(path).copied();
        let as_index = format!("{}/index.html", path.trim_end_matches('/'));
        match next.or_else(|| targets.get(as_index.as_str()).copied()) {
            Some(next) => path = next,
            None => break,
        }
    }
    path
}

/// Takes out pages whose text repeats another's (a book's `index.html` repeats its first chapter): the page with the
/// shortest path stays, the others lead to it. Pages of two versions stay both: readers of one are led to theirs.
pub(super) fn merge_repeated(documents: &mut BTreeMap<String, SourceDocument>) -> Vec<(String, String)> {
    let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, document) in documents.iter().filter(|(_, document)| !document.extracted.text.trim().is_empty()) {
        by_text.entry(&document.extracted.text).or_default().push(path);
    }
    let mut leads = Vec::new();
    for mut paths in by_text.into_values().filter(|paths| paths.len() > 1) {
        paths.sort_by_key(|path| (path.len(), *path));
        let mut staying: Vec<(Option<&str>, &str)> = Vec::new();
        for path in paths {
            let version = documents[path].version();
            let is_same = |stays: &&(Option<&str>, &str)| version.is_none() || stays.0.is_none() || version == stays.0;
            match staying.iter().find(is_same) {
                Some((_, stays)) => leads.push((path.to_owned(), (*stays).to_owned())),
                None => staying.push((version, path)),
            }
        }
    }
    leads.sort();
    for (path, _) in &leads {
        documents.remove(path);
    }
    leads
}

/// Takes out pages that only lead elsewhere: their text, headings aside, is that of at least two other pages ("this
/// edition is no longer distributed, see …") and its first link leads to a page that stays.
pub(super) fn take_stubs(documents: &mut BTreeMap<String, SourceDocument>) -> Vec<(String, String)> {
    let mut by_body: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (path, document) in documents.iter() {
        let target = document.extracted.first_link.as_ref().map(|link| resolve(path, link));
        if let Some(target) = target.filter(|target| documents.contains_key(target)) {
            let body = body(&document.extracted);
            if body.len() >= STUB_BYTES {
                by_body.entry(body).or_default().push((path.clone(), target));
            }
        }
    }
    let mut leads: Vec<_> = by_body.into_values().filter(|pages| pages.len() >= STUB_PAGES).flatten().collect();
    leads.sort();
    for (path, _) in &leads {
        documents.remove(path);
    }
    leads
}

/// The text without its heading lines.
fn body(extracted: &Extracted) -> String {
    let mut body = String::new();
    let mut at = 0;
    for heading in &extracted.headings {
        body.push_str(&extracted.text[at..heading.at]);
        let line = extracted.text[heading.at..].find('\n').map_or(extracted.text.len(), |end| heading.at + end);
        at = line;
    }
    body.push_str(&extracted.text[at..]);
    body
}
