//! What of a folder is no page of its documentation: what paths alone tell, and how it is counted.

use crate::extract::{FileKind, LeftOut, kind_of};
use crate::file_names::stem;
use std::collections::BTreeMap;
use std::path::Path;

/// How many files were passed over, by the reason in words.
pub type PassedOver = BTreeMap<String, usize>;

/// Endings of documents that are not read.
const UNREAD: [&str; 11] = ["adoc", "asciidoc", "docx", "epub", "mdx", "odt", "org", "pdf", "pptx", "textile", "xlsx"];

/// The ending of a document that is not read, if `path` is one.
pub(super) fn unread_ending(path: &str) -> Option<&'static str> {
    let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
    UNREAD.into_iter().find(|known| *known == ending)
}

/// What was passed over of a project, as a line of a report; `None` if nothing was.
pub(crate) fn report_line(project: &str, passed_over: &PassedOver) -> Option<String> {
    let counted: Vec<String> = passed_over.iter().map(|(reason, files)| format!("{reason} ({files})")).collect();
    (!counted.is_empty()).then(|| format!("{project}: passed over: {}", counted.join(", ")))
}

/// Counts `files` more for `reason`.
pub(super) fn count(passed_over: &mut PassedOver, reason: LeftOut, files: usize) {
    if files > 0 {
        *passed_over.entry(reason.words().to_owned()).or_default() += files;
    }
}

/// Why the file at `path` is no page, as far as its place tells; `files` are all files by path.
pub(super) fn by_place(path: &str, files: &BTreeMap<String, String>) -> Option<LeftOut> {
    let is_html = kind_of(Path::new(path)) == Some(FileKind::Html);
    let inside = |folder: &str| path.split('/').rev().skip(1).any(|part| part == folder);
    if is_html && (path == "404.html" || path.ends_with("/404.html") || path.ends_with("404/index.html")) {
        Some(LeftOut::ErrorPage)
    } else if is_html && inside("_modules") {
        Some(LeftOut::SourceCode)
    } else if !is_html && built_page(path, files).is_some() {
        Some(LeftOut::Twin)
    } else {
        None
    }
}

/// The page that a generator built of the file at `path`, where it leaves sources among its pages: `guide.md` beside
/// `guide.html` or `guide/index.html`, `guide.html.md`, and what Sphinx keeps in `_sources`.
pub(super) fn built_page(path: &str, files: &BTreeMap<String, String>) -> Option<String> {
    let path = path.strip_prefix("_sources/").map_or_else(|| path.replace("/_sources/", "/"), str::to_owned);
    let stem = stem(&path);
    let candidates = [stem.to_owned(), format!("{stem}.html"), format!("{stem}/index.html")];
    candidates
        .into_iter()
        .find(|candidate| kind_of(Path::new(candidate)) == Some(FileKind::Html) && files.contains_key(candidate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_beside_their_pages_are_twins() {
        let paths = ["a.html", "b/index.html", "index.html", "api/c.html", "api/d.md", "404.html", "_modules/m.html"];
        let files: BTreeMap<String, String> = paths.map(|path| (path.to_owned(), String::new())).into();
        let twin = |path: &str| by_place(path, &files) == Some(LeftOut::Twin);
        for path in ["a.md", "b.md", "b/index.md", "index.md", "a.html.md", "_sources/api/c.ipynb", "api/_sources/c.md"]
        {
            assert!(twin(path), "{path}");
        }
        assert!(!twin("api/d.md") && !twin("c.md") && !twin("a.html"));
        assert_eq!(by_place("fr/404.html", &files), Some(LeftOut::ErrorPage));
        assert_eq!(by_place("404/index.html", &files), Some(LeftOut::ErrorPage));
        assert_eq!(by_place("_modules/m.html", &files), Some(LeftOut::SourceCode));
        assert_eq!(by_place("modules/m.html", &files), None);
    }
}
