//! Selects the files that are a project's documentation, and determines their kind and address from their folders.

use super::passed_over::count;
use super::tree::{FileTree, Folders, Listing, inside};
use super::unread;
use anyhow::{Context as _, Result, bail};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use nearfind_base::facets::PageKind;
use nearfind_extract::{FileKind, LeftOut, kind_of};
use std::collections::BTreeMap;
use std::path::Path;

/// Folders that are tried for guides if no folders are configured.
pub const DOCS_FOLDERS: [&str; 2] = ["docs", "doc"];

/// The files that were requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Folders of guides. `None` means the first usual folder that exists, or else everything.
    pub docs: Option<Vec<String>>,
    /// Folders of reference pages. `None` means all usual folders that exist.
    pub reference: Option<Vec<String>>,
    /// The usual folders of guides. Empty for `docs` and `doc`.
    pub usual_docs: Vec<String>,
    /// The usual folders of reference pages.
    pub usual_reference: Vec<String>,
    /// Globs to include. If there are any, a path must match one of them.
    pub include: Vec<String>,
    /// Globs to exclude. A path must not match any of them.
    pub exclude: Vec<String>,
    /// Folders of source code. `""` means the whole project. Empty for no source code.
    pub code: Vec<String>,
    /// Number of the newest commits to search. 0 means none.
    pub commits: u32,
    /// Whether pictures in document folders are included, because OCR reads them.
    pub pictures: bool,
    /// The addresses of folders that are not published at their usual address, as paths below the project's address.
    pub url_paths: BTreeMap<String, String>,
}

impl Wanted {
    /// Requests every file as documentation, without a kind.
    pub fn everything() -> Self {
        Self { docs: Some(vec![String::new()]), reference: Some(Vec::new()), ..Self::default() }
    }
}

/// A folder of documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Root {
    /// The folder's path in the project, without a trailing slash. Empty for the project's folder.
    pub folder: String,
    /// The kind of the folder's pages, if the project has both kinds.
    pub kind: Option<PageKind>,
    /// Where the folder is published, as a path below the project's address.
    pub url_path: String,
}

/// Decides which files of a tree are included.
#[derive(Debug)]
pub(super) struct Selection {
    roots: Vec<Root>,
    include: Option<GlobSet>,
    exclude: GlobSet,
    code: Vec<String>,
    pictures: bool,
}

impl Selection {
    /// Returns the selection that `wanted` means in `tree`.
    pub(super) fn of(wanted: &Wanted, tree: &dyn FileTree) -> Result<Self> {
        let there = |folders: &[String]| -> Vec<String> {
            folders.iter().filter(|folder| tree.has_folder(folder)).cloned().collect()
        };
        let reference = wanted.reference.clone().unwrap_or_else(|| there(&wanted.usual_reference));
        let docs = wanted.docs.clone().unwrap_or_else(|| {
            let usual = match &wanted.usual_docs[..] {
                [] => there(&DOCS_FOLDERS.map(str::to_owned)),
                folders => there(folders),
            };
            usual.first().map_or_else(|| vec![String::new()], |first| vec![first.clone()])
        });
        let root = |folder: &String, kind: Option<PageKind>| {
            let usual = if kind == Some(PageKind::Reference) {
                folder.rsplit('/').next().unwrap_or_default()
            } else {
                // Guides are published without the name of their folder.
                ""
            };
            let url_path = wanted.url_paths.get(folder).map_or(usual, |path| path.trim_matches('/')).to_owned();
            Root { folder: folder.clone(), kind, url_path }
        };
        let guide = (!reference.is_empty()).then_some(PageKind::Guide);
        let mut roots: Vec<Root> = docs.iter().map(|folder| root(folder, guide)).collect();
        roots.extend(reference.iter().map(|folder| root(folder, Some(PageKind::Reference))));
        // Inner folders come first, so that the innermost folder decides.
        roots.sort_by(|a, b| b.folder.len().cmp(&a.folder.len()).then(a.folder.cmp(&b.folder)));
        let include = (!wanted.include.is_empty()).then(|| globs(&wanted.include)).transpose()?;
        Ok(Self {
            roots,
            include,
            exclude: globs(&wanted.exclude)?,
            code: wanted.code.clone(),
            pictures: wanted.pictures,
        })
    }

