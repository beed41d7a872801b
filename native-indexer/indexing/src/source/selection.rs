//! Selects the files of a project that are its documentation, and reads what its folders tell about them.

use super::passed_over::count;
use super::tree::{FileTree, Folders, Listing, inside};
use super::unread;
use anyhow::{Context as _, Result, bail};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use nearfind_base::facets::PageKind;
use nearfind_extract::{FileKind, LeftOut, kind_of};
use std::collections::BTreeMap;
use std::path::Path;

/// Folders of guides that are tried where none is named.
pub const DOCS_FOLDERS: [&str; 2] = ["docs", "doc"];

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Folders of guides; `None` for the first usual one that is there, or else everything.
    pub docs: Option<Vec<String>>,
    /// Folders of reference pages; `None` for the usual ones that are there.
    pub reference: Option<Vec<String>>,
    /// Usual folders of guides; none for `docs` and `doc`.
    pub usual_docs: Vec<String>,
    /// Usual folders of reference pages.
    pub usual_reference: Vec<String>,
    /// Globs of which a path must match one; none for every path.
    pub include: Vec<String>,
    /// Globs of paths to leave out.
    pub exclude: Vec<String>,
    /// Folders of source code, `""` for all of it; none for no source code.
    pub code: Vec<String>,
    /// Commits that are searched, the newest first; 0 for none.
    pub commits: u32,
    /// Whether OCR reads pictures in folders of documents.
    pub pictures: bool,
    /// Where folders are published below the project's address, if not where it is usual.
    pub url_paths: BTreeMap<String, String>,
}

impl Wanted {
    /// Every file, of no kind.
    pub fn everything() -> Self {
        Self { docs: Some(vec![String::new()]), reference: Some(Vec::new()), ..Self::default() }
    }
}

/// A folder of documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Root {
    /// Its path in the project, without a slash at its end; empty for the project's own folder.
    pub folder: String,
    /// What its pages are for, where a project has both.
    pub kind: Option<PageKind>,
    /// Where it is published below the project's address.
    pub url_path: String,
}

/// Wanted files of one tree.
#[derive(Debug)]
pub(super) struct Selection {
    roots: Vec<Root>,
    include: Option<GlobSet>,
    exclude: GlobSet,
    code: Vec<String>,
    pictures: bool,
}

impl Selection {
    /// What `wanted` means in `tree`.
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
                // A site is made of the folder of its docs.
                ""
            };
            let url_path = wanted.url_paths.get(folder).map_or(usual, |path| path.trim_matches('/')).to_owned();
            Root { folder: folder.clone(), kind, url_path }
        };
        let guide = (!reference.is_empty()).then_some(PageKind::Guide);
        let mut roots: Vec<Root> = docs.iter().map(|folder| root(folder, guide)).collect();
        roots.extend(reference.iter().map(|folder| root(folder, Some(PageKind::Reference))));
        // The innermost folder decides.
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

    /// The wanted files of `tree`. A folder that was named and is not there is an error.
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
        // Folders inside others are listed twice.
        listing.unread.sort_unstable();
        listing.unread.dedup();
        let is_source = !self.code.is_empty() || tree.is_repository();
        let is_site = is_source || unread::is_site(&listing.paths);
        if self.pictures && !is_site {
            let is_picture = |path: &mut String| kind_of(Path::new(path)).is_some_and(FileKind::is_picture);
            listing.paths.extend(listing.unread.extract_if(.., is_picture));
            listing.paths.sort_unstable();
        }
        // A repository or a site has archives for other purposes: the site itself, to be downloaded, or tests.
        let (read, left): (Vec<_>, Vec<_>) = listing
            .archives
            .drain(..)
            .partition(|path| !self.exclude.is_match(path) && (!is_site || self.is_named(path)));
        listing.archives = read;
        count(&mut listing.passed_over, LeftOut::Archive, if is_source { 0 } else { left.len() });
        unread::count(&mut listing.passed_over, &listing.unread, is_site);
        Ok(listing)
    }

    /// Whether the globs that were given let `path` in.
    pub(super) fn is_wanted(&self, path: &str) -> bool {
        self.include.as_ref().is_none_or(|include| include.is_match(path)) && !self.exclude.is_match(path)
    }

    /// Whether somebody named `path`, if only by a glob.
    pub(super) fn is_named(&self, path: &str) -> bool {
        self.include.as_ref().is_some_and(|include| include.is_match(path))
    }

    /// Whether `file` of the archive at `path` is wanted: an archive is like a folder, whose files are named one by one or together.
    pub(super) fn wants_inside(&self, path: &str, file: &str) -> bool {
        let is_named = self.include.is_none() || self.is_named(file) || self.is_named(path);
        is_named && !self.exclude.is_match(file)
    }

    /// Whether `path` is in a folder of source code.
    pub(super) fn is_in_code(&self, path: &str) -> bool {
        self.code.iter().any(|folder| inside(path, folder).is_some())
    }

    /// The folder of documentation that `path` is in, and the path inside it.
    pub(super) fn place<'a>(&self, path: &'a str) -> (&Root, &'a str) {
        let inside = |root: &'_ Root| match root.folder.as_str() {
            "" => Some(path),
            folder => path.strip_prefix(folder)?.strip_prefix('/'),
        };
        let mut places = self.roots.iter().filter_map(|root| Some((root, inside(root)?)));
        places.next().unwrap_or((&self.roots[0], path))
    }
}

/// A set of globs over whole paths: `*` stays in its folder, `**` does not.
pub(crate) fn globs(patterns: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.with_context(|| format!("glob {pattern:?}"))?);
    }
    set.build().context("these patterns are too large together: name folders, or fewer files")
}
