//! Files to documents: their text, address and metadata, and which of them only lead to others.

use super::code_files::{self, ReadFile};
use super::document::{SourceContent, SourceDocument};
use super::leading_pages::{converted_notebooks, follow, merge_repeated, take_stubs};
use super::open_source::OpenSource;
use super::page_links::resolve;
use super::page_url::UrlStyle;
use super::page_url::page_url;
use super::passed_over::{self, built_page, by_place};
use super::path_rules::{Rules, usual_weight};
use super::same_stem::merge_formats;
use crate::page_cache::{CachedPage, PageCache};
use anyhow::Result;
use nearfind_base::facets::KIND;
use nearfind_base::file_names::stem;
use nearfind_core::search::{CATALOG_FILTERS, LANGUAGE, PROJECT};
use nearfind_extract::Metadata;
use nearfind_extract::apart::Readers;
use nearfind_extract::code::Language;
use nearfind_extract::{ExtractError, Extracted, Extraction, FileKind, LeftOut, date_in_name, kind_of};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A file that was read, or is known.
struct Read {
    page: CachedPage,
    /// Hash of its content.
    hash: String,
    /// Whether it is to be remembered.
    is_new: bool,
    as_code: bool,
}

/// Makes documents of the files of `source`, of which those that `cache` knows are not read.
pub(super) fn read(
    source: &OpenSource,
    several: bool,
    cache: &mut PageCache,
    readers: &Readers,
) -> Result<SourceContent> {
    let spec = &source.spec;
    let rules = Rules::new(&spec.rules)?;
    let mut warnings = source.skipped.clone();
    let mut passed_over = source.passed_over.clone();
    if source.files.is_empty() {
        let folder = source.tree.name();
        warnings.push(format!(
            "{folder}: no .md, .html, .rst, .ipynb, .pdf or other document in it; is this the folder of the docs? For source code say --code"
        ));
    }
    let is_code = |path: &str| kind_of(Path::new(path)).is_none();
    let left_out = |path: &str| {
        let excluded = rules.of(path).exclude.then_some(LeftOut::Excluded);
        let by_place = || by_place(path, &source.files, source.selection.is_named(path));
        excluded.or_else(|| if is_code(path) { None } else { by_place() })
    };
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    // What a file was read as is a part of its name.
    let key = |path: &str, as_code: bool| if as_code { format!("code {}", name(path)) } else { name(path) };
    // With whether it is to be remembered.
    let known = |(path, hash): (&String, &String), as_code: bool| {
        let page = cache.page(&key(path, as_code), hash)?;
        Some(Read { page, hash: hash.clone(), is_new: false, as_code })
    };
    // Read again if it is not known: the hash is then that of what was read, not of what was listed.
    let read = |(path, hash): (&String, &String), as_code: bool| match source.tree.read(path) {
        Ok((bytes, hash)) => {
            let read = if as_code { readers.read_code(&name(path), &bytes) } else { readers.read(path, &bytes) };
            let (page, is_new) = cached(read);
            Read { page, hash, is_new, as_code }
        }
        Err(problem) => Read { page: CachedPage::Unreadable(problem), hash: hash.clone(), is_new: false, as_code },
    };
    let read = |file, as_code| known(file, as_code).unwrap_or_else(|| read(file, as_code));
    let found: Vec<Read> = source
        .files
        .par_iter()
        .map(|file| {
            let left_out = left_out(file.0);
            let found = match left_out {
                Some(reason) => {
                    Read { page: CachedPage::LeftOut(reason), hash: file.1.clone(), is_new: false, as_code: false }
                }
                None => read(file, is_code(file.0)),
            };
            // What is no page for readers may be code: a template, the lists of a build.
            let may_be_code = matches!(found.page, CachedPage::LeftOut(LeftOut::Fragment | LeftOut::ForPrograms))
                && source.selection.is_in_code(file.0)
                && Language::of_path(file.0).is_some();
            if may_be_code { read(file, true) } else { found }
        })
        .collect();
    let mut code = Vec::new();
    let mut files = BTreeMap::new();
    let mut documents: BTreeMap<String, SourceDocument> = BTreeMap::new();
    let (mut leads, mut included) = (Vec::new(), Vec::new());
    for (path, Read { page, hash, is_new, as_code }) in source.files.keys().zip(found) {
        if is_new {
            cache.insert_page(&key(path, as_code), &hash, &page);
        }
        match page {
            CachedPage::Document(extracted) => {
                documents.insert(path.clone(), document(source, &rules, several, path, *extracted, &hash));
            }
            CachedPage::Redirect(target) => {
                leads.push((path.clone(), resolve(path, &target)));
                if kind_of(Path::new(path)) != Some(FileKind::Html) {
                    included.push(leads.len() - 1);
                }
            }
            CachedPage::LeftOut(reason) => {
                passed_over::count(&mut passed_over, reason, 1);
                if reason == LeftOut::Twin {
                    leads.extend(built_page(path, &source.files).map(|page| (path.clone(), page)));
                }
            }
            CachedPage::Code(file) => {
                warnings.extend(file.notes.iter().map(|note| format!("{}/{path}: {note}", source.tree.name())));
                code.push(ReadFile { path: path.clone(), hash: hash.clone(), file: *file });
            }
            CachedPage::Unwanted(reason) => passed_over::count_code(&mut passed_over, reason),
            CachedPage::Unreadable(problem) => {
                warnings.push(format!("{}/{path}: left out, {problem}", source.tree.name()));
            }
        }
        files.insert(path.clone(), hash);
    }
    passed_over::count(&mut passed_over, LeftOut::Unmarked, take_unmarked(&mut documents));
    leads.extend(merge_repeated(&mut documents));
    leads.extend(take_stubs(&mut documents));
    leads.extend(merge_formats(&mut documents));
    for (path, document) in &documents {
        warnings.extend(document.extracted.notes.iter().map(|note| format!("{}/{path}: {note}", source.tree.name())));
    }
    leads.extend(converted_notebooks(source, &documents));
    let targets: BTreeMap<&str, &str> = leads.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    // What is included is published as the page that includes it, the first of several.
    for (from, to) in included.into_iter().rev().map(|at| &leads[at]) {
        if let Some(document) = documents.get_mut(follow(&targets, to)) {
            document.url = Some(address(source, several, from));
        }
    }
    for (from, to) in &leads {
        if let Some(document) = documents.get_mut(follow(&targets, to)) {
            document.aliases.push(from.clone());
        }
    }
    let project = spec.name.clone();
    let mut documents: Vec<SourceDocument> = documents.into_values().collect();
    documents.extend(code_files::documents(source, &rules, code));
    // Those of one file keep their order.
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(SourceContent { project, documents, warnings, passed_over, files, commit: source.commit.clone() })
}

