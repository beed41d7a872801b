//! Reads the files of a source and sorts them into pages, source code, commits, and files that lead to another page.

use super::archives::{ReadArchive, archives_of};
use super::code_files::{self, ReadFile};
use super::commits::{commit_document, hash_of_commit};
use super::document::{SourceContent, SourceDocument};
use super::file_reader::{FileReader, ReadPage, has_pictures};
use super::forge::Forge;
use super::leading_pages::{converted_notebooks, follow, merge_repeated, take_stubs};
use super::open_source::OpenSource;
use super::page_document::{address, page_document};
use super::page_links::resolve;
use super::passed_over::{self, built_page};
use super::path_rules::Rules;
use super::same_stem::merge_formats;
use super::unread;
use crate::page_cache::{CachedPage, PageCache};
use anyhow::Result;
use nearfind_base::progress::Bar;
use nearfind_bundles::bundle_folder::PassedOver;
use nearfind_extract::apart::Readers;
use nearfind_extract::archive::Problem;
use nearfind_extract::code::HAS_GRAMMARS;
use nearfind_extract::{FileKind, LeftOut, kind_of};
use std::collections::BTreeMap;
use std::path::Path;

/// Makes documents from the files of `source`, and advances `bar` for each file. Files that are in `cache` are not read
/// again. If the bundle has `several` sources, addresses begin with the name of this source.
pub(super) fn read(
    source: &OpenSource,
    several: bool,
    cache: &mut PageCache,
    readers: &Readers,
    bar: &Bar,
) -> Result<SourceContent> {
    let rules = Rules::new(&source.spec.rules)?;
    let identity = readers.ocr_identity();
    let ocr = identity.as_deref();
    let mut pages = Pages::new(source, several, &rules, ocr);
    let files = FileReader { source, rules: &rules, cache, readers, ocr, bar }.read_all();
    // After the run was stopped, files may have been read only in part.
    readers.check()?;
    for (path, file) in files {
        remember(cache, &file);
        pages.files.insert(path.clone(), file.hash.clone());
        pages.add(&path, file, &source.files);
    }
    // One archive at a time, because it is in memory while its files are read.
    for (path, format) in archives_of(source) {
        let archive = FileReader { source, rules: &rules, cache, readers, ocr, bar }.read_archive(path, format);
        readers.check()?;
        bar.advance(1);
        match archive {
            Ok(archive) => {
                archive.pages.iter().for_each(|(_, file)| remember(cache, file));
                if archive.is_new {
                    cache.insert_archive(format, &archive.hash, &archive.known(path));
                }
                pages.add_archive(path, archive);
            }
            Err(problem) => {
                pages.files.insert(path.to_owned(), source.files[path].clone());
                pages.warn(path, &format!("left out, {problem}"));
            }
        }
    }
    pages.merge();
    pages.follow_leads();
    Ok(pages.into_content())
}

/// Keeps the result of reading a file, unless it is from the cache.
fn remember(cache: &mut PageCache, file: &ReadPage) {
    if file.is_new {
        cache.insert_page(&file.name, &file.hash, &file.page);
    }
}

/// The pages and the source code that were added so far.
struct Pages<'a> {
    source: &'a OpenSource,
    several: bool,
    rules: &'a Rules,
    ocr: Option<&'a str>,
    documents: BTreeMap<String, SourceDocument>,
    code: Vec<ReadFile>,
    /// The documents that represent commits.
    commits: Vec<SourceDocument>,
    forge: Option<Forge>,
    /// Each file that leads to another page, with the path of that page.
    leads: Vec<(String, String)>,
    /// Indices in `leads` of files that include a document. The document is published at the address of such a file.
    included: Vec<usize>,
    /// The path and the hash of each file.
    files: BTreeMap<String, String>,
    warnings: Vec<String>,
    passed_over: PassedOver,
}

