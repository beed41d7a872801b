//! The history of a repository as documents. Each commit is a document with its message, the files that it changes, the
//! definitions that contain the changes, and some of the changed lines.
//!
//! A commit is listed like a file, with a path such as `history/2024-05-03 1a2b3c4d` and a hash. So it is read once and
//! kept in the page cache, and a run considers it when it checks whether an index is up to date.

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

/// The folder that contains the paths of commits. It does not exist.
const FOLDER: &str = "history";

/// The history of a repository.
pub(super) struct History {
    repository: ThreadSafeRepository,
    head: ObjectId,
    /// The folder in the repository that is searched. Empty for the whole repository.
    inside: String,
    /// The repository's name in messages.
    name: String,
    /// The temporary repository that borrows the objects of a folder's clone. It is deleted when the history is
    /// dropped.
    _borrowed: Option<Arc<Borrowed>>,
}

/// The commits to search.
#[derive(Debug, Default)]
pub(super) struct ListedCommits {
    /// The path of each commit, and its hash with the prefix that marks commits.
    pub commits: BTreeMap<String, String>,
    /// Notes about commits that could not be read, and about where the history ends if the clone is shallow.
    pub notes: Vec<String>,
}

impl History {
    /// Opens the history of the repository that was fetched from `place` into `clones`.
    pub(super) fn of_clone(place: &GitPlace, clones: &Path) -> Result<Self> {
        let (repository, head) = open_clone(place, clones)?;
        let name = shown_url(&place.url);
        Ok(Self { repository, head, inside: String::new(), name, _borrowed: None })
    }

    /// Opens the history of the repository that contains `folder`.
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

    /// Lists the newest `count` commits that are not merges, and the merges between them.
    pub(super) fn list(&self, count: u32) -> ListedCommits {
        let walked = walk::newest(&self.repository.to_thread_local(), self.head, count as usize);
        let mut listed = ListedCommits::default();
        listed.notes.extend(walked.notes.into_iter().map(|note| format!("{}: history: {note}", self.name)));
        for (id, day) in walked.commits {
            let hash = id.to_string();
            let short = format!("{FOLDER}/{day} {}", &hash[..SHORT_HASH]);
            // Two hashes of the same day may begin with the same digits.
            let path = if listed.commits.contains_key(&short) { format!("{FOLDER}/{day} {hash}") } else { short };
            listed.commits.insert(path, format!("{COMMIT_HASH}{hash}"));
        }
        listed
    }

    /// Reads the commit with this `hash`. Returns its document, and whether reading it again would return the same
    /// document. Lines of a file are shown only if `shows_lines` is true for its path.
    pub(super) fn read(&self, hash: &str, readers: &Readers, shows_lines: &dyn Fn(&str) -> bool) -> (CachedPage, bool) {
        let repository = self.repository.to_thread_local();
        let reader = CommitReader { repository: &repository, inside: &self.inside, readers, shows_lines };
        let Ok(id) = ObjectId::from_hex(hash.as_bytes()) else {
            return (CachedPage::Unreadable("its hash is not that of a commit".to_owned()), false);
        };
        match reader.read(id) {
            Ok(Outcome::Document(extracted, is_lasting)) => (CachedPage::Document(extracted), is_lasting),
            Ok(Outcome::Merge) => (CachedPage::LeftOut(LeftOut::Merge), true),
            Ok(Outcome::Elsewhere) => (CachedPage::LeftOut(LeftOut::Elsewhere), true),
            Err(error) => (CachedPage::Unreadable(format!("it cannot be read: {error:#}")), false),
        }
    }
}
