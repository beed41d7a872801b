//! A commit of a repository. Blobs are read from the repository's objects. Nothing is checked out, so the repository's
//! links, filters and hooks have no effect.

use super::git_dates::last_changes;
use super::git_entries::{MAX_PATH_BYTES, entries_of};
use super::{Candidate, FileTree, Folders, Listing, inside, max_bytes, may_be_page};
use crate::source::page_links::resolve;
use anyhow::Result;
use gix::objs::tree::EntryKind;
use gix::{ObjectId, ThreadSafeRepository};
use nearfind_base::root_folder::too_large;
use nearfind_extract::Date;
use nearfind_extract::code::Language;
use std::collections::BTreeMap;

/// The files of a commit.
pub(crate) struct GitTree {
    repository: ThreadSafeRepository,
    name: String,
    blobs: BTreeMap<String, ObjectId>,
    skipped: Vec<String>,
    dates: BTreeMap<String, Date>,
}

impl GitTree {
    /// Lists the files of `commit`, and reads their dates from the last `history` commits. `name` is the repository's
    /// name in messages.
    pub(crate) fn open(repository: ThreadSafeRepository, commit: ObjectId, history: u32, name: &str) -> Result<Self> {
        let local = repository.to_thread_local();
        let tree = local.find_commit(commit)?.tree()?;
        let entries = entries_of(&tree, name)?;
        let (mut blobs, mut skipped, mut links) = (BTreeMap::new(), Vec::new(), Vec::new());
        for entry in entries {
            let path = match std::str::from_utf8(&entry.filepath) {
                Ok(path) => path.to_owned(),
                Err(_) if may_be_page(&entry.filepath.to_string()) => {
                    skipped.push(format!("{name}: {}: left out, its name is not UTF-8", entry.filepath));
                    continue;
                }
                Err(_) => continue,
            };
            match entry.mode.kind() {
                EntryKind::Blob | EntryKind::BlobExecutable => {
                    blobs.insert(path, entry.oid);
                }
                EntryKind::Link => links.push((path, entry.oid)),
                EntryKind::Commit => skipped.push(format!("{name}: {path}: left out, a submodule")),
                EntryKind::Tree => {}
            }
        }
        for (path, link) in links {
            if !may_be_page(&path) && Language::of_path(&path).is_none() {
                continue;
            }
            // The target of a link is a path, so a larger blob is not unpacked.
            let is_path = local.find_header(link)?.size() <= MAX_PATH_BYTES as u64;
            let target = if is_path { local.find_object(link)?.detach().data } else { Vec::new() };
            let target = std::str::from_utf8(&target).map(|target| resolve(&path, target)).unwrap_or_default();
            match blobs.get(&target).copied() {
                Some(blob) => {
                    blobs.insert(path, blob);
                }
                None => skipped.push(format!("{name}: {path}: left out, a symbolic link to no file in the repository")),
            }
        }
        // If the history cannot be read, files have no dates.
        let dates = last_changes(&local, commit, history, &blobs).unwrap_or_default();
        Ok(Self { repository, name: name.to_owned(), blobs, skipped, dates })
    }
}

impl FileTree for GitTree {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn has_folder(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.blobs.range(folder.clone()..).next().is_some_and(|(blob, _)| blob.starts_with(&folder))
    }

    fn list(&self, folders: Folders<'_>) -> Result<Listing> {
        let is_inside =
            |path: &str| folders.pages.iter().chain(folders.code).any(|folder| inside(path, folder).is_some());
        let is_hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
        let mut listing = Listing { skipped: self.skipped.clone(), ..Listing::default() };
        for path in self.blobs.keys() {
            if is_hidden(path) || !is_inside(path) {
                continue;
            }
            match folders.candidate(path, &mut listing) {
                Candidate::Page => listing.paths.push(path.clone()),
                Candidate::Code => listing.code.push(path.clone()),
                Candidate::Archive => listing.archives.push(path.clone()),
                Candidate::Nothing => {}
            }
        }
        Ok(listing)
    }

    fn dates(&self) -> BTreeMap<String, Date> {
        self.dates.clone()
    }

    fn is_repository(&self) -> bool {
        true
    }

    fn size(&self, path: &str) -> Option<u64> {
        Some(self.repository.to_thread_local().find_header(*self.blobs.get(path)?).ok()?.size())
    }

    fn hash(&self, path: &str) -> Result<String, String> {
        let blob = self.blobs.get(path).ok_or("it is not in the commit")?;
        Ok(format!("git:{blob}"))
    }

    fn read(&self, path: &str) -> Result<(Vec<u8>, String), String> {
        let blob = self.blobs.get(path).ok_or("it is not in the commit")?;
        let local = self.repository.to_thread_local();
        let damaged = |error: &dyn std::fmt::Display| format!("it cannot be read: {error}");
        let header = local.find_header(*blob).map_err(|error| damaged(&error))?;
        if header.size() > max_bytes(path) {
            return Err(too_large(max_bytes(path)));
        }
        let object = local.find_object(*blob).map_err(|error| damaged(&error))?;
        Ok((object.detach().data, format!("git:{blob}")))
    }
}
