//! Finds the last commit that changed some lines of a file. Follows the lines back through the history, but only to the
//! first commit that touches them, so that little of the history is read.

use super::borrowed::Borrowed;
use super::changes::{FileChange, changes};
use super::line_changes::{Hunk, hunks, text_of};
use super::message::{Message, author_of};
use super::walk::day_of;
use crate::source::git_place::SHORT_HASH;
use anyhow::{Context as _, Result};
use gix::{Commit, ObjectId, Repository};
use nearfind_bundles::library::{LastChange, LinesOfFile};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

/// Maximum time for all questions that are asked about a repository at once.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of commits that are read for one file.
const MAX_COMMITS: usize = 100_000;
/// Number of commits to read between two looks at the clock.
const LOOK: usize = 16;

/// Lines of a file in a commit. They are followed together as long as possible.
struct Place<'a> {
    commit: Commit<'a>,
    path: String,
    blob: ObjectId,
    /// The number of each question, with its lines, starting at 0.
    lines: Vec<(usize, Range<u32>)>,
}

/// The answers to all questions, by number.
type Found = Vec<Result<Option<LastChange>, String>>;

/// Returns the last changes of lines of files in `folder`: see
/// [`FindLastChanges`](nearfind_bundles::library::FindLastChanges). All questions together take a few seconds at most.
pub fn last_changes(folder: &Path, wanted: &[LinesOfFile]) -> Found {
    let deadline = Instant::now() + TIMEOUT;
    // Errors do not name the folder, because they may be shown to people on other machines.
    let Ok(borrowed) = Borrowed::around(folder) else {
        return vec![Err("its repository cannot be read".to_owned()); wanted.len()];
    };
    let mut found: Found = vec![Ok(None); wanted.len()];
    let mut files: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (number, lines) in wanted.iter().enumerate() {
        files.entry((&lines.path, &lines.text)).or_default().push(number);
    }
    for ((path, text), numbers) in files {
        let asked: Vec<(usize, (u32, u32))> = numbers.iter().map(|&number| (number, wanted[number].lines)).collect();
        if let Err(error) = last_changes_of_file(&borrowed, path, text, &asked, deadline, &mut found) {
            for number in numbers {
                found[number] = Err(format!("{error:#}"));
            }
        }
    }
    found
}

/// Adds the last changes of lines in one file to `found`. `now` is the file's current text. Lines that no commit
/// contains yet keep their value in `found`.
fn last_changes_of_file(
    borrowed: &Borrowed,
    path: &str,
    now: &str,
    asked: &[(usize, (u32, u32))],
    deadline: Instant,
    found: &mut Found,
) -> Result<()> {
    let repository = borrowed.repository.to_thread_local();
    let path = match borrowed.inside.as_str() {
        "" => path.to_owned(),
        inside => format!("{inside}/{path}"),
    };
    let commit = repository.find_commit(borrowed.head)?;
    let Some(blob) = blob_at(&commit, &path)? else { return Ok(()) };
    let text = text_of(&repository, blob)?.context("it is not text")?;
    let uncommitted = hunks(&text, now);
    let committed = |(number, (first, last)): &(usize, (u32, u32))| {
        Some((*number, before(&uncommitted, &(first.saturating_sub(1)..*last))?))
    };
    let lines: Vec<(usize, Range<u32>)> = asked.iter().filter_map(committed).collect();
    let mut open = if lines.is_empty() { Vec::new() } else { vec![Place { commit, path, blob, lines }] };
    let mut looked_at = 0;
    while let Some(place) = open.pop() {
        looked_at += 1;
        // This also looks at the clock for the first commit of each file, because many files may be requested at once.
        if looked_at > MAX_COMMITS || (looked_at % LOOK == 1 && Instant::now() > deadline) {
            let day = day_of(&place.commit).unwrap_or_default();
            for (number, _) in place.lines.iter().chain(open.iter().flat_map(|place| &place.lines)) {
                found[*number] = Err(format!("not changed since {day}; reading earlier commits takes too long"));
            }
            break;
        }
        let (id, mut earlier) = (place.commit.id, earlier(&repository, place)?);
        open.append(&mut earlier.places);
        if earlier.left.is_empty() {
            continue;
        }
        let commit = repository.find_commit(id)?;
        let change = if earlier.is_beginning {
            let day = day_of(&commit).unwrap_or_default();
            Err(format!("not changed since {day}, where the history of this clone begins"))
        } else {
            Ok(Some(as_change(&commit)?))
        };
        earlier.left.into_iter().for_each(|number| found[number].clone_from(&change));
    }
    Ok(())
}

/// The positions of lines before a commit.
#[derive(Default)]
struct Earlier<'a> {
    places: Vec<Place<'a>>,
    /// The questions with lines that no known parent contains. The commit changed them, unless the history begins here.
    left: Vec<usize>,
    /// Whether a parent is missing, as in a shallow clone.
    is_beginning: bool,
}

/// Finds the lines of `place` in those parents of its commit that contain them unchanged.
fn earlier<'a>(repository: &'a Repository, place: Place<'a>) -> Result<Earlier<'a>> {
    let (mut parents, mut is_beginning) = (Vec::new(), false);
    for id in place.commit.parent_ids() {
        let Ok(commit) = repository.find_commit(id) else {
            is_beginning = true;
            continue;
        };
        match blob_at(&commit, &place.path)? {
            Some(blob) if blob == place.blob => {
                return Ok(Earlier { places: vec![Place { commit, ..place }], ..Earlier::default() });
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
    let text = text_of(repository, place.blob)?;
    let (mut earlier, mut left) = (Earlier { is_beginning, ..Earlier::default() }, place.lines);
    for (commit, path, blob) in parents {
        let (Some(text), Some(text_before)) = (&text, text_of(repository, blob)?) else { continue };
        let hunks = hunks(&text_before, text);
        let (mut kept, mut lines) = (Vec::new(), Vec::new());
        for (number, range) in left {
            match before(&hunks, &range) {
                Some(before) => lines.push((number, before)),
                None => kept.push((number, range)),
            }
        }
        left = kept;
        if !lines.is_empty() {
            earlier.places.push(Place { commit, path, blob, lines });
        }
    }
    earlier.left = left.into_iter().map(|(number, _)| number).collect();
    Ok(earlier)
}

/// Returns where `lines` of a text were before `hunks` changed the text, or `None` if a hunk touches them.
fn before(hunks: &[Hunk], lines: &Range<u32>) -> Option<Range<u32>> {
    let mut moved = 0i64;
    for Hunk { before, after } in hunks {
        let touches = if after.is_empty() {
            // Lines were removed between these lines.
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
    let short = commit.id.to_string()[..SHORT_HASH].to_owned();
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