/// Takes out the built pages that do not mark their content, if any does; how many they are.
fn take_unmarked(documents: &mut BTreeMap<String, SourceDocument>) -> usize {
    let before = documents.len();
    if documents.values().any(|document| document.extracted.has_marked_body) {
        let is_html = |path: &str| kind_of(Path::new(path)) == Some(FileKind::Html);
        documents.retain(|path, document| document.extracted.has_marked_body || !is_html(path));
    }
    before - documents.len()
}

fn document(
    source: &OpenSource,
    rules: &Rules,
    several: bool,
    path: &str,
    mut extracted: Extracted,
    hash: &str,
) -> SourceDocument {
    let spec = &source.spec;
    let (root, inside) = source.selection.place(path);
    let said = rules.of(path);
    if extracted.title.is_empty() {
        extracted.title = title_from_path(path);
    }
    let canonical = extracted.canonical_url.clone().filter(|_| spec.canonical);
    let url = canonical.unwrap_or_else(|| address(source, several, path));
    let date = extracted.date.or_else(|| date_in_name(path)).or_else(|| source.dates.get(path).copied());
    let mut facets = facets_of(&extracted.metadata);
    let of_project = spec.facets.iter().map(|(name, value)| (name.clone(), BTreeSet::from([value.clone()])));
    facets.extend(of_project);
    if let Some(kind) = said.kind.or(root.kind) {
        facets.insert(KIND.to_owned(), BTreeSet::from([kind.name().to_owned()]));
    }
    let weight = said.weight.or(extracted.metadata.weight).unwrap_or_else(|| usual_weight(inside));
    SourceDocument {
        path: path.to_owned(),
        id: None,
        url: Some(url),
        aliases: Vec::new(),
        area_at: (path.len() - inside.len()) as u32,
        date,
        facets,
        weight,
        content: Some(format!("{hash} {path}")),
        code: None,
        extracted,
    }
}

/// What a page can be filtered by as its authors say, without what is called like something that nearfind finds out.
fn facets_of(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
    let is_free = |name: &str| name != PROJECT && name != LANGUAGE && !CATALOG_FILTERS.contains(&name);
    let own = metadata.filters.iter().filter(|(name, _)| is_free(name));
    own.map(|(name, values)| (name.clone(), values.clone())).collect()
}

