//! Files that no reader can read: which of them a report counts, and how a user can make them readable.
//!
//! In a document folder, all such files are counted, so that no file is missing without notice. A repository or a site
//! is full of pictures, code and data that readers do not miss, so only documents are counted there.

use nearfind_bundles::bundle_folder::PassedOver;
use nearfind_extract::code::Language;
use nearfind_extract::{FileKind, kind_of};
use std::collections::BTreeMap;
use std::path::Path;

/// Extensions of documents, and how to make the documents readable. They are counted everywhere.
const DOCUMENTS: &[(&[&str], &str)] = &[
    (&["pages", "key", "numbers"], "Apple iWork documents, read once they are exported as PDF"),
    (
        &["wpd", "wps", "hwp", "hwpx", "abw", "lwp"],
        "documents of other word processors, read once they are saved as .docx",
    ),
    (&["123", "wk1", "wk4", "wq1"], "workbooks of other programs, read once they are saved as .xlsx"),
    (
        &["fodt", "fods", "fodp", "sxc", "sxi", "sxw"],
        "documents of LibreOffice, read once they are saved as .odt, .ods or .odp",
    ),
    (
        &["pub", "one", "onepkg", "mpp", "vsd", "vsdx", "vsdm", "odg", "indd", "qxd"],
        "documents, read once they are exported as PDF",
    ),
    (&["djvu", "xps", "oxps", "ps", "dvi"], "documents, read once they are converted to PDF"),
    (&["mobi", "azw", "azw3", "lit", "prc", "lrf"], "books, read once they are converted to .epub"),
    (&["chm"], "help files, read once `7z x` has unpacked them to HTML"),
    (&["hlp"], "help files, read once they are converted to HTML"),
    (&["zim"], "offline wikis, read once `zimdump dump` has unpacked them to HTML"),
    (&["arc"], "old web archives, read once they are converted to .warc"),
    (&["pst", "ost", "nsf", "dbx"], "mailboxes, read once their messages are saved as .eml or .mbox"),
    (&["gdoc", "gsheet", "gslides"], "links to Google's documents, read once these are downloaded"),
    (&["tex"], "documents, read once they are typeset as PDF"),
    (
        &[
            "doc", "docm", "docx", "dot", "eml", "epub", "mbox", "mht", "mhtml", "msg", "odp", "ods", "odt", "org",
            "pdf", "pot", "pps", "ppt", "pptm", "pptx", "rtf", "xls", "xlsb", "xlsm", "xlsx",
        ],
        "files of an unsupported kind",
    ),
];
/// Extensions of other files, grouped by kind. They are counted in document folders.
const OTHERS: &[(&[&str], &str)] = &[
    (
        &[
            "ai", "avif", "bmp", "cr2", "dng", "eps", "gif", "heic", "heif", "ico", "jfif", "jpeg", "jpg", "nef",
            "png", "psd", "raw", "svg", "tif", "tiff", "webp", "wmf", "emf", "xcf",
        ],
        "pictures; --ocr reads the text of PNG, JPEG and TIFF",
    ),
    (
        &[
            "aac", "aiff", "amr", "avi", "flac", "flv", "m4a", "m4v", "mid", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg",
            "oga", "ogg", "ogv", "opus", "wav", "webm", "wma", "wmv",
        ],
        "sound and film",
    ),
    (
        &[
            "7z", "ar", "arj", "bz2", "cab", "cpio", "dmg", "gz", "iso", "jar", "lz4", "lzma", "rar", "tbz", "txz",
            "war", "whl", "xz", "zst",
        ],
        "archives of other kinds, read once they are unpacked",
    ),
    (&["eot", "otf", "pfb", "ttc", "ttf", "woff", "woff2"], "fonts"),
    (
        &[
            "a", "apk", "app", "bin", "class", "com", "deb", "dll", "dylib", "exe", "img", "lib", "msi", "o", "obj",
            "pdb", "pyc", "pyd", "rpm", "so", "sys", "wasm",
        ],
        "programs",
    ),
    (&["dwg", "dxf", "step", "stl", "stp", "igs", "blend", "skp", "3ds"], "drawings and models"),
    (
        &[
            "accdb",
            "arrow",
            "avro",
            "bak",
            "csv",
            "dat",
            "db",
            "dbf",
            "feather",
            "geojson",
            "h5",
            "ics",
            "ini",
            "json",
            "jsonl",
            "kml",
            "kmz",
            "log",
            "map",
            "mat",
            "mdb",
            "ndjson",
            "npy",
            "npz",
            "parquet",
            "pem",
            "pickle",
            "pkl",
            "plist",
            "properties",
            "rdata",
            "rds",
            "sas7bdat",
            "shp",
            "sqlite",
            "sqlite3",
            "toml",
            "tsv",
            "vcf",
            "xml",
            "xsd",
            "xsl",
            "yaml",
            "yml",
            "conf",
            "cfg",
            "crt",
            "cer",
            "p7s",
            "p7m",
            "asc",
            "sig",
            "md5",
            "sha256",
        ],
        "data",
    ),
];
/// The reason for files that contain all pages of a wiki.
const WIKI_DUMPS: &str = "wiki dumps, read once each of their pages is a file (.mediawiki)";
/// Parts of the names of such files.
const WIKI_DUMP_NAMES: [&str; 4] = ["pages-articles", "pages-current", "pages-full", "pages-meta-"];
/// Names of files that systems leave behind. Users do not miss them.
const LITTER: [&str; 4] = ["thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r"];
/// Extensions of files that systems and programs leave behind: links, locks and unfinished downloads.
const LITTER_ENDINGS: [&str; 10] =
    ["crdownload", "download", "lnk", "lock", "part", "partial", "swp", "temp", "tmp", "url"];
