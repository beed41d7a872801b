//! A source with a list of its files.

#[cfg(feature = "network")]
use super::history::{History, ListedCommits};
#[cfg(feature = "network")]
use super::repository::open_fetched;
use super::selection::Selection;
use super::spec::{SourceKind, SourceSpec};
use super::tree::{FileTree, FolderTree, RecordedTree, may_be_page};
#[cfg(not(feature = "network"))]
use super::without_git::{History, ListedCommits, open_fetched};
use anyhow::{Context as _, Result};
use nearfind_base::cache_folder::{CLONES, CacheFolder};
use nearfind_base::real_path::real_path;
use nearfind_bundles::bundle_folder::{PassedOver, ProjectRecord};
use nearfind_extract::Date;
use nearfind_extract::archive::ArchiveFormat;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A source with listed and hashed files. This is enough to find out whether anything has changed.
pub struct OpenSource {
    /// The source as it was requested.
    pub spec: SourceSpec,
    /// The path of every file, and its content hash.
    pub files: BTreeMap<String, String>,
    /// The dates of the last changes of files, if git knows them.
    pub dates: BTreeMap<String, Date>,
    /// Problems with files, such as why a file was left out.
    pub skipped: Vec<String>,
    /// Number of files that were passed over, by reason.
    pub passed_over: PassedOver,
    /// The commit that was fetched, if the source is a repository.
    pub commit: Option<String>,
    pub(super) tree: Box<dyn FileTree>,
    pub(super) selection: Selection,
    /// The history of the source, if the index includes commits.
    pub(super) history: Option<History>,
}

impl OpenSource {
    /// Lists and hashes the files of `spec`. A repository must have been fetched into `cache`.
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
        paths.extend(listing.archives);
        paths.sort_unstable();
        if let Some(limit) = source.spec.limit {
            let bytes = paths.par_iter().map(|path| source.size(path)).sum();
            limit.check(&source.spec.place(), paths.len(), bytes)?;
        }
        let hashed: Vec<_> = paths.par_iter().map(|path| source.tree.hash(path)).collect();
        for (path, hash) in paths.into_iter().zip(hashed) {
            match hash {
                Ok(hash) => {
                    source.files.insert(path, hash);
                }
                Err(problem) => source.skipped.push(format!("{}/{path}: left out, {problem}", source.tree.name())),
            }
        }
        source.open_history(cache);
        let listed = source.history.as_ref().map(|history| history.list(source.spec.wanted.commits));
        let ListedCommits { commits, notes } = listed.unwrap_or_default();
        source.skipped.extend(notes);
        for (path, hash) in commits {
            // A file at such a path takes precedence over the commit.
            source.files.entry(path).or_insert(hash);
        }
        Ok(source)
    }

    /// Returns the source as `record` describes it, for a project that is left alone. Its text is in the cache, or else
    /// in its former location.
    pub fn recorded(spec: SourceSpec, cache: &CacheFolder, record: &ProjectRecord) -> Result<Self> {
        let now = Self::tree(&spec, cache).ok().map(|(tree, _)| tree);
        let tree = Box::new(RecordedTree::new(&spec.place(), record, now));
        let mut source = Self::of_tree(spec, tree, record.commit.clone())?;
        source.files.clone_from(&record.files);
        source.open_history(cache);
        Ok(source)
    }

    /// Opens the history if the index includes commits. If the history cannot be read, a note is added, and the files
    /// are still read.
    fn open_history(&mut self, cache: &CacheFolder) {
        if self.spec.wanted.commits == 0 || self.spec.kind == SourceKind::Beir {
            return;
        }
        let opened = match (&self.spec.git, cache.of(CLONES)) {
            (Some(place), Some(clones)) => History::of_clone(place, &clones),
            _ => History::of_folder(&self.spec.path),
        };
        match opened {
            Ok(history) => self.history = Some(history),
            Err(problem) => self.skipped.push(format!("{}: its history is left out, {problem:#}", self.tree.name())),
        }
    }

    /// Returns the size in bytes of the file at `path`, or 0 if it is unknown.
    pub fn size(&self, path: &str) -> u64 {
        self.tree.size(path).unwrap_or(0)
    }

    /// Returns the archive that contains the file at `path`, if there is one.
    pub(super) fn archive_of<'a>(&self, path: &'a str) -> Option<&'a str> {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        folders.into_iter().find(|folder| ArchiveFormat::of(folder).is_some() && self.files.contains_key(*folder))
    }

    /// Returns the folder that contains the files, if the source is a folder.
    pub fn folder(&self) -> Option<PathBuf> {
        let is_folder = self.spec.git.is_none() && self.spec.kind == SourceKind::Folder;
        is_folder.then(|| real_path(&self.spec.path).ok()).flatten()
    }

    /// Returns the current files of `spec` and, for a repository, the commit.
    fn tree(spec: &SourceSpec, cache: &CacheFolder) -> Result<(Box<dyn FileTree>, Option<String>)> {
        let Some(place) = &spec.git else { return Ok((Box::new(FolderTree::new(spec.path.clone())), None)) };
        let clones = cache.of(CLONES).context("repositories are kept in the cache: run without --no-cache")?;
        let (tree, commit) = open_fetched(place, &clones)?;
        Ok((tree, Some(commit)))
    }

    fn of_tree(spec: SourceSpec, tree: Box<dyn FileTree>, commit: Option<String>) -> Result<Self> {
        let selection = Selection::of(&spec.wanted, tree.as_ref())?;
        let mut dates = tree.dates();
        dates.retain(|path, _| may_be_page(path) || selection.is_in_code(path));
        let (files, passed_over) = (BTreeMap::new(), PassedOver::new());
        Ok(Self { spec, files, dates, skipped: Vec::new(), passed_over, commit, tree, selection, history: None })
    }
}
