//! A folder of Markdown and built HTML.

use super::{SourceContent, SourceDocument, SourceSpec};
use crate::extract::{self, Extracted, Outcome};
use anyhow::{Context as _, Result};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Larger files are left out with a warning: no page of documentation is that long.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Pages that must share a text before they are taken for stubs.
const STUB_PAGES: usize = 3;
/// Shorter texts are shared by honest pages too ("Inherited from Widget").
const STUB_BYTES: usize = 100;

enum FileOutcome {
    Document(Extracted),
    /// Leads to the page at a path of the same folder.
    Alias(String),
    LeftOut,
    Warning(String),
}

pub(super) fn read(spec: &SourceSpec, several: bool) -> Result<SourceContent> {
    let (paths, mut warnings) = list_files(&spec.path)?;
    if paths.is_empty() {
        let folder = spec.path.display();
        warnings.push(format!("{folder}: no .md, .rst, .ipynb or .html file in it; is this the folder of the docs?"));
    }
    let outcomes: Vec<FileOutcome> = paths.par_iter().map(|path| read_file(&spec.path, path)).collect();
    let mut documents: BTreeMap<String, SourceDocument> = BTreeMap::new();
    let mut leads = Vec::new();
    for (path, outcome) in paths.into_iter().zip(outcomes) {
        match outcome {
            FileOutcome::Document(extracted) => {
                let url = extracted.canonical_url.clone().or_else(|| Some(page_url(spec, several, &path)));
                let document = SourceDocument { path: path.clone(), id: None, url, extracted, aliases: Vec::new() };
                documents.insert(path, document);
            }
            FileOutcome::Alias(target) => leads.push((path, target)),
            FileOutcome::LeftOut => {}
            FileOutcome::Warning(warning) => warnings.push(warning),
        }
    }
    leads.extend(merge_repeated(&mut documents));
    leads.extend(take_stubs(&mut documents));
    let targets: BTreeMap<&str, &str> = leads.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    for (from, to) in &leads {
        if let Some(document) = documents.get_mut(follow(&targets, to)) {
            document.aliases.push(from.clone());
        }
    }
    Ok(SourceContent { documents: documents.into_values().collect(), warnings })
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

/// Paths below `folder`, ascending, with `/`. Hidden files are not documentation.
fn list_files(folder: &Path) -> Result<(Vec<String>, Vec<String>)> {
    let (mut paths, mut warnings) = (Vec::new(), Vec::new());
    let mut walk = ignore::WalkBuilder::new(folder);
    // Built sites are often git-ignored: only hidden files are left out.
    walk.standard_filters(false).hidden(true).follow_links(false);
    for entry in walk.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                warnings.push(format!("{}: {error}", folder.display()));
                continue;
            }
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) || extract::kind_of(entry.path()).is_none() {
            continue;
        }
        let relative = entry.path().strip_prefix(folder).context("a walk stays in its folder")?;
        match relative.to_str() {
            Some(path) => paths.push(path.replace('\\', "/")),
            None => warnings.push(format!("{}: left out, its name is not UTF-8", entry.path().display())),
        }
    }
    paths.sort();
    Ok((paths, warnings))
}

fn read_file(folder: &Path, path: &str) -> FileOutcome {
    let file = folder.join(path);
    let warn = |problem: String| FileOutcome::Warning(format!("{}: left out, {problem}", file.display()));
    let bytes = match std::fs::metadata(&file) {
        Ok(metadata) if metadata.len() > MAX_FILE_BYTES => return warn(format!("larger than {MAX_FILE_BYTES} bytes")),
        _ => match std::fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) => return warn(format!("it cannot be read: {error}")),
        },
    };
    let Ok(text) = String::from_utf8(bytes) else {
        return warn("it is not UTF-8: convert it, as with `iconv -t utf-8`".into());
    };
    let Some(kind) = extract::kind_of(&file).filter(|_| !repeats_a_book(path, &text)) else {
        return FileOutcome::LeftOut;
    };
    match extract::extract(kind, &text) {
        Ok(Outcome::Document(mut extracted)) => {
            if extracted.title.is_empty() {
                extracted.title = title_from_path(path);
            }
            FileOutcome::Document(extracted)
        }
        Ok(Outcome::Redirect(target)) => FileOutcome::Alias(resolve(path, &target)),
        Ok(Outcome::NotContent) => FileOutcome::LeftOut,
        Err(problem) => warn(problem.to_string()),
    }
}

/// Whether this is the page of an mdBook that holds the whole book or its table of contents. Recent versions mark both
/// `noindex`; older ones do not.
fn repeats_a_book(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "print.html" | "toc.html") && text.contains("generated using mdBook")
}

/// `getting_started.md` → `Getting Started`; an index page is named by its folder.
fn title_from_path(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
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
fn resolve(path: &str, target: &str) -> String {
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

fn page_url(spec: &SourceSpec, several: bool, path: &str) -> String {
    let place = match path.strip_suffix("index.html") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => folder,
        _ => path,
    };
    match &spec.base_url {
        Some(base) => format!("{base}/{place}"),
        None if several => format!("/{}/{place}", spec.name),
        None => format!("/{place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceKind;

    fn spec(path: &Path, base_url: Option<&str>) -> SourceSpec {
        let base_url = base_url.map(str::to_owned);
        SourceSpec { name: "docs".into(), path: path.to_owned(), kind: SourceKind::Folder, base_url }
    }

    #[test]
    fn urls_drop_index_pages() {
        let here = spec(Path::new("."), None);
        assert_eq!(page_url(&here, false, "7.6/CimCmdlets/index.html"), "/7.6/CimCmdlets/");
        assert_eq!(page_url(&here, true, "index.html"), "/docs/");
        assert_eq!(page_url(&here, false, "reindex.html"), "/reindex.html");
        let published = spec(Path::new("."), Some("https://x.org/d"));
        assert_eq!(page_url(&published, true, "a/b.html"), "https://x.org/d/a/b.html");
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
        let content = read(&spec(folder.path(), None), false).unwrap();
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
        let content = read(&spec(folder.path(), None), false).unwrap();
        let found: Vec<_> =
            content.documents.iter().map(|document| (document.path.as_str(), &document.aliases[..])).collect();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], ("a.html", &["old/a.html".to_owned()][..]));
    }

    #[test]
    fn an_empty_folder_says_what_was_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let content = read(&spec(folder.path(), None), false).unwrap();
        assert!(content.documents.is_empty() && content.warnings[0].contains("no .md"), "{:?}", content.warnings);
    }

    #[test]
    fn the_print_page_of_a_book_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["one.html", "print.html", "toc.html"] {
            let page = format!("<!-- Book generated using mdBook --><main><h1>{name}</h1><p>Text</p></main>");
            std::fs::write(folder.path().join(name), page).unwrap();
        }
        let content = read(&spec(folder.path(), None), false).unwrap();
        assert_eq!(content.documents.len(), 1);
    }
}
