//! Finds the dates of the last changes of files, in the part of the history that was requested. A file that is older
//! has no date, even if earlier fetches left more history in the clone, because a new clone would not have that
//! history.

use anyhow::Result;
use gix::objs::tree::EntryKind;
use gix::{ObjectId, Repository};
use nearfind_extract::Date;
use std::collections::BTreeMap;

/// Maximum number of commits that are read.
const MAX_COMMITS: usize = 10_000;

/// Returns the day when each of the files in `blobs` last changed, if the last `history` commits show it. Follows first
/// parents from `commit`.
pub(super) fn last_changes(
    repository: &Repository,
    commit: ObjectId,
    history: u32,
    blobs: &BTreeMap<String, ObjectId>,
) -> Result<BTreeMap<String, Date>> {
    let mut dates = BTreeMap::new();
    let mut current = repository.find_commit(commit)?;
    let commits = MAX_COMMITS.min(history as usize);
    for number in 1..=commits {
        let first_parent = current.parent_ids().next().map(gix::Id::detach);
        let is_asked_for = number < commits;
        let parent = first_parent.filter(|_| is_asked_for).and_then(|parent| repository.find_commit(parent).ok());
        if first_parent.is_some() && parent.is_none() {
            // The fetched history ends here.
            break;
        }
        let before = parent.as_ref().map(gix::Commit::tree_id).transpose()?.map(gix::Id::detach);
        let mut changed = Vec::new();
        collect_changed(repository, current.tree_id()?.detach(), before, "", blobs, &mut changed)?;
        let day = current.time()?.format(gix::date::time::format::SHORT)?;
        if let Some(day) = Date::parse(&day) {
            for path in changed {
                dates.entry(path).or_insert(day);
            }
        }
        let Some(parent) = parent.filter(|_| dates.len() < blobs.len()) else { break };
        current = parent;
    }
    Ok(dates)
}

/// Adds the paths of those files in `blobs` that are new in tree `now` or differ from tree `before`. Folders without
/// such files are skipped, however many files an earlier commit had there.
fn collect_changed(
    repository: &Repository,
    now: ObjectId,
    before: Option<ObjectId>,
    folder: &str,
    blobs: &BTreeMap<String, ObjectId>,
    out: &mut Vec<String>,
) -> Result<()> {
    let mut known = BTreeMap::new();
    if let Some(before) = before {
        for entry in repository.find_tree(before)?.iter() {
            let entry = entry?;
            known.insert(entry.filename().to_owned(), (entry.object_id(), entry.kind()));
        }
    }
    for entry in repository.find_tree(now)?.iter() {
        let entry = entry?;
        let before = known.get(entry.filename());
        if before.is_some_and(|(id, _)| *id == entry.object_id()) {
            continue;
        }
        let path = format!("{folder}{}", entry.filename());
        if entry.kind() == EntryKind::Tree {
            let before = before.filter(|(_, kind)| *kind == EntryKind::Tree).map(|(id, _)| *id);
            let inside = format!("{path}/");
            if blobs.range(inside.clone()..).next().is_some_and(|(blob, _)| blob.starts_with(&inside)) {
                collect_changed(repository, entry.object_id(), before, &inside, blobs, out)?;
            }
        } else if blobs.contains_key(&path) {
            out.push(path);
        }
    }
    Ok(())
}