/// Maximum number of unknown extensions that are counted separately, because a folder may have thousands.
const MAX_ENDINGS: usize = 12;
/// Maximum number of characters in an extension. A longer ending is part of the name.
const MAX_ENDING_CHARS: usize = 10;

/// Counts the files at `paths`, which no reader can read, in `passed_over`. In a repository or a site, only documents
/// are counted.
pub(super) fn count(passed_over: &mut PassedOver, paths: &[String], is_site: bool) {
    let mut strange: BTreeMap<String, usize> = BTreeMap::new();
    for path in paths {
        let Some(ending) = ending(path).filter(|_| !is_litter(path)) else { continue };
        let dotted = format!(".{ending}");
        if is_wiki_dump(path) {
            *passed_over.entry(WIKI_DUMPS.to_owned()).or_default() += 1;
            continue;
        }
        if let Some(words) = words_of(DOCUMENTS, &ending) {
            *passed_over.entry(format!("{words} ({dotted})")).or_default() += 1;
            continue;
        }
        if is_site {
            continue;
        }
        if let Some(words) = words_of(OTHERS, &ending) {
            *passed_over.entry(words.to_owned()).or_default() += 1;
        } else if Language::of_path(path).is_some() {
            *passed_over.entry("source code, read with --code".to_owned()).or_default() += 1;
        } else {
            *strange.entry(ending).or_default() += 1;
        }
    }
    let mut strange: Vec<(String, usize)> = strange.into_iter().collect();
    // The sort is stable, so extensions with the same count stay in alphabetical order.
    strange.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
    let rest: usize = strange.iter().skip(MAX_ENDINGS).map(|(_, files)| files).sum();
    for (ending, files) in strange.into_iter().take(MAX_ENDINGS) {
        let words = match ending.as_str() {
            "" => "files without an extension".to_owned(),
            ending => format!("files of an unsupported kind (.{ending})"),
        };
        *passed_over.entry(words).or_default() += files;
    }
    if rest > 0 {
        *passed_over.entry("files of other unsupported kinds".to_owned()).or_default() += rest;
    }
}

/// Whether the files at `paths`, which are read, are a site or its sources rather than a document folder. This is the
/// case if at least half of them are pages.
pub(super) fn is_site(paths: &[String]) -> bool {
    let pages = paths.iter().filter(|path| kind_of(Path::new(path)).is_some_and(FileKind::is_page)).count();
    pages > 0 && pages * 2 >= paths.len()
}

