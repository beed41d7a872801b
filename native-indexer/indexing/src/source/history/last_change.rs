//! The last commit that changed some lines of a file: the lines are followed back through the history, and no further than to the
//! first commit that touches them, so that little of it is read.

use super::borrowed::Borrowed;
use super::changes::{FileChange, changes};
use super::line_changes::{Hunk, hunks, text_of};
use super::message::{Message, SHORT, author_of};
use super::walk::day_of;
use anyhow::{Context as _, Result, bail};
use gix::{Commit, ObjectId, Repository};
use nearfind_bundles::library::{LastChange, LinesOfFile};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long all that is asked of a repository may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Commits that are looked at.
const MAX_COMMITS: usize = 100_000;
/// How often the clock is looked at: once in so many commits.
const LOOK: usize = 16;

/// Lines of a file in a commit.
struct Place<'a> {
    commit: Commit<'a>,
    path: String,
    blob: ObjectId,
    /// Counted from 0.
    lines: Range<u32>,
}

/// The last changes of `lines` of files in `folder`, see [`FindLastChanges`](nearfind_bundles::library::FindLastChanges). All that is
/// asked takes no longer than some seconds.
pub fn last_changes(folder: &Path, wanted: &[LinesOfFile]) -> Vec<Result<Option<LastChange>, String>> {
    let deadline = Instant::now() + TIMEOUT;
    let borrowed = match Borrowed::around(folder) {
        Ok(borrowed) => borrowed,
        // Where the folder is, is for those alone who are on this machine.
        Err(_) => return vec![Err("its repository cannot be read".to_owned()); wanted.len()],
    };
    let of_lines = |lines: &LinesOfFile| last_change(&borrowed, lines, deadline).map_err(|error| format!("{error:#}"));
    wanted.iter().map(of_lines).collect()
}

/// The last commit that changed one of the lines; `None` if a change of them is in no commit yet.
fn last_change(borrowed: &Borrowed, wanted: &LinesOfFile, deadline: Instant) -> Result<Option<LastChange>> {
    let repository = borrowed.repository.to_thread_local();
    let path = match borrowed.inside.as_str() {
        "" => wanted.path.clone(),
        inside => format!("{inside}/{}", wanted.path),
    };
    let commit = repository.find_commit(borrowed.head)?;
    let Some(blob) = blob_at(&commit, &path)? else { return Ok(None) };
    let text = text_of(&repository, blob)?.context("it is no text")?;
    let (first, last) = wanted.lines;
    let lines = before(&hunks(&text, &wanted.text), &(first.saturating_sub(1)..last));
    let Some(lines) = lines else { return Ok(None) };
    let mut place = Place { commit, path, blob, lines };
    for number in 0..MAX_COMMITS {
        if number % LOOK == 0 && Instant::now() > deadline {
            let day = day_of(&place.commit).unwrap_or_default();
            bail!("not found within {} seconds: not changed since {day}", TIMEOUT.as_secs());
        }
        match earlier(&repository, &place)? {
            Some(earlier) => place = earlier,
            None => return Ok(Some(as_change(&place.commit)?)),
        }
    }
    bail!("not found in {MAX_COMMITS} commits")
}

/// The same lines in a parent, if one has them as they are.
fn earlier<'a>(repository: &'a Repository, place: &Place<'a>) -> Result<Option<Place<'a>>> {
    let mut parents = Vec::new();
    for id in place.commit.parent_ids() {
        // Those before a shallow clone are not there.
        let Ok(commit) = repository.find_commit(id) else { continue };
        match blob_at(&commit, &place.path)? {
            Some(blob) if blob == place.blob => {
                return Ok(Some(Place { commit, path: place.path.clone(), blob, lines: place.lines.clone() }));
            }
            Some(blob) => parents.push((commit, place.path.clone(), blob)),
            None => {
                let trees = (commit.tree_id()?.detach(), place.commit.tree_id()?.detach());
                let files = changes(repository, Some(trees.0), Some(trees.1))?.files;
                let moved = files.into_iter().find(|file| file.path == place.path);
                if let Some(FileChange { from: Some(from), before: Some(blob), .. }) = moved {
                    parents.push((commit, from, blob));
                }
            }
        }
    }
    let Some(text) = text_of(repository, place.blob)? else { return Ok(None) };
    for (commit, path, blob) in parents {
        let Some(text_before) = text_of(repository, blob)? else { continue };
        if let Some(lines) = before(&hunks(&text_before, &text), &place.lines) {
            return Ok(Some(Place { commit, path, blob, lines }));
        }
    }
    Ok(None)
}

/// Where `lines` of a text were before `hunks` changed it; `None` if one of these touches them.
fn before(hunks: &[Hunk], lines: &Range<u32>) -> Option<Range<u32>> {
    let mut moved = 0i64;
    for Hunk { before, after } in hunks {
        let touches = if after.is_empty() {
            // Between two of the lines some are gone.
            lines.start < after.start && after.start < lines.end
        } else {
            after.start < lines.end && lines.start < after.end
        };
        if touches {
            return None;
        }
        if after.end <= lines.start {
            moved += before.len() as i64 - after.len() as i64;
        }
    }
    let shift = |line: u32| u32::try_from(i64::from(line) + moved).ok();
    Some(shift(lines.start)?..shift(lines.end)?)
}

fn blob_at(commit: &Commit<'_>, path: &str) -> Result<Option<ObjectId>> {
    let entry = commit.tree()?.lookup_entry_by_path(path)?;
    Ok(entry.filter(|entry| entry.mode().is_blob()).map(|entry| entry.object_id()))
}

fn as_change(commit: &Commit<'_>) -> Result<LastChange> {
    let short = commit.id.to_string()[..SHORT].to_owned();
    Ok(LastChange {
        date: day_of(commit).unwrap_or_default(),
        author: author_of(commit),
        subject: Message::of(commit.decode()?.message, &short).subject,
        commit: short,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_followed_around_changes() {
        let hunks = [Hunk { before: 2..2, after: 2..5 }, Hunk { before: 10..12, after: 13..13 }];
        assert_eq!(before(&hunks, &(0..2)), Some(0..2));
        assert_eq!(before(&hunks, &(5..13)), Some(2..10));
        assert_eq!(before(&hunks, &(13..20)), Some(12..19));
        assert_eq!(before(&hunks, &(4..6)), None);
        assert_eq!(before(&hunks, &(12..14)), None);
    }
}
