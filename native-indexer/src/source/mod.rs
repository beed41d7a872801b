//! Where documents come from: folders, repositories and benchmark corpora.

mod beir;
mod code_files;
mod code_rank;
mod forge;
mod git_place;
mod leading_pages;
mod page_url;
mod pages;
mod passed_over;
mod path_rules;
#[cfg(feature = "git")]
mod repository;
mod same_stem;
mod selection;
mod spec;
mod tree;
#[cfg(not(feature = "git"))]
mod without_git;

pub use git_place::{GitPlace, shown_url};
pub use page_url::UrlStyle;
pub use passed_over::PassedOver;
pub(crate) use passed_over::report_line;
pub use path_rules::PathRule;
pub use selection::{DOCS_FOLDERS, Wanted};
pub use spec::{SourceKind, SourceSpec, parse_sources};
pub(crate) use spec::{check_base_url, check_name};

#[cfg(feature = "git")]
pub(crate) use repository::fetch;
pub(crate) use selection::globs;
#[cfg(not(feature = "git"))]
pub(crate) use without_git::fetch;

use crate::bundle_folder::ProjectRecord;
use crate::cache::{CacheFolder, PageCache};
use crate::extract::apart::Readers;
use crate::extract::{self, Date, Extracted};
use anyhow::{Context as _, Result};
use nearfind_core::bundle::BundleCode;
use rayon::prelude::*;
#[cfg(feature = "git")]
use repository::open_fetched;
use selection::Selection;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tree::{FileTree, FolderTree, RecordedTree};
#[cfg(not(feature = "git"))]
use without_git::open_fetched;

/// The folder of clones in the cache.
pub(crate) const CLONES: &str = "repositories";

/// The file at `path` of `folder` and the hash of its content, as it is read for an index: not through a link that leads out of the
/// folder, and no more of it than of any other.
pub(crate) fn read_in_folder(folder: &Path, path: &str) -> Result<(Vec<u8>, String), String> {
    FolderTree::new(folder.to_owned()).read(path)
}

/// A document as its source gives it, before chunking.
#[derive(Debug)]
pub struct SourceDocument {
    /// Path inside the source, with `/`.
    pub path: String,
    /// Id if the source has its own; else `<project>/<path>` is used.
    pub id: Option<String>,
    /// Where readers find it.
    pub url: Option<String>,
    /// Its text and structure.
    pub extracted: Extracted,
    /// Paths of pages that only lead here or repeat it.
    pub aliases: Vec<String>,
    /// Byte of the path at which the part begins that tells areas apart: after the folder of the documentation.
    pub area_at: u32,
    /// When it was written or last changed, if that is known.
    pub date: Option<Date>,
    /// What it can be filtered by.
    pub facets: BTreeMap<String, BTreeSet<String>>,
    /// How much it counts: 1 is as much as others.
    pub weight: f32,
    /// What its text is known by; the same is the same text. `None` if that is not known.
    pub content: Option<String>,
    /// What a piece of source code has beside its text.
    pub code: Option<BundleCode>,
}

/// What reading a source gave: documents in canonical order, and what was left out with the reason.
#[derive(Debug, Default)]
pub struct SourceContent {
    /// Name of the project.
    pub project: String,
    /// Documents, ascending by path.
    pub documents: Vec<SourceDocument>,
    /// One line for each file that could not be read.
    pub warnings: Vec<String>,
    /// Files that are no pages of the documentation, counted by reason.
    pub passed_over: PassedOver,
    /// Every file, with the hash of its content.
    pub files: BTreeMap<String, String>,
    /// The commit, if it is a repository.
    pub commit: Option<String>,
}

/// A source whose files were listed and hashed: enough to know whether anything has changed.
pub struct OpenSource {
    /// What it is.
    pub spec: SourceSpec,
    /// Every file, with the hash of its content.
    pub files: BTreeMap<String, String>,
    /// When files were changed last, where git knows.
    pub dates: BTreeMap<String, Date>,
    /// Files left out, with the reason.
    pub skipped: Vec<String>,
    /// Files passed over, counted by reason.
    pub passed_over: PassedOver,
    /// The commit, if it is a repository.
    pub commit: Option<String>,
    tree: Box<dyn FileTree>,
    selection: Selection,
}

