//! Recognizes files that are not documentation pages by their paths, and counts them.

use nearfind_base::file_names::stem;
use nearfind_bundles::bundle_folder::PassedOver;
use nearfind_extract::code::Unwanted;
use nearfind_extract::{FileKind, LeftOut, kind_of};
use std::collections::BTreeMap;
use std::path::Path;

/// Names of text files for programs, in lower case, up to the first dot. A dash or an underscore and more text may
/// follow the name.
const TEXTS_FOR_PROGRAMS: [&str; 22] = [
    "ads",
    "app-ads",
    "cmakelists",
    "constraints",
    "copying",
    "dependency_links",
    "entry_points",
    "environment",
    "humans",
    "inventory",
    "licence",
    "license",
    "llms",
    "llms-full",
    "manifest",
    "notice",
    "requires",
    "requirements",
    "robots",
    "security",
    "sources",
    "top_level",
];

/// Whether the text file at `path` is for programs, such as `requirements-dev.txt`.
fn is_for_programs(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let first = stem.split(['-', '_']).next().unwrap_or_default();
    [stem, first].iter().any(|name| TEXTS_FOR_PROGRAMS.contains(name)) || stem.ends_with("requirements")
}

/// Describes on one line the files that were passed over in a project. Returns `None` if there are none.
pub fn report_line(project: &str, passed_over: &PassedOver) -> Option<String> {
    let counted: Vec<String> = passed_over.iter().map(|(reason, files)| format!("{reason} ({files})")).collect();
    (!counted.is_empty()).then(|| format!("{project}: not indexed: {}", counted.join(", ")))
}

/// Returns advice about the document at `path`, which is left out for `reason`, or `None` if it needs no separate
/// message. A site may have many pages without text.
pub(super) fn advice(path: &str, reason: LeftOut) -> Option<&'static str> {
    let kind = kind_of(Path::new(path)).filter(|_| reason == LeftOut::Empty)?;
    Some(match kind.format_name() {
        "pdf" | "picture" => "it contains no text",
        "word" | "slides" if has_readable_pictures(path) => {
            "it contains no text; if its pages are pictures, --ocr reads them"
        }
        "word" | "slides" | "book" => {
            "it contains no text; if its pages are pictures, export it as PDF and index that with --ocr"
        }
        "sheet" => "its cells are empty",
        _ => return None,
    })
}

/// Whether OCR reads the pictures in the document at `path`.
fn has_readable_pictures(path: &str) -> bool {
    let path = path.to_lowercase();
    [".docx", ".docm", ".dotx", ".pptx", ".pptm", ".ppsx"].iter().any(|ending| path.ends_with(ending))
}

/// Adds `files` to the count for `reason`.
pub(super) fn count(passed_over: &mut PassedOver, reason: LeftOut, files: usize) {
    if files > 0 {
        *passed_over.entry(reason.words().to_owned()).or_default() += files;
    }
}

/// Counts a file that is not searched as source code.
pub(super) fn count_code(passed_over: &mut PassedOver, reason: Unwanted) {
    *passed_over.entry(reason.words().to_owned()).or_default() += 1;
}

/// Returns the reason if the path shows that the file at `path` is not a page. `files` contains all files by path. A
/// text or data file that a glob names is not left out because of its kind.
pub(super) fn by_place(path: &str, files: &BTreeMap<String, String>, is_named: bool) -> Option<LeftOut> {
    let kind = kind_of(Path::new(path));
    let is_html = kind == Some(FileKind::Html);
    let is_text = kind == Some(FileKind::Text) && !is_named;
    let inside = |folder: &str| path.split('/').rev().skip(1).any(|part| part == folder);
    if is_html && (path == "404.html" || path.ends_with("/404.html") || path.ends_with("404/index.html")) {
        Some(LeftOut::ErrorPage)
    } else if is_html && inside("_modules") {
        Some(LeftOut::SourceCode)
    } else if !is_html && built_page(path, files).is_some() {
        Some(LeftOut::Twin)
    } else if is_text && is_for_programs(path) {
        Some(LeftOut::ForPrograms)
    } else if is_text && files.contains_key("index.html") {
        // A built site contains text files for its search, its sources and its licenses.
        Some(LeftOut::BesidePages)
    } else if kind.is_some_and(FileKind::is_data) && !is_named {
        Some(LeftOut::Data)
    } else {
        None
    }
}

/// Returns the page that a generator built from the file at `path`, if the page is next to its source: `guide.html` or
/// `guide/index.html` for `guide.md`, `guide.html` for `guide.html.md`, and the page of a file that Sphinx keeps in
/// `_sources`.
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
        let twin = |path: &str| by_place(path, &files, false) == Some(LeftOut::Twin);
        for path in ["a.md", "b.md", "b/index.md", "index.md", "a.html.md", "_sources/api/c.ipynb", "api/_sources/c.md"]
        {
            assert!(twin(path), "{path}");
        }
        assert!(!twin("api/d.md") && !twin("c.md") && !twin("a.html"));
        assert_eq!(by_place("fr/404.html", &files, false), Some(LeftOut::ErrorPage));
        assert_eq!(by_place("404/index.html", &files, false), Some(LeftOut::ErrorPage));
        assert_eq!(by_place("_modules/m.html", &files, false), Some(LeftOut::SourceCode));
        assert_eq!(by_place("modules/m.html", &files, false), None);
        assert_eq!(by_place("notes.txt", &files, false), Some(LeftOut::BesidePages));
        assert_eq!(by_place("notes.txt", &files, true), None);
    }

    #[test]
    fn texts_for_programs_and_data_are_no_documents() {
        let files = BTreeMap::new();
        for path in ["requirements.txt", "a/requirements-dev.txt", "dev_requirements.txt", "robots.txt", "LICENSE.txt"]
        {
            assert_eq!(by_place(path, &files, false), Some(LeftOut::ForPrograms), "{path}");
        }
        assert_eq!(by_place("notes.txt", &files, false), None);
        #[cfg(feature = "formats")]
        assert_eq!([false, true].map(|is_named| by_place("values.csv", &files, is_named)), [Some(LeftOut::Data), None]);
    }

    #[cfg(feature = "formats")]
    #[test]
    fn documents_without_text_come_with_advice() {
        let advice = |path: &str| advice(path, LeftOut::Empty).unwrap_or_default();
        assert_eq!(advice("scan.pdf"), "it contains no text");
        assert!(advice("a/scan.DOCX").contains("--ocr reads them"));
        assert!(advice("a/scan.odt").contains("export it as PDF"));
        assert_eq!(advice("values.xlsx"), "its cells are empty");
        assert_eq!(advice("app.html"), "");
        assert_eq!(super::advice("draft.docx", LeftOut::Draft), None);
    }
}
