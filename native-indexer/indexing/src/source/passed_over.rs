//! Files of a folder that are not pages of its documentation, as far as paths can tell, and how they are counted.

use nearfind_base::file_names::stem;
use nearfind_bundles::bundle_folder::PassedOver;
use nearfind_extract::code::Unwanted;
use nearfind_extract::{FileKind, LeftOut, kind_of};
use std::collections::BTreeMap;
use std::path::Path;

/// Texts that are there for programs, by their names in lower case up to a dash or dot.
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

/// Whether the text at `path` is one for programs: `requirements-dev.txt`.
fn is_for_programs(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let first = stem.split(['-', '_']).next().unwrap_or_default();
    [stem, first].iter().any(|name| TEXTS_FOR_PROGRAMS.contains(name)) || stem.ends_with("requirements")
}

/// What was passed over of a project, as a line of a report; `None` if nothing was.
pub fn report_line(project: &str, passed_over: &PassedOver) -> Option<String> {
    let counted: Vec<String> = passed_over.iter().map(|(reason, files)| format!("{reason} ({files})")).collect();
    (!counted.is_empty()).then(|| format!("{project}: passed over: {}", counted.join(", ")))
}

/// What to do about the document at `path`, which is left out for `reason`; `None` if it needs no word of its own: of pages
/// without text a site may have many.
pub(super) fn advice(path: &str, reason: LeftOut) -> Option<&'static str> {
    let kind = kind_of(Path::new(path)).filter(|_| reason == LeftOut::Empty)?;
    Some(match kind.format_name() {
        "pdf" | "picture" => "there is no text in it",
        "word" | "slides" if has_readable_pictures(path) => {
            "there is no text in it; if its pages are pictures, --ocr reads them"
        }
        "word" | "slides" | "book" => {
            "there is no text in it; if its pages are pictures, export it as PDF and index that with --ocr"
        }
        "sheet" => "there is nothing in its cells",
        _ => return None,
    })
}

/// Whether OCR reads the pictures of a document called `path`.
fn has_readable_pictures(path: &str) -> bool {
    let path = path.to_lowercase();
    [".docx", ".docm", ".dotx", ".pptx", ".pptm", ".ppsx"].iter().any(|ending| path.ends_with(ending))
}

/// Counts `files` more for `reason`.
pub(super) fn count(passed_over: &mut PassedOver, reason: LeftOut, files: usize) {
    if files > 0 {
        *passed_over.entry(reason.words().to_owned()).or_default() += files;
    }
}

/// Counts a file that is no source code to be searched.
pub(super) fn count_code(passed_over: &mut PassedOver, reason: Unwanted) {
    *passed_over.entry(reason.words().to_owned()).or_default() += 1;
}

/// Why the file at `path` is no page, as far as its place tells; `files` are all files by path. What somebody named is
/// wanted, whatever it is.
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
        // A built site has texts for its search, its sources and its licences.
        Some(LeftOut::BesidePages)
    } else if kind.is_some_and(FileKind::is_data) && !is_named {
        Some(LeftOut::Data)
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
        assert_eq!(advice("scan.pdf"), "there is no text in it");
        assert!(advice("a/scan.DOCX").contains("--ocr reads them"));
        assert!(advice("a/scan.odt").contains("export it as PDF"));
        assert_eq!(advice("values.xlsx"), "there is nothing in its cells");
        assert_eq!(advice("app.html"), "");
        assert_eq!(super::advice("draft.docx", LeftOut::Draft), None);
    }
}
