//! The changes of each project since the last build.

use super::scan::Scan;
use crate::source::OpenSource;
use nearfind_bundles::bundle_folder::{BuildRecord, ProjectRecord};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The changes of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProjectChanges {
    /// Name of the project.
    pub project: String,
    /// The previous commit and the current one, if they differ.
    pub commits: Option<(Option<String>, Option<String>)>,
    /// New files.
    pub added: Vec<String>,
    /// Files with different content.
    pub changed: Vec<String>,
    /// Removed files.
    pub removed: Vec<String>,
    /// Files that were moved without a change: the old path and the new path.
    pub moved: Vec<(String, String)>,
}

impl ProjectChanges {
    /// Whether no file has changed.
    pub const fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty() && self.moved.is_empty()
    }

    fn of(project: &str, before: Option<&ProjectRecord>, now: Option<&OpenSource>) -> Self {
        let none = BTreeMap::new();
        let (old, new) = (before.map_or(&none, |before| &before.files), now.map_or(&none, |now| &now.files));
        let mut removed: BTreeSet<&String> = old.keys().filter(|path| !new.contains_key(*path)).collect();
        // Removed paths by content, because a renamed folder may contain very many files. They are in reverse order, so
        // that `pop` returns the first one.
        let mut gone: BTreeMap<&String, Vec<&String>> = BTreeMap::new();
        for path in removed.iter().rev() {
            gone.entry(&old[*path]).or_default().push(path);
        }
        let mut changes = Self { project: project.to_owned(), ..Self::default() };
        for (path, hash) in new {
            match old.get(path) {
                Some(known) if known == hash => {}
                Some(_) => changes.changed.push(path.clone()),
                None => match gone.get_mut(hash).and_then(Vec::pop) {
                    Some(from) => {
                        removed.remove(from);
                        changes.moved.push((from.clone(), path.clone()));
                    }
                    None => changes.added.push(path.clone()),
                },
            }
        }
        changes.removed = removed.into_iter().cloned().collect();
        let commits = (before.and_then(|before| before.commit.clone()), now.and_then(|now| now.commit.clone()));
        changes.commits = (commits.0 != commits.1).then_some(commits);
        changes
    }
}

/// Returns the changes of every project with changes, including projects that are no longer among the sources.
pub(super) fn changes(record: Option<&BuildRecord>, scan: &Scan) -> Vec<ProjectChanges> {
    let none = BTreeMap::new();
    let before = record.map_or(&none, |record| &record.projects);
    let now: BTreeMap<&str, &OpenSource> =
        scan.sources.iter().map(|source| (source.spec.name.as_str(), source)).collect();
    let names: BTreeSet<&str> = before.keys().map(String::as_str).chain(now.keys().copied()).collect();
    let all = names.into_iter().map(|name| ProjectChanges::of(name, before.get(name), now.get(name).copied()));
    all.filter(|changes| !changes.is_empty() || changes.commits.is_some()).collect()
}
