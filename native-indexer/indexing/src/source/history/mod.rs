//! The history of a repository as documents: one for each commit, with its message, the files that it changes, the definitions
//! that these changes are in, and some of the lines.
//!
//! A commit is listed like a file, by a path such as `history/2024-05-03 1a2b3c4d` and a hash. So it is read once, kept in the cache
//! of pages, and part of what tells whether an index is up to date.

mod borrowed;
mod changes;
mod commit_text;
mod last_change;
mod line_changes;
mod message;
#[cfg(test)]
mod tests;
mod touched;
mod walk;

pub use last_change::last_changes;

use super::git_place::{GitPlace, SHORT_HASH, shown_url};
use super::repository::open_clone;
use crate::page_cache::CachedPage;
use anyhow::Result;
use borrowed::Borrowed;
use commit_text::{CommitReader, Outcome};
use gix::{ObjectId, ThreadSafeRepository};
use nearfind_bundles::bundle_folder::COMMIT_HASH;
use nearfind_extract::LeftOut;
use nearfind_extract::apart::Readers;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The folder that commits seem to be in.
const FOLDER: &str = "history";

/// The commits of a repository, the newest of which are searched.
pub(super) struct History {
    repository: ThreadSafeRepository,
    head: ObjectId,
    /// The folder of the repository that is searched; empty for all of it.
    inside: String,
    /// What the repository is called in messages.
    name: String,
    /// What lends a folder's clone its objects, as long as this is in use.
    _borrowed: Option<Arc<Borrowed>>,
}

/// The commits that are to be searched.
#[derive(Debug, Default)]
pub(super) struct ListedCommits {
    /// Hashes by path.
    pub commits: BTreeMap<String, String>,
    /// What could not be read, and how far the history reaches if it ends too early.
    pub notes: Vec<String>,
}

impl History {
    /// The history of the repository that was fetched from `place` into `clones`.
    pub(super) fn of_clone(place: &GitPlace, clones: &Path) -> Result<Self> {
        let (repository, head) = open_clone(place, clones)?;
        let name = shown_url(&place.url);
        Ok(Self { repository, head, inside: String::new(), name, _borrowed: None })
    }

    /// The history of the repository that `folder` is in.
    pub(super) fn of_folder(folder: &Path) -> Result<Self> {
        let borrowed = Borrowed::around(folder)?;
        Ok(Self {
            repository: borrowed.repository.clone(),
            head: borrowed.head,
            inside: borrowed.inside.clone(),
            name: folder.display().to_string(),
            _borrowed: Some(Arc::new(borrowed)),
        })
    }

    /// The newest `count` commits, and the merges between them.
    pub(super) fn list(&self, count: u32) -> ListedCommits {
        let walked = walk::newest(&self.repository.to_thread_local(), self.head, count as usize);
        let mut listed = ListedCommits::default();
        listed.notes.extend(walked.notes.into_iter().map(|note| format!("{}: history: {note}", self.name)));
        for (id, day) in walked.commits {
            let hash = id.to_string();
            let short = format!("{FOLDER}/{day} {}", &hash[..SHORT_HASH]);
            // Two commits of one day may begin alike.
            let path = if listed.commits.contains_key(&short) { format!("{FOLDER}/{day} {hash}") } else { short };
            listed.commits.insert(path, format!("{COMMIT_HASH}{hash}"));
        }
        listed
    }

    /// The commit with this `hash` as a document, and whether another time it would be the same. Of its files only the lines of those
    /// are shown that `shows_lines`.
    pub(super) fn read(&self, hash: &str, readers: &Readers, shows_lines: &dyn Fn(&str) -> bool) -> (CachedPage, bool) {
        let repository = self.repository.to_thread_local();
        let reader = CommitReader { repository: &repository, inside: &self.inside, readers, shows_lines };
        let Ok(id) = ObjectId::from_hex(hash.as_bytes()) else {
            return (CachedPage::Unreadable("its hash is none of a commit".to_owned()), false);
        };
        match reader.read(id) {
            Ok(Outcome::Document(extracted, is_lasting)) => (CachedPage::Document(extracted), is_lasting),
            Ok(Outcome::Merge) => (CachedPage::LeftOut(LeftOut::Merge), true),
            Ok(Outcome::Elsewhere) => (CachedPage::LeftOut(LeftOut::Elsewhere), true),
            Err(error) => (CachedPage::Unreadable(format!("it cannot be read: {error:#}")), false),
        }
    }
}