/// Returns the extension of the file at `path` in lower case, or an empty text if it has none that shows its kind.
/// Returns `None` for a hidden file.
fn ending(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let told = |ending: &&str| !ending.is_empty() && ending.chars().count() <= MAX_ENDING_CHARS;
    let is_one = |ending: &&str| ending.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '+'));
    match name.rsplit_once('.') {
        Some(("", _)) => None,
        Some((_, ending)) => Some(Some(ending).filter(told).filter(is_one).unwrap_or_default().to_lowercase()),
        None => Some(String::new()),
    }
}

/// Whether the file at `path` is named like a MediaWiki dump.
fn is_wiki_dump(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    name.contains(".xml") && WIKI_DUMP_NAMES.iter().any(|part| name.contains(part))
}

/// Whether a system or a program left the file at `path` behind, as Office does next to an open document.
fn is_litter(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_one = |ending: &str| LITTER_ENDINGS.contains(&ending);
    LITTER.contains(&name.as_str())
        || name.starts_with("~$")
        || name.ends_with('~')
        || name.rsplit_once('.').is_some_and(|(_, ending)| is_one(ending))
}

fn words_of(kinds: &[(&[&str], &'static str)], ending: &str) -> Option<&'static str> {
    kinds.iter().find(|(endings, _)| endings.contains(&ending)).map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(paths: &[&str], is_site: bool) -> Vec<String> {
        let mut passed_over = PassedOver::new();
        count(&mut passed_over, &paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>(), is_site);
        passed_over.into_iter().map(|(words, files)| format!("{words} {files}")).collect()
    }

    #[test]
    fn nothing_of_a_folder_of_documents_is_missing() {
        let paths = [
            "a/Report.WPD",
            "a/b.key",
            "x.chm",
            "scan.jpg",
            "b.PNG",
            "old.rar",
            "film.mp4",
            "a.xyz",
            "c/b.xyz",
            "README",
            "run.py",
            "t.vsdx",
            "dewiki-20260101-pages-articles.xml.bz2",
            "data.json",
            "v1.2 final",
        ];
        assert_eq!(
            counted(&paths, false),
            [
                "Apple iWork documents, read once they are exported as PDF (.key) 1",
                "archives of other kinds, read once they are unpacked 1",
                "data 1",
                "documents of other word processors, read once they are saved as .docx (.wpd) 1",
                "documents, read once they are exported as PDF (.vsdx) 1",
                "files of an unsupported kind (.xyz) 2",
                "files without an extension 2",
                "help files, read once `7z x` has unpacked them to HTML (.chm) 1",
                "pictures; --ocr reads the text of PNG, JPEG and TIFF 2",
                "sound and film 1",
                "source code, read with --code 1",
                "wiki dumps, read once each of their pages is a file (.mediawiki) 1",
            ]
        );
    }

    #[test]
    fn of_a_repository_documents_alone_are_counted() {
        let paths = ["logo.png", "a.woff2", "src/main.rs", "Cargo.lock", "Makefile", "a.map", "x.unknown", "talk.key"];
        assert_eq!(counted(&paths, true), ["Apple iWork documents, read once they are exported as PDF (.key) 1"]);
    }

    #[test]
    fn what_systems_leave_behind_is_not_missed() {
        assert!(
            counted(&["Thumbs.db", "a/~$report.docx", ".DS_Store", "b.tmp", "x.lnk", "notes.txt~"], false).is_empty()
        );
    }

    #[test]
    fn many_endings_are_counted_together() {
        let paths: Vec<String> = (0..100).map(|at| format!("f.q{at}")).collect();
        let counted = counted(&paths.iter().map(String::as_str).collect::<Vec<_>>(), false);
        assert_eq!(counted.len(), MAX_ENDINGS + 1);
        assert!(counted.contains(&"files of other unsupported kinds 88".to_owned()), "{counted:?}");
    }

    #[test]
    fn pages_make_a_site() {
        let of = |paths: &[&str]| is_site(&paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>());
        assert!(of(&["a.md", "b.html", "c.txt"]) && of(&["a.md"]));
        assert!(!of(&["a.md", "b.txt", "c.txt"]) && !of(&["notes.txt"]) && !of(&[]));
    }
}