impl<'a> Pages<'a> {
    fn new(source: &'a OpenSource, several: bool, rules: &'a Rules, ocr: Option<&'a str>) -> Pages<'a> {
        let mut warnings = source.skipped.clone();
        if source.files.is_empty() {
            let folder = source.tree.name();
            warnings.push(format!(
                "{folder}: it contains no .md, .html, .rst, .ipynb, .pdf or other document; is this the folder of the docs? For source code, add --code"
            ));
        }
        Pages {
            source,
            several,
            rules,
            ocr,
            documents: BTreeMap::new(),
            code: Vec::new(),
            commits: Vec::new(),
            forge: source.forge(),
            leads: Vec::new(),
            included: Vec::new(),
            files: BTreeMap::new(),
            warnings,
            passed_over: source.passed_over.clone(),
        }
    }

    /// Adds the files in the archive at `path` according to the kind of their content.
    fn add_archive(&mut self, path: &str, archive: ReadArchive) {
        self.files.insert(path.to_owned(), archive.hash);
        for (file, page) in archive.pages {
            self.add(&file, page, &archive.files);
            let address = archive.contents.addresses.get(&file[path.len() + 1..]);
            if let (Some(address), Some(document)) = (address, self.documents.get_mut(&file)) {
                document.url = Some(address.clone());
                let shown = &mut document.extracted.metadata.shown;
                // A link to this document opens the page, not the archive.
                ["format", "size"].iter().for_each(|name| drop(shown.remove(*name)));
            }
        }
        for Problem { path: file, what } in archive.contents.problems {
            let slash = if file.is_empty() { "" } else { "/" };
            self.warn(&format!("{path}{slash}{file}"), &what);
        }
        let unread = archive.contents.unread.iter().map(|file| format!("{path}/{file}"));
        let wanted: Vec<String> = unread.filter(|file| self.source.selection.wants_inside(path, file)).collect();
        unread::count(&mut self.passed_over, &wanted, false);
    }

    /// Adds a file according to the kind of its content. `files` contains all files of the folder or archive that
    /// contains the file.
    fn add(&mut self, path: &str, file: ReadPage, files: &BTreeMap<String, String>) {
        let ReadPage { page, hash, .. } = file;
        match page {
            CachedPage::Document(extracted) if hash_of_commit(&hash).is_some() => {
                extracted.notes.iter().for_each(|note| self.warn(path, note));
                let forge = self.forge.as_ref();
                self.commits.push(commit_document(self.source, self.rules, forge, path, &hash, *extracted));
            }
            CachedPage::Document(extracted) => {
                let ocr = self.ocr.filter(|_| has_pictures(path));
                let content = ocr.map_or(hash.clone(), |ocr| format!("{hash} {ocr}"));
                let document = page_document(self.source, self.rules, self.several, path, *extracted, &content);
                self.documents.insert(path.to_owned(), document);
            }
            CachedPage::Redirect(target) => {
                if kind_of(Path::new(path)) != Some(FileKind::Html) {
                    self.included.push(self.leads.len());
                }
                self.leads.push((path.to_owned(), resolve(path, &target)));
            }
            CachedPage::KeptOut(reason, notes) => {
                notes.iter().for_each(|note| self.warn(path, note));
                passed_over::count(&mut self.passed_over, reason, 1);
            }
            CachedPage::LeftOut(reason) => {
                if let Some(advice) = passed_over::advice(path, reason) {
                    self.warn(path, &format!("left out, {advice}"));
                }
                passed_over::count(&mut self.passed_over, reason, 1);
                if reason == LeftOut::Twin {
                    self.leads.extend(built_page(path, files).map(|page| (path.to_owned(), page)));
                }
            }
            CachedPage::Code(file) => {
                file.notes.iter().for_each(|note| self.warn(path, note));
                self.code.push(ReadFile { path: path.to_owned(), hash, file: *file });
            }
            CachedPage::Unwanted(reason) => passed_over::count_code(&mut self.passed_over, reason),
            CachedPage::Unreadable(problem) => self.warn(path, &format!("left out, {problem}")),
        }
    }

    fn warn(&mut self, path: &str, problem: &str) {
        self.warnings.push(format!("{}/{path}: {problem}", self.source.tree.name()));
    }

    /// Merges pages with the same text, and removes pages that only lead to others.
    fn merge(&mut self) {
        passed_over::count(&mut self.passed_over, LeftOut::Unmarked, take_unmarked(&mut self.documents));
        self.leads.extend(merge_repeated(&mut self.documents));
        self.leads.extend(take_stubs(&mut self.documents));
        self.leads.extend(merge_formats(&mut self.documents));
        self.leads.extend(converted_notebooks(self.source, &self.documents));
        let folder = self.source.tree.name();
        if !HAS_GRAMMARS && !self.code.is_empty() {
            self.warnings.push(format!("{folder}: {WITHOUT_GRAMMARS}"));
        }
        for (path, document) in &self.documents {
            self.warnings.extend(document.extracted.notes.iter().map(|note| format!("{folder}/{path}: {note}")));
        }
    }

    /// Adds to each document the paths that lead to it. A document that a page includes gets the address of that page.
    fn follow_leads(&mut self) {
        let targets: BTreeMap<&str, &str> = self.leads.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        // In reverse, so that a document gets the address of the first page that includes it.
        for (from, to) in self.included.iter().rev().map(|at| &self.leads[*at]) {
            if let Some(document) = self.documents.get_mut(follow(&targets, to)) {
                document.url = Some(address(self.source, self.several, from));
            }
        }
        for (from, to) in &self.leads {
            if let Some(document) = self.documents.get_mut(follow(&targets, to)) {
                document.aliases.push(from.clone());
            }
        }
    }

    fn into_content(self) -> SourceContent {
        let mut documents: Vec<SourceDocument> = self.documents.into_values().collect();
        documents.extend(code_files::documents(self.source, self.rules, self.code, self.forge.as_ref()));
        documents.extend(self.commits);
        // The sort is stable, so documents of one file keep their order.
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        SourceContent {
            project: self.source.spec.name.clone(),
            documents,
            warnings: self.warnings,
            passed_over: self.passed_over,
            files: self.files,
            commit: self.source.commit.clone(),
        }
    }
}

/// A warning about source code that was read without grammars.
const WITHOUT_GRAMMARS: &str = "source code is split at lines, and `symbol` and `outline` find nothing in it, because this build of nearfind has no grammars: build it with the `full` feature, which is on by default";

/// If any built page marks its content, removes the built pages that do not. Returns the number of removed pages.
fn take_unmarked(documents: &mut BTreeMap<String, SourceDocument>) -> usize {
    let before = documents.len();
    if documents.values().any(|document| document.extracted.has_marked_body) {
        let is_html = |path: &str| kind_of(Path::new(path)) == Some(FileKind::Html);
        documents.retain(|path, document| document.extracted.has_marked_body || !is_html(path));
    }
    before - documents.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::page_url::UrlStyle;
    use crate::source::{PathRule, SourceSpec, Wanted};
    use nearfind_base::cache_folder::CacheFolder;

    fn read(folder: &Path) -> SourceContent {
        let source = OpenSource::open(SourceSpec::folder("docs", folder), &CacheFolder::none()).unwrap();
        read_source(&source)
    }

    fn read_source(source: &OpenSource) -> SourceContent {
        super::read(
            source,
            false,
            &mut PageCache::open(&CacheFolder::none(), "").unwrap(),
            &Readers::inside(),
            &Bar::hidden(),
        )
        .unwrap()
    }

    /// Makes a folder with these files.
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
        assert_eq!(found, ["bad.md", "index.html", "latin.md"]);
        assert_eq!(content.documents[1].aliases, ["old/a.html", "start.html"]);
        assert_eq!(content.documents[0].extracted.title, "Bad");
        assert_eq!(content.documents[2].extracted.text, "aé");
        assert!(content.warnings.is_empty(), "{:?}", content.warnings);
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

    /// Returns a TAR archive with these files.
    fn tar(files: &[(&str, &str)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, text) in files {
            let mut header = [0; 512];
            header[..name.len()].copy_from_slice(name.as_bytes());
            header[124..135].copy_from_slice(format!("{:011o}", text.len()).as_bytes());
            header[148..156].fill(b' ');
            let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
            header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
            out.extend(header);
            out.extend(text.as_bytes());
            out.resize(out.len().next_multiple_of(512), 0);
        }
        out.resize(out.len() + 1024, 0);
        out
    }

    #[test]
    fn an_archive_is_a_folder_that_links_lead_to() {
        let folder = folder(&[("notes.txt", "Some notes"), ("more.txt", "More notes")]);
        let files =
            [("a/report.txt", "A report"), ("a/page.md", "# Page\n\nText"), ("run.exe", ""), ("../out.txt", "no")];
        std::fs::write(folder.path().join("box 1.tar"), tar(&files)).unwrap();
        let open = |spec: &SourceSpec| OpenSource::open(spec.clone(), &CacheFolder::none()).unwrap();
        let mut spec = SourceSpec { url_style: UrlStyle::Html, ..SourceSpec::folder("docs", folder.path()) };
        let source = open(&spec);
        let mut cache = PageCache::open(&CacheFolder::none(), "").unwrap();
        let content = super::read(&source, false, &mut cache, &Readers::inside(), &Bar::hidden()).unwrap();
        assert_eq!(paths(&content), ["box 1.tar/a/page.md", "box 1.tar/a/report.txt", "more.txt", "notes.txt"]);
        let page = &content.documents[0];
        assert_eq!(page.url.as_deref(), Some("/box%201.tar"));
        assert_eq!(page.extracted.metadata.shown["format"], "box 1.tar");
        assert_eq!(content.files.keys().collect::<Vec<_>>(), ["box 1.tar", "more.txt", "notes.txt"]);
        assert!(content.warnings[0].ends_with("box 1.tar/../out.txt: left out, its name leads out of the archive"));
        assert_eq!(content.passed_over["programs"], 1);
        // An archive that is known is not read again.
        std::fs::remove_file(folder.path().join("box 1.tar")).unwrap();
        let again = super::read(&source, false, &mut cache, &Readers::inside(), &Bar::hidden()).unwrap();
        assert_eq!((paths(&again), &again.warnings), (paths(&content), &content.warnings));
        std::fs::write(folder.path().join("box 1.tar"), tar(&files)).unwrap();
        spec.wanted.exclude = vec!["box 1.tar/a/*.md".into()];
        assert_eq!(paths(&read_source(&open(&spec)))[0], "box 1.tar/a/report.txt");
        spec.wanted = Wanted { include: vec!["**/report.txt".into()], ..Wanted::everything() };
        assert_eq!(paths(&read_source(&open(&spec))), ["box 1.tar/a/report.txt"]);
    }

    #[test]
    fn archives_of_a_site_are_read_where_they_are_named() {
        let folder = folder(&[("a.md", "# A\n\nText"), ("b.md", "# B\n\nMore"), ("c.md", "# C\n\nAll")]);
        std::fs::write(folder.path().join("site.tar"), tar(&[("d.md", "# D\n\nInside")])).unwrap();
        let mut spec = SourceSpec::folder("docs", folder.path());
        let content = read_source(&OpenSource::open(spec.clone(), &CacheFolder::none()).unwrap());
        assert_eq!((content.documents.len(), content.passed_over[LeftOut::Archive.words()]), (3, 1));
        spec.wanted = Wanted { include: vec!["**/*.md".into(), "site.tar".into()], ..Wanted::everything() };
        let content = read_source(&OpenSource::open(spec, &CacheFolder::none()).unwrap());
        assert_eq!(paths(&content), ["a.md", "b.md", "c.md", "site.tar/d.md"]);
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
    fn texts_that_say_the_same_few_words_are_two_documents() {
        let long: String = (0..60).map(|number| format!("word{number} ")).collect();
        let folder = folder(&[
            ("a/first.txt", "Here is some text."),
            ("a/second.txt", "Here is some text."),
            ("a/second.md", "Here is some text."),
            ("b/first.txt", "Here is some text."),
            ("c/long.txt", &long),
            ("d/copy-of-long.txt", &long),
        ]);
        let content = read(folder.path());
        assert_eq!(paths(&content), ["a/first.txt", "a/second.md", "b/first.txt", "c/long.txt"]);
        assert_eq!(content.documents[1].aliases, ["a/second.txt"]);
        assert_eq!(content.documents[3].aliases, ["d/copy-of-long.txt"]);
    }

    #[test]
    fn what_is_passed_over_is_counted_by_reason() {
        let folder = folder(&[
            ("guide.html", "<!doctype html><main><h1>Guide</h1>Text</main>"),
            ("guide.md", "# Guide\n\nText"),
            ("404.html", "<!doctype html><main>Nothing here</main>"),
            ("print/index.html", "<!doctype html><meta name=robots content=noindex><main>All</main>"),
            ("overrides/main.html", "{% extends 'base.html' %}"),
            ("draft.md", "---\ntitle: it is: bad: [\ndraft: true\n---\nSoon"),
            ("talk.key", "Slides"),
        ]);
        let content = read(folder.path());
        let said = content.warnings.iter().find(|warning| warning.contains("draft.md")).unwrap();
        assert!(said.ends_with("draft.md: line 2 of its front matter is not YAML"), "{said}");
        assert_eq!(paths(&content), ["guide.html"]);
        assert_eq!(content.documents[0].aliases, ["guide.md"]);
        let reasons: Vec<_> = content.passed_over.iter().map(|(reason, files)| format!("{files} {reason}")).collect();
        assert_eq!(
            reasons,
            [
                "1 Apple iWork documents, read once they are exported as PDF (.key)",
                "1 HTML without <html>, such as templates",
                "1 drafts",
                "1 error pages",
                "1 marked `noindex`",
                "1 sources next to their built page",
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
