//! Files to documents: their text, address and metadata, and which of them only lead to others.

use super::page_url::page_url;
use super::{OpenSource, SourceContent, SourceDocument};
use crate::cache::{CachedPage, PageCache};
use crate::extract::apart::Readers;
use crate::extract::{self, Extracted, FileKind, Outcome, date_in_name};
use crate::facets::{KIND, PageKind};
use crate::file_names::stem;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Pages that must share a text before they are taken for stubs.
const STUB_PAGES: usize = 3;
/// Shorter texts are shared by honest pages too ("Inherited from Widget").
const STUB_BYTES: usize = 100;

/// Makes documents of the files of `source`, of which those that `cache` knows are not read.
pub(super) fn read(source: &OpenSource, several: bool, cache: &mut PageCache, readers: &Readers) -> SourceContent {
    let spec = &source.spec;
    let mut warnings = source.skipped.clone();
    if source.files.is_empty() {
        let folder = source.tree.name();
        warnings.push(format!("{folder}: no .md, .rst, .ipynb or .html file in it; is this the folder of the docs?"));
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    // With whether it is to be remembered.
    let known =
        |(path, hash): (&String, &String)| cache.page(&name(path), hash).map(|page| (page, hash.clone(), false));
    // Read again if it is not known: the hash is then that of what was read, not of what was listed.
    let found: Vec<(CachedPage, String, bool)> = source
        .files
        .par_iter()
        .map(|(path, hash)| {
            known((path, hash)).unwrap_or_else(|| match source.tree.read(path) {
                Ok((bytes, hash)) => {
                    let (page, is_lasting) = extracted(readers, path, &bytes);
                    (page, hash, is_lasting)
                }
                Err(problem) => (CachedPage::Unreadable(problem), hash.clone(), false),
            })
        })
        .collect();
    let mut files = BTreeMap::new();
    let mut documents: BTreeMap<String, SourceDocument> = BTreeMap::new();
    let mut leads = Vec::new();
    for (path, (page, hash, is_new)) in source.files.keys().zip(found) {
        if is_new {
            cache.insert_page(&name(path), &hash, &page);
        }
        match page {
            CachedPage::Document(extracted) => {
                documents.insert(path.clone(), document(source, several, path, extracted, &hash));
            }
            CachedPage::Redirect(target) => leads.push((path.clone(), resolve(path, &target))),
            CachedPage::NotContent => {}
            CachedPage::Unreadable(problem) => {
                warnings.push(format!("{}/{path}: left out, {problem}", source.tree.name()));
            }
        }
        files.insert(path.clone(), hash);
    }
    leads.extend(merge_repeated(&mut documents));
    leads.extend(take_stubs(&mut documents));
    leads.extend(converted_notebooks(source, &documents));
    let targets: BTreeMap<&str, &str> = leads.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    for (from, to) in &leads {
        if let Some(document) = documents.get_mut(follow(&targets, to)) {
            document.aliases.push(from.clone());
        }
    }
    let project = spec.name.clone();
    SourceContent {
        project,
        documents: documents.into_values().collect(),
        warnings,
        files,
        commit: source.commit.clone(),
    }
}

fn document(source: &OpenSource, several: bool, path: &str, mut extracted: Extracted, hash: &str) -> SourceDocument {
    let spec = &source.spec;
    let (root, inside) = source.selection.place(path);
    if extracted.title.is_empty() {
        extracted.title = title_from_path(path);
    }
    let base = match &spec.base_url {
        Some(base) => base.clone(),
        None if several => format!("/{}", spec.name),
        None => String::new(),
    };
    let published = if root.url_path.is_empty() { inside.to_owned() } else { format!("{}/{inside}", root.url_path) };
    let url = extracted.canonical_url.clone().unwrap_or_else(|| page_url(spec.url_style, &base, &published));
    let date = extracted.date.or_else(|| date_in_name(path)).or_else(|| source.dates.get(path).copied());
    let mut facets = spec.facets.clone();
    if let Some(kind) = root.kind {
        facets.insert(KIND.to_owned(), kind.name().to_owned());
    }
    SourceDocument {
        path: path.to_owned(),
        id: None,
        url: Some(url),
        aliases: Vec::new(),
        area_at: (path.len() - inside.len()) as u32,
        date,
        facets,
        content: Some(format!("{hash} {path}")),
        extracted,
    }
}

/// Notebooks were known by the Markdown that they were converted to: their names lead to them, where nothing else is
/// called so.
fn converted_notebooks(source: &OpenSource, documents: &BTreeMap<String, SourceDocument>) -> Vec<(String, String)> {
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
fn follow<'a>(targets: &BTreeMap<&str, &'a str>, mut path: &'a str) -> &'a str {
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
/// shortest path stays, the others lead to it.
fn merge_repeated(documents: &mut BTreeMap<String, SourceDocument>) -> Vec<(String, String)> {
    let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, document) in documents.iter().filter(|(_, document)| !document.extracted.text.trim().is_empty()) {
        by_text.entry(&document.extracted.text).or_default().push(path);
    }
    let mut leads = Vec::new();
    for mut paths in by_text.into_values().filter(|paths| paths.len() > 1) {
        paths.sort_by_key(|path| (path.len(), *path));
        leads.extend(paths[1..].iter().map(|path| ((*path).to_owned(), paths[0].to_owned())));
    }
    leads.sort();
    for (path, _) in &leads {
        documents.remove(path);
    }
    leads
}

/// Takes out pages that only lead elsewhere: their text, headings aside, is that of at least two other pages ("this
/// edition is no longer distributed, see …") and its first link leads to a page that stays.
fn take_stubs(documents: &mut BTreeMap<String, SourceDocument>) -> Vec<(String, String)> {
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

/// What the file at `path` turned out to be, and whether that may be remembered.
fn extracted(readers: &Readers, path: &str, bytes: &[u8]) -> (CachedPage, bool) {
    match readers.read(path, bytes) {
        Ok(Outcome::Document(extracted)) => (CachedPage::Document(extracted), true),
        Ok(Outcome::Redirect(target)) => (CachedPage::Redirect(target), true),
        Ok(Outcome::NotContent) => (CachedPage::NotContent, true),
        Err(problem) => (CachedPage::Unreadable(problem.to_string()), problem.is_lasting()),
    }
}

/// `getting_started.md` → `Getting Started`; an index page is named by its folder.
fn title_from_path(path: &str) -> String {
    let stem = stem(path);
    let stem = stem.strip_suffix("/index").unwrap_or(stem);
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let words = name.split(['_', '-', ' ']).filter(|word| !word.is_empty());
    let titled = words.map(|word| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    });
    titled.collect::<Vec<_>>().join(" ")
}

/// The path that a relative `target` in the page at `path` means.
pub(super) fn resolve(path: &str, target: &str) -> String {
    let target = target.split(['#', '?']).next().unwrap_or_default();
    let mut parts: Vec<&str> = if target.starts_with('/') { Vec::new() } else { path.split('/').collect() };
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let resolved = parts.join("/");
    if target.ends_with('/') { format!("{resolved}/index.html").trim_start_matches('/').to_owned() } else { resolved }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::CacheFolder;
    use crate::source::SourceSpec;

    fn read(folder: &Path) -> SourceContent {
        let source = OpenSource::open(SourceSpec::folder("docs", folder), &CacheFolder::none()).unwrap();
        super::read(&source, false, &mut PageCache::open(&CacheFolder::none()).unwrap(), &Readers::inside())
    }

    #[test]
    fn redirects_and_repeated_pages_become_aliases() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        let page = "<main><h1>Start</h1><p>Hello</p></main>";
        write("index.html", page);
        write("start.html", page);
        write("old/a.html", "<meta http-equiv='refresh' content='0; URL=../start.html#x'>");
        write("bad.md", "fine");
        std::fs::write(folder.path().join("latin.md"), [b'a', 0xe9]).unwrap();
        write("notes.txt", "not documentation");
        let content = read(folder.path());
        let found: Vec<_> = content.documents.iter().map(|document| document.path.as_str()).collect();
        assert_eq!(found, ["bad.md", "index.html"]);
        assert_eq!(content.documents[1].aliases, ["old/a.html", "start.html"]);
        assert_eq!(content.documents[0].extracted.title, "Bad");
        assert!(content.warnings.len() == 1 && content.warnings[0].contains("not UTF-8"), "{:?}", content.warnings);
    }

    #[test]
    fn pages_that_say_the_same_and_lead_elsewhere_are_aliases() {
        let folder = tempfile::tempdir().unwrap();
        let stub = "This edition is no longer distributed with the documentation. You came by a link or by a search.";
        for name in ["a", "b", "c"] {
            let page =
                format!("<main><h1>{name}</h1><p>{stub} See <a href='../{name}.html'>the new one</a>.</p></main>");
            std::fs::create_dir_all(folder.path().join("old")).unwrap();
            std::fs::write(folder.path().join("old").join(format!("{name}.html")), page).unwrap();
            let page = format!("<main><h1>{name}</h1><p>Chapter {name}</p></main>");
            std::fs::write(folder.path().join(format!("{name}.html")), page).unwrap();
        }
        let content = read(folder.path());
        let found: Vec<_> =
            content.documents.iter().map(|document| (document.path.as_str(), &document.aliases[..])).collect();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], ("a.html", &["old/a.html".to_owned()][..]));
    }

    #[test]
    fn an_empty_folder_says_what_was_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let content = read(folder.path());
        assert!(content.documents.is_empty() && content.warnings[0].contains("no .md"), "{:?}", content.warnings);
    }

    #[test]
    fn the_print_page_of_a_book_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["one.html", "print.html", "toc.html"] {
            let page = format!("<!-- Book generated using mdBook --><main><h1>{name}</h1><p>Text</p></main>");
            std::fs::write(folder.path().join(name), page).unwrap();
        }
        let content = read(folder.path());
        assert_eq!(content.documents.len(), 1);
    }
}