/// Where the file at `path` is published.
fn address(source: &OpenSource, several: bool, path: &str) -> String {
    let spec = &source.spec;
    let (root, inside) = source.selection.place(path);
    let base = match &spec.base_url {
        Some(base) => base.clone(),
        None if several => format!("/{}", spec.name),
        None => String::new(),
    };
    let published = if root.url_path.is_empty() { inside.to_owned() } else { format!("{}/{inside}", root.url_path) };
    // Only pages are published under another name than their file's.
    let is_page = kind_of(Path::new(path)).is_none_or(FileKind::is_page);
    page_url(if is_page { spec.url_style } else { UrlStyle::File }, &base, &published)
}

/// What a file was read as, and whether that is to be remembered.
fn cached(read: Result<Extraction, ExtractError>) -> (CachedPage, bool) {
    match read {
        Ok(Extraction::Code(file)) => (CachedPage::Code(file), true),
        Ok(Extraction::Unwanted(reason)) => (CachedPage::Unwanted(reason), true),
        Ok(Extraction::Document(extracted)) => (CachedPage::Document(extracted), true),
        Ok(Extraction::Redirect(target)) => (CachedPage::Redirect(target), true),
        Ok(Extraction::LeftOut(reason)) => (CachedPage::LeftOut(reason), true),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{PathRule, SourceSpec};
    use nearfind_base::cache_folder::CacheFolder;

    fn read(folder: &Path) -> SourceContent {
        let source = OpenSource::open(SourceSpec::folder("docs", folder), &CacheFolder::none()).unwrap();
        read_source(&source)
    }

    fn read_source(source: &OpenSource) -> SourceContent {
        super::read(source, false, &mut PageCache::open(&CacheFolder::none(), "").unwrap(), &Readers::inside()).unwrap()
    }

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        folder
    }

    fn paths(content: &SourceContent) -> Vec<&str> {
        content.documents.iter().map(|document| document.path.as_str()).collect()
    }

    #[test]
    fn redirects_and_repeated_pages_become_aliases() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        let page = "<!doctype html><main><h1>Start</h1><p>Hello</p></main>";
        write("index.html", page);
        write("start.html", page);
        write("old/a.html", "<!doctype html><meta http-equiv='refresh' content='0; URL=../start.html#x'>");
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
            let page = format!(
                "<!doctype html><main><h1>{name}</h1><p>{stub} See <a href='../{name}.html'>the new one</a>.</p></main>"
            );
            std::fs::create_dir_all(folder.path().join("old")).unwrap();
            std::fs::write(folder.path().join("old").join(format!("{name}.html")), page).unwrap();
            let page = format!("<!doctype html><main><h1>{name}</h1><p>Chapter {name}</p></main>");
            std::fs::write(folder.path().join(format!("{name}.html")), page).unwrap();
        }
        let content = read(folder.path());
        let found: Vec<_> =
            content.documents.iter().map(|document| (document.path.as_str(), &document.aliases[..])).collect();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], ("a.html", &["old/a.html".to_owned()][..]));
    }

    #[test]
    fn what_a_page_includes_has_its_address() {
        let folder = folder(&[
            (
                "doc/guide/Dashboards.rst",
                "Dashboards\n==========\n\n.. notebook:: x ../../examples/guide/17-Dashboards.ipynb\n    :offset: 1\n",
            ),
            ("doc/index.md", "# Start\n\nText"),
            (
                "examples/guide/17-Dashboards.ipynb",
                r##"{"cells": [{"cell_type": "markdown", "source": "# Dashboards\\n\\nText"}]}"##,
            ),
            (
                "examples/guide/18-Other.ipynb",
                r##"{"cells": [{"cell_type": "markdown", "source": "# Other\\n\\nText"}]}"##,
            ),
        ]);
        let mut spec = SourceSpec { url_style: UrlStyle::Html, ..SourceSpec::folder("docs", folder.path()) };
        spec.wanted.docs = Some(vec!["doc".into(), "examples".into()]);
        let content = read_source(&OpenSource::open(spec, &CacheFolder::none()).unwrap());
        let urls: Vec<_> = content.documents.iter().map(|document| document.url.as_deref().unwrap()).collect();
        assert_eq!(urls, ["/index.html", "/guide/Dashboards.html", "/guide/18-Other.html"]);
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
            let page =
                format!("<!doctype html><!-- Book generated using mdBook --><main><h1>{name}</h1><p>Text</p></main>");
            std::fs::write(folder.path().join(name), page).unwrap();
        }
        let content = read(folder.path());
        assert_eq!(content.documents.len(), 1);
    }

    #[test]
    fn the_place_of_the_file_decides_where_a_link_leads() {
        let page = "<!doctype html><link rel=canonical href='https://x.org/latest/a.html'><main><h1>A</h1>Text</main>";
        let folder = folder(&[("v1/a.html", page)]);
        let url = |canonical| {
            let spec =
                SourceSpec { canonical, base_url: Some("..".into()), ..SourceSpec::folder("docs", folder.path()) };
            read_source(&OpenSource::open(spec, &CacheFolder::none()).unwrap()).documents[0].url.clone().unwrap()
        };
        assert_eq!(url(false), "../v1/a.html");
        assert_eq!(url(true), "https://x.org/latest/a.html");
    }

    #[test]
    fn files_that_are_no_pages_keep_their_names() {
        let folder =
            folder(&[("guide.md", "# Guide\n\nText"), ("notes.txt", "Some notes"), ("more.adoc", "= More\n\nText")]);
        let spec = SourceSpec { url_style: UrlStyle::Directory, ..SourceSpec::folder("docs", folder.path()) };
        let content = read_source(&OpenSource::open(spec, &CacheFolder::none()).unwrap());
        let urls: Vec<_> = content.documents.iter().map(|document| document.url.as_deref().unwrap()).collect();
        assert_eq!(urls, ["/guide/", "/more/", "/notes.txt"]);
    }

    #[test]
    fn a_document_in_two_formats_is_one() {
        let folder = folder(&[
            ("a/guide.md", "# Guide\n\nText"),
            ("a/guide.txt", "Guide as text"),
            ("b/guide.txt", "Another guide"),
            ("c.md", "# C\n\nOne"),
            ("c.rst", "C\n=\n\nTwo"),
        ]);
        let content = read(folder.path());
        assert_eq!(paths(&content), ["a/guide.md", "b/guide.txt", "c.md", "c.rst"]);
        assert_eq!(content.documents[0].aliases, ["a/guide.txt"]);
    }

    #[test]
    fn what_is_passed_over_is_counted_by_reason() {
        let folder = folder(&[
            ("guide.html", "<!doctype html><main><h1>Guide</h1>Text</main>"),
            ("guide.md", "# Guide\n\nText"),
            ("404.html", "<!doctype html><main>Nothing here</main>"),
            ("print/index.html", "<!doctype html><meta name=robots content=noindex><main>All</main>"),
            ("overrides/main.html", "{% extends 'base.html' %}"),
            ("draft.md", "---\ndraft: true\n---\nSoon"),
            ("page.org", "* Org"),
        ]);
        let content = read(folder.path());
        assert_eq!(paths(&content), ["guide.html"]);
        assert_eq!(content.documents[0].aliases, ["guide.md"]);
        let reasons: Vec<_> = content.passed_over.iter().map(|(reason, files)| format!("{files} {reason}")).collect();
        assert_eq!(
            reasons,
            [
                "1 HTML without <html>, such as templates",
                "1 drafts",
                "1 error pages",
                "1 marked `noindex`",
                "1 of a kind that is not read (.org)",
                "1 sources of a built page beside them",
            ]
        );
    }

    #[test]
    fn once_content_is_marked_pages_without_the_mark_are_left_out() {
        let folder = folder(&[
            ("a.html", "<!doctype html><main><nav>x</nav><div data-pagefind-body><h1>A</h1>Text</div></main>"),
            ("b.html", "<!doctype html><main><h1>B</h1>Text</main>"),
            ("c.md", "# C"),
        ]);
        assert_eq!(paths(&read(folder.path())), ["a.html", "c.md"]);
    }

    #[test]
    fn rules_and_attributes_weigh_pages() {
        let folder = folder(&[
            ("a.html", "<!doctype html><main data-pagefind-weight=3><h1>A</h1>One</main>"),
            ("changelog.html", "<!doctype html><main><h1>Changes</h1>Two</main>"),
            ("blog/b.html", "<!doctype html><main><h1>B</h1>Three</main>"),
            ("old/c.html", "<!doctype html><main><h1>C</h1>Four</main>"),
        ]);
        let rule =
            |path: &str, weight, exclude| PathRule { paths: vec![path.into()], weight, exclude, ..PathRule::default() };
        let rules = vec![rule("blog/**", Some(0.25), false), rule("old/**", None, true)];
        let spec = SourceSpec { rules, ..SourceSpec::folder("docs", folder.path()) };
        let content = read_source(&OpenSource::open(spec, &CacheFolder::none()).unwrap());
        let weights: Vec<_> =
            content.documents.iter().map(|document| (document.path.as_str(), document.weight)).collect();
        assert_eq!(weights, [("a.html", 3.0), ("blog/b.html", 0.25), ("changelog.html", 0.5)]);
    }
}