    /// Lists the included files of `tree`. A folder that was named but does not exist is an error.
    pub(super) fn list(&self, tree: &dyn FileTree) -> Result<Listing> {
        let folders: Vec<String> = self.roots.iter().map(|root| root.folder.clone()).collect();
        let missing = folders.iter().chain(&self.code).find(|folder| !folder.is_empty() && !tree.has_folder(folder));
        if let Some(folder) = missing {
            bail!("{}: there is no folder {folder:?}; correct `docs`, `reference` or `code`", tree.name());
        }
        let mut listing = tree.list(Folders { pages: &folders, code: &self.code })?;
        let listed = listing.paths.len() + listing.code.len();
        let is_wanted = |path: &String| self.is_wanted(path);
        listing.paths.retain(is_wanted);
        listing.code.retain(is_wanted);
        let excluded = listed - listing.paths.len() - listing.code.len();
        count(&mut listing.passed_over, LeftOut::Excluded, excluded);
        listing.unread.retain(is_wanted);
        // A folder inside another one is listed twice.
        listing.unread.sort_unstable();
        listing.unread.dedup();
        let is_source = !self.code.is_empty() || tree.is_repository();
        let is_site = is_source || unread::is_site(&listing.paths);
        if self.pictures && !is_site {
            let is_picture = |path: &mut String| kind_of(Path::new(path)).is_some_and(FileKind::is_picture);
            listing.paths.extend(listing.unread.extract_if(.., is_picture));
            listing.paths.sort_unstable();
        }
        // Archives in a repository or a site have other purposes: tests, or the site itself for download.
        let (read, left): (Vec<_>, Vec<_>) = listing
            .archives
            .drain(..)
            .partition(|path| !self.exclude.is_match(path) && (!is_site || self.is_named(path)));
        listing.archives = read;
        count(&mut listing.passed_over, LeftOut::Archive, if is_source { 0 } else { left.len() });
        unread::count(&mut listing.passed_over, &listing.unread, is_site);
        Ok(listing)
    }

    /// Whether the globs allow `path`.
    pub(super) fn is_wanted(&self, path: &str) -> bool {
        self.include.as_ref().is_none_or(|include| include.is_match(path)) && !self.exclude.is_match(path)
    }

    /// Whether `path` was named, even if only by a glob.
    pub(super) fn is_named(&self, path: &str) -> bool {
        self.include.as_ref().is_some_and(|include| include.is_match(path))
    }

    /// Whether `file` in the archive at `path` is included. Globs may name a file in an archive, or the archive with
    /// all its files.
    pub(super) fn wants_inside(&self, path: &str, file: &str) -> bool {
        let is_named = self.include.is_none() || self.is_named(file) || self.is_named(path);
        is_named && !self.exclude.is_match(file)
    }

    /// Whether `path` is in a folder of source code.
    pub(super) fn is_in_code(&self, path: &str) -> bool {
        self.code.iter().any(|folder| inside(path, folder).is_some())
    }

    /// Returns the documentation folder that contains `path`, and the path inside that folder.
    pub(super) fn place<'a>(&self, path: &'a str) -> (&Root, &'a str) {
        let inside = |root: &'_ Root| match root.folder.as_str() {
            "" => Some(path),
            folder => path.strip_prefix(folder)?.strip_prefix('/'),
        };
        let mut places = self.roots.iter().filter_map(|root| Some((root, inside(root)?)));
        places.next().unwrap_or((&self.roots[0], path))
    }
}

/// Compiles globs for whole paths. `*` matches inside a folder, and `**` across folders. A pattern that does
/// not end in a star also matches everything in the folders that it matches.
pub(crate) fn globs(patterns: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let compiled = |glob: &str| GlobBuilder::new(glob).literal_separator(true).build();
        set.add(compiled(pattern).with_context(|| format!("glob {pattern:?}"))?);
        let folder = pattern.trim_end_matches('/');
        if !folder.is_empty() && !folder.ends_with('*') {
            set.add(compiled(&format!("{folder}/**")).with_context(|| format!("glob {pattern:?}"))?);
        }
    }
    set.build().context("these patterns are too large together: name folders, or fewer files")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_means_everything_in_it() {
        let matches = |pattern: &str, path: &str| globs(&[pattern.to_owned()]).unwrap().is_match(path);
        for pattern in ["drafts", "drafts/", "drafts/**", "**/drafts"] {
            assert!(matches(pattern, "drafts/a/b.md"), "{pattern}");
        }
        assert!(!matches("drafts", "a/drafts/b.md") && matches("**/drafts", "a/drafts/b.md"));
        assert!(!matches("*.md", "a/b.md") && !matches("draft", "drafts/a.md") && matches("a.md", "a.md"));
        assert!(!matches("", "a.md") && !matches("a/*", "a/b/c.md"));
    }
}
