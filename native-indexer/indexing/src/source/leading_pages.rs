//! Pages that only redirect to another page or repeat it. They become aliases of that page.

use super::document::SourceDocument;
use super::open_source::OpenSource;
use super::page_links::resolve;
use nearfind_base::facets::PageKind;
use nearfind_base::file_names::stem;
use nearfind_extract as extract;
use nearfind_extract::{Extracted, FileKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Two files with the same text are one document if the text's distinct words have at least this many letters and
/// digits, about fifty words in any script. The text of a slide deck with only pictures is "Slide 1", "Slide 2" and so
/// on.
const TELLING_LETTERS: usize = 200;
/// Minimum number of pages with the same text that are stubs.
const STUB_PAGES: usize = 3;
/// Minimum size of that text in bytes. Real pages also share shorter texts ("Inherited from Widget").
const STUB_BYTES: usize = 100;

/// Returns the names that notebooks have when they are converted to Markdown. If no other document has such a name, the
/// name leads to the notebook.
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

/// Returns the page that `path` finally leads to. In a circle of redirects, the search ends after as many steps as
/// there are redirects.
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

/// Removes pages with the same text as another page, such as a book's `index.html`, which repeats the first chapter.
/// The page with the shortest path stays, and the others lead to it. Pages of different versions all stay, so that
/// readers of one version are not led to another. Documents that are not pages all stay if they contain little text,
/// because two forms or two slide decks with only pictures may contain the same few words.
pub(super) fn merge_repeated(documents: &mut BTreeMap<String, SourceDocument>) -> Vec<(String, String)> {
    let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, document) in documents.iter().filter(|(_, document)| !document.extracted.text.trim().is_empty()) {
        by_text.entry(&document.extracted.text).or_default().push(path);
    }
    let mut leads = Vec::new();
    for (text, mut paths) in by_text.into_iter().filter(|(_, paths)| paths.len() > 1) {
        paths.sort_by_key(|path| (path.len(), *path));
        let is_telling = is_telling(text);
        let mut staying: Vec<(Option<&str>, &str)> = Vec::new();
        for path in paths {
            let version = documents[path].version();
            let is_same = |stays: &&(Option<&str>, &str)| {
                let is_same_version = version.is_none() || stays.0.is_none() || version == stays.0;
                is_same_version && (is_telling || is_page(path) && is_page(stays.1))
            };
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

fn is_page(path: &str) -> bool {
    extract::kind_of(Path::new(path)).is_some_and(FileKind::is_page)
}

/// Whether `text` is so long that two documents do not share it by chance.
fn is_telling(text: &str) -> bool {
    let mut words = BTreeSet::new();
    let mut letters = 0;
    text.split(|c: char| !c.is_alphanumeric()).any(|word| {
        if words.insert(word) {
            letters += word.chars().count();
        }
        letters >= TELLING_LETTERS
    })
}

/// Removes pages that only lead elsewhere. Such a page shares its text, apart from headings, with at least two other
/// pages ("this edition is no longer distributed, see …"), and its first link leads to an existing page.
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

/// Returns the text without its heading lines.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_words_do_not_make_two_files_one_document() {
        let words = "The committee met on Tuesday, heard the report of its treasurer and agreed to raise annual fees by \
            seven percent from January, as postage, printing, heating and insurance had become dearer than anybody \
            expected when members last voted about money.";
        assert!(is_telling(words) && !is_telling(&words[..100]) && !is_telling(&words[..60].repeat(9)));
        assert!(
            is_telling(&words.chars().filter(|c| c.is_alphabetic()).collect::<String>()),
            "a script without spaces"
        );
        let slides: String = (1..=100).map(|number| format!("# Slide {number}\n\n")).collect();
        assert!(!is_telling(&slides));
    }
}