impl OpenSource {
    /// Lists and hashes the files of `spec`; those of a repository must have been fetched into `cache`.
    pub fn open(spec: SourceSpec, cache: &CacheFolder) -> Result<Self> {
        let (tree, commit) = Self::tree(&spec, cache)?;
        let mut source = Self::of_tree(spec, tree, commit)?;
        if source.spec.kind == SourceKind::Beir {
            let name = || format!("{}: cannot be read", source.spec.path.display());
            let mut hasher = blake3::Hasher::new();
            let file = std::fs::File::open(&source.spec.path).with_context(name)?;
            hasher.update_reader(file).with_context(name)?;
            source.files.insert(String::new(), hasher.finalize().to_hex().to_string());
            return Ok(source);
        }
        let listing = source.selection.list(source.tree.as_ref())?;
        source.skipped = listing.skipped;
        source.passed_over = listing.passed_over;
        let mut paths = listing.paths;
        paths.extend(listing.code);
        paths.sort_unstable();
        let hashed: Vec<_> = paths.par_iter().map(|path| source.tree.hash(path)).collect();
        for (path, hash) in paths.into_iter().zip(hashed) {
            match hash {
                Ok(hash) => {
                    source.files.insert(path, hash);
                }
                Err(problem) => source.skipped.push(format!("{}/{path}: left out, {problem}", source.tree.name())),
            }
        }
        Ok(source)
    }

    /// The source as `record` says that it was: for projects that are left alone. Its text is in the cache, or still
    /// where it was.
    pub fn recorded(spec: SourceSpec, cache: &CacheFolder, record: &ProjectRecord) -> Result<Self> {
        let now = Self::tree(&spec, cache).ok().map(|(tree, _)| tree);
        let tree = Box::new(RecordedTree::new(&spec.place(), record, now));
        let mut source = Self::of_tree(spec, tree, record.commit.clone())?;
        source.files.clone_from(&record.files);
        Ok(source)
    }

    /// Bytes of the file at `path`; 0 if that cannot be known.
    pub fn size(&self, path: &str) -> u64 {
        self.tree.size(path).unwrap_or(0)
    }

    /// The folder that its files are in, if they are in one.
    pub fn folder(&self) -> Option<PathBuf> {
        let is_folder = self.spec.git.is_none() && self.spec.kind == SourceKind::Folder;
        is_folder.then(|| self.spec.path.canonicalize().ok()).flatten()
    }

    /// Where the files of `spec` are now, and at which commit.
    fn tree(spec: &SourceSpec, cache: &CacheFolder) -> Result<(Box<dyn FileTree>, Option<String>)> {
        let Some(place) = &spec.git else { return Ok((Box::new(FolderTree::new(spec.path.clone())), None)) };
        let clones = cache.of(CLONES).context("repositories are kept in the cache: run without --no-cache")?;
        let (tree, commit) = open_fetched(place, &clones)?;
        Ok((tree, Some(commit)))
    }

    fn of_tree(spec: SourceSpec, tree: Box<dyn FileTree>, commit: Option<String>) -> Result<Self> {
        let selection = Selection::of(&spec.wanted, tree.as_ref())?;
        let mut dates = tree.dates();
        dates.retain(|path, _| extract::kind_of(Path::new(path)).is_some() || selection.is_in_code(path));
        let (files, passed_over) = (BTreeMap::new(), PassedOver::new());
        Ok(Self { spec, files, dates, skipped: Vec::new(), passed_over, commit, tree, selection })
    }

    /// Reads the documents with `readers`. `several` tells whether other sources are indexed with it, which puts the project's name in
    /// front of its URLs.
    pub fn read(&self, several: bool, cache: &mut PageCache, readers: &Readers) -> Result<SourceContent> {
        match self.spec.kind {
            SourceKind::Folder => pages::read(self, several, cache, readers),
            SourceKind::Beir => {
                let content = beir::read(&self.spec)?;
                Ok(SourceContent { project: self.spec.name.clone(), files: self.files.clone(), ..content })
            }
        }
    }
}

/// Reads the documents of `spec` alone.
pub fn read(spec: &SourceSpec) -> Result<SourceContent> {
    let none = CacheFolder::none();
    OpenSource::open(spec.clone(), &none)?.read(false, &mut PageCache::open(&none)?, &Readers::inside())
}
