//! A tree of files: a folder, or a commit in a git repository.

mod folder;
#[cfg(feature = "network")]
mod git;
#[cfg(feature = "network")]
mod git_dates;
#[cfg(feature = "network")]
mod git_entries;
mod ignore_rules;
mod recorded;

pub(crate) use folder::FolderTree;
#[cfg(feature = "network")]
pub(crate) use git::GitTree;
pub(crate) use recorded::RecordedTree;

use anyhow::Result;
use nearfind_bundles::bundle_folder::PassedOver;
use nearfind_extract::archive::{ArchiveFormat, MAX_ARCHIVE_BYTES};
use nearfind_extract::code::{Language, MAX_BYTES as MAX_CODE_BYTES, Unwanted, unwanted_path};
use nearfind_extract::{Date, FileKind, kind_of, kind_with_text};
use std::collections::BTreeMap;
use std::path::Path;

/// Prefix of the files that Office writes to mark a file as open. They have the extension of the open file.
const OWNER_FILE: &str = "~$";

/// The files of a tree that may be documents or source code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Paths of documents with `/`, sorted.
    pub paths: Vec<String>,
    /// One line for each entry that was left out.
    pub skipped: Vec<String>,
    /// Number of files that were passed over, by reason.
    pub passed_over: PassedOver,
    /// Paths of files that no reader can read.
    pub unread: Vec<String>,
    /// Paths of files that may be source code, sorted.
    pub code: Vec<String>,
    /// Paths of archives in document folders.
    pub archives: Vec<String>,
}

/// Folders of a tree. `""` is the whole tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folders<'a> {
    /// Document folders.
    pub pages: &'a [String],
    /// Folders of source code.
    pub code: &'a [String],
}

/// The possible kind of a file, judging by its path.
enum Candidate {
    Page,
    Code,
    Archive,
    Nothing,
}

impl Folders<'_> {
    /// Returns what the file at `path` may be. Files that are passed over are noted in `listing`.
    fn candidate(&self, path: &str, listing: &mut Listing) -> Candidate {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name.starts_with(OWNER_FILE) {
            return Candidate::Nothing;
        }
        let code = self.code.iter().find_map(|folder| inside(path, folder));
        // If OCR reads pictures, they are chosen later from the files that no reader can read.
        let kind = kind_with_text(Path::new(path));
        // Documents in vendored code are read only if their folder was named, and not if the whole project is read.
        let is_vendored = code.and_then(unwanted_path) == Some(Unwanted::Vendored);
        let is_in_pages = |folder: &String| inside(path, folder).is_some() && !(is_vendored && folder.is_empty());
        if kind.is_some() && self.pages.iter().any(is_in_pages) {
            return Candidate::Page;
        }
        if code.is_none() && ArchiveFormat::of(path).is_some() && self.pages.iter().any(is_in_pages) {
            return Candidate::Archive;
        }
        let Some(in_code) = code else {
            if kind.is_none() {
                listing.pass_over(path);
            }
            return Candidate::Nothing;
        };
        let is_text = matches!(kind, Some(FileKind::Markdown | FileKind::RestructuredText | FileKind::AsciiDoc));
        if let Some(reason) = unwanted_path(in_code) {
            listing.pass_over_code(reason);
            Candidate::Nothing
        } else if is_text {
            Candidate::Page
        } else if kind.is_some_and(|kind| kind != FileKind::Html) {
            Candidate::Nothing
        } else if Language::of_path(path).is_some() || !name.contains('.') {
            // The first line of a file without an extension may show its language.
            Candidate::Code
        } else {
            listing.pass_over(path);
            Candidate::Nothing
        }
    }
}

/// Whether the file at `path` may be a page or another document with text of its own, judging by its name.
pub(crate) fn may_be_page(path: &str) -> bool {
    kind_with_text(Path::new(path)).is_some()
}

/// Returns the rest of `path` inside `folder`, if `path` is in `folder`.
pub(crate) fn inside<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

impl Listing {
    /// Notes the file at `path`, which no reader can read.
    fn pass_over(&mut self, path: &str) {
        self.unread.push(path.to_owned());
    }

    /// Counts a file that is not searched as source code.
    fn pass_over_code(&mut self, reason: Unwanted) {
        *self.passed_over.entry(reason.words().to_owned()).or_default() += 1;
    }
}

/// Files that are found and read by path.
pub(crate) trait FileTree: Send + Sync {
    /// Returns the tree's name in messages.
    fn name(&self) -> String;

    /// Whether there is a folder at `path`.
    fn has_folder(&self, path: &str) -> bool;

    /// Lists the files below `folders` that may be read, judging by their names.
    fn list(&self, folders: Folders<'_>) -> Result<Listing>;

    /// Returns a hash of the content of the file at `path`, or the reason why it cannot be read.
    fn hash(&self, path: &str) -> Result<String, String>;

    /// Returns the size in bytes of the file at `path`, if it is known without reading the file.
    fn size(&self, path: &str) -> Option<u64>;

    /// Returns the known dates of the last changes of files.
    fn dates(&self) -> BTreeMap<String, Date> {
        BTreeMap::new()
    }

    /// Whether the tree is known to be a source code repository, whatever files it contains.
    fn is_repository(&self) -> bool {
        false
    }

    /// Returns the content of the file at `path` and its hash, or the reason why it cannot be read.
    fn read(&self, path: &str) -> Result<(Vec<u8>, String), String>;
}

/// Returns the maximum size in bytes of the file at `path`. Larger files are left out.
fn max_bytes(path: &str) -> u64 {
    let of_code = if ArchiveFormat::of(path).is_some() { MAX_ARCHIVE_BYTES } else { MAX_CODE_BYTES };
    kind_of(Path::new(path)).map_or(of_code, FileKind::max_bytes)
}
