//! Walks from a commit to the commits before it, newest first. Reads only commits, and no more than necessary.

use gix::{ObjectId, Repository};
use nearfind_extract::Date;
use std::collections::{BinaryHeap, HashSet};

/// Number of merges to pass per requested commit.
const MAX_MERGES: usize = 4;
/// Number of additional merges to pass, for any number of requested commits.
const MIN_MERGES: usize = 1000;
/// Maximum number of unreadable commits to name.
const MAX_NAMED: usize = 10;

/// The result of a walk.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// The commits and their days, newest first, including the merges between them.
    pub commits: Vec<(ObjectId, String)>,
    /// Notes about commits that could not be read, and about where the history ends if the clone is shallow.
    pub notes: Vec<String>,
}

/// Returns the newest `count` commits that are not merges, starting at `head`.
pub(super) fn newest(repository: &Repository, head: ObjectId, count: usize) -> Walked {
    let mut walked = Walked::default();
    let ends: HashSet<ObjectId> = match repository.shallow_commits() {
        Ok(Some(commits)) => commits.iter().copied().collect(),
        _ => HashSet::new(),
    };
    let mut seen = HashSet::from([head]);
    // Sorted by commit time. A commit that cannot be read comes first.
    let mut open = BinaryHeap::from([(i64::MAX, head)]);
    let (mut found, mut merges, mut unread, mut is_short) = (0, 0, 0, false);
    while let Some((_, id)) = open.pop() {
        if found >= count || merges > count * MAX_MERGES + MIN_MERGES {
            return walked;
        }
        let (day, parents) = match commit(repository, id) {
            Ok(commit) => commit,
            Err(problem) => {
                unread += 1;
                if unread <= MAX_NAMED {
                    walked.notes.push(format!("commit {id} and those before it are left out: {problem}"));
                }
                continue;
            }
        };
        let is_merge = parents.len() > 1;
        found += usize::from(!is_merge);
        merges += usize::from(is_merge);
        walked.commits.push((id, day));
        if ends.contains(&id) {
            is_short = true;
            continue;
        }
        for parent in parents {
            if seen.insert(parent) {
                let time = repository.find_commit(parent).ok().and_then(|commit| commit.time().ok());
                open.push((time.map_or(i64::MAX, |time| time.seconds), parent));
            }
        }
    }
    if unread > MAX_NAMED {
        walked.notes.push(format!("{} more cannot be read", unread - MAX_NAMED));
    }
    if is_short {
        let oldest = walked.commits.iter().map(|(_, day)| day.as_str()).min().unwrap_or_default();
        walked.notes.push(format!("the clone is shallow: it has {found} commits, back to {oldest}"));
    }
    walked
}

/// Returns the day when a commit was written, and its parents.
fn commit(repository: &Repository, id: ObjectId) -> Result<(String, Vec<ObjectId>), String> {
    let commit = repository.find_commit(id).map_err(|error| error.to_string())?;
    let decoded = commit.decode().map_err(|error| error.to_string())?;
    let parents = decoded.parents().collect();
    Ok((day_of(&commit).unwrap_or_else(|| "unknown".to_owned()), parents))
}

/// Returns the day when `commit` was written, in the author's time zone.
pub(super) fn day_of(commit: &gix::Commit<'_>) -> Option<String> {
    let day = commit.author().ok()?.time().ok()?.format(gix::date::time::format::SHORT).ok()?;
    Date::parse(&day).map(|_| day)
}
