//! Turns a commit into a document: the message, the author, the day, and the changed files. Each file has a heading
//! with the definitions that contain the changes.

use super::changes::{FileChange, changes};
use super::line_changes::{Hunk, hunks, text_of};
use super::message::{Message, author_of};
use super::touched::{outer, touched};
use super::walk::day_of;
use crate::source::git_place::SHORT_HASH;
use anyhow::Result;
use gix::{Commit, ObjectId, Repository};
use nearfind_extract::apart::Readers;
use nearfind_extract::code::{CodeFile, Language, class_of_path, unwanted_path};
use nearfind_extract::{Date, Extracted, Extraction, Heading, Metadata, kind_with_text};
use std::collections::BTreeSet;
use std::path::Path;

/// Maximum number of a merge's parents to compare, after the first.
const MAX_PARENTS: usize = 16;
/// Maximum number of files per commit to compare line by line.
const MAX_COMPARED: usize = 30;
/// Maximum number of other files that are named.
const MAX_NAMED: usize = 60;
/// Maximum number of files that the description of a commit names.
const MAX_DESCRIBED: usize = 4;
/// Maximum number of changed lines per file to show.
const MAX_LINES: usize = 40;
/// Maximum number of characters in such a line.
const MAX_LINE_CHARS: usize = 200;
/// Maximum number of bytes of all changed lines of a commit.
const MAX_BYTES: usize = 6000;

/// The result of reading a commit.
pub(super) enum Outcome {
    /// A document, and whether reading the commit again would return the same document.
    Document(Box<Extracted>, bool),
    /// A merge that changes nothing by itself.
    Merge,
    /// A commit that changes nothing in the folder that is searched.
    Elsewhere,
}

/// The files that a commit changes.
enum Changes {
    Files {
        files: Vec<FileChange>,
        is_cut: bool,
    },
    /// The changes are unknown, because the commits before this one were not fetched.
    Unknown,
    None(Outcome),
}

/// Reads commits.
pub(super) struct CommitReader<'a> {
    pub repository: &'a Repository,
    /// The folder in the repository that is searched. Empty for the whole repository.
    pub inside: &'a str,
    pub readers: &'a Readers,
    /// Whether the lines of the file at a path may be shown.
    pub shows_lines: &'a dyn Fn(&str) -> bool,
}

impl CommitReader<'_> {
    /// Reads the commit `id`.
    pub(super) fn read(&self, id: ObjectId) -> Result<Outcome> {
        let commit = self.repository.find_commit(id)?;
        let mut notes = Vec::new();
        let (mut files, is_cut, is_known) = match self.changes(&commit) {
            Ok(Changes::Files { files, is_cut }) => (files, is_cut, true),
            Ok(Changes::Unknown) => (Vec::new(), false, false),
            Ok(Changes::None(outcome)) => return Ok(outcome),
            Err(error) => {
                notes.push(format!("the files that it changes cannot be read: {error:#}"));
                (Vec::new(), false, false)
            }
        };
        // Space is limited, so the most important files come first: those that nearfind reads, sorted by class.
        files.sort_by_cached_key(|file| {
            let is_read = kind_with_text(Path::new(&file.path)).is_some() || Language::of_path(&file.path).is_some();
            let is_last = !is_read || unwanted_path(&file.path).is_some();
            (is_last, class_of_path(&file.path), file.path.clone())
        });
        let decoded = commit.decode()?;
        let message = Message::of(decoded.message, &id.to_string()[..SHORT_HASH]);
        let author = author_of(&commit);
        let day = day_of(&commit).unwrap_or_default();
        let mut page = Page::default();
        page.paragraphs(&message.body);
        page.paragraphs(&format!("Commit {id} of {day} by {author}"));
        let mut others = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let is_shown =
                number < MAX_COMPARED && (self.shows_lines)(&file.path) && unwanted_path(&file.path).is_none();
            match is_shown.then(|| self.file(file)) {
                Some(Ok(Some(shown))) => page.file(file, &shown),
                Some(Err(error)) => {
                    notes.push(format!("{} cannot be read: {error:#}", file.path));
                    others.push(named(file));
                }
                Some(Ok(None)) | None => others.push(named(file)),
            }
        }
        page.others(&others, is_cut);
        let shown =
            [("author", author.clone()), ("commit", id.to_string())].map(|(name, value)| (name.to_owned(), value));
        let is_lasting = is_known && notes.is_empty();
        let extracted = Extracted {
            title: message.subject,
            description: described(&id, &author, &files, is_known, is_cut),
            date: Date::parse(&day),
            metadata: Metadata { shown: shown.into(), ..Metadata::default() },
            text: page.text,
            headings: page.headings,
            blocks: page.blocks,
            notes,
            ..Extracted::default()
        };
        Ok(Outcome::Document(Box::new(extracted), is_lasting))
    }

    /// Returns the files that `commit` changes. For a merge, these are the files that differ from all parents.
    fn changes(&self, commit: &Commit<'_>) -> Result<Changes> {
        let is_end = |id: &ObjectId| -> bool {
            matches!(self.repository.shallow_commits(), Ok(Some(ends)) if ends.contains(id))
        };
        if is_end(&commit.id) {
            return Ok(Changes::Unknown);
        }
        let after = self.tree(commit)?;
        let mut parents = commit.parent_ids().map(gix::Id::detach);
        let before = parents.next().map(|parent| self.tree_of(parent)).transpose()?.flatten();
        let first = changes(self.repository, before, after)?;
        let (mut files, mut is_cut) = (first.files, first.is_cut);
        let mut is_merge = false;
        for parent in parents.take(MAX_PARENTS) {
            is_merge = true;
            let other = changes(self.repository, self.tree_of(parent)?, after)?;
            is_cut |= other.is_cut;
            let paths: BTreeSet<String> = other.files.into_iter().map(|file| file.path).collect();
            files.retain(|file| paths.contains(&file.path));
        }
        Ok(match files.is_empty() {
            true if is_merge => Changes::None(Outcome::Merge),
            true if !self.inside.is_empty() => Changes::None(Outcome::Elsewhere),
            _ => Changes::Files { files, is_cut },
        })
    }

    fn tree_of(&self, commit: ObjectId) -> Result<Option<ObjectId>> {
        self.tree(&self.repository.find_commit(commit)?)
    }

    /// Returns the tree of the folder that is searched, if the commit contains it.
    fn tree(&self, commit: &Commit<'_>) -> Result<Option<ObjectId>> {
        if self.inside.is_empty() {
            return Ok(Some(commit.tree_id()?.detach()));
        }
        let entry = commit.tree()?.lookup_entry_by_path(self.inside)?;
        Ok(entry.filter(|entry| entry.mode().is_tree()).map(|entry| entry.object_id()))
    }

    /// Returns the part of `change` to show, or `None` if the file is not text.
    fn file(&self, change: &FileChange) -> Result<Option<ShownFile>> {
        let text = |blob: Option<ObjectId>| match blob {
            Some(blob) => text_of(self.repository, blob),
            None => Ok(Some(String::new())),
        };
        let (Some(before), Some(after)) = (text(change.before)?, text(change.after)?) else { return Ok(None) };
        let code = |text: &str| -> Option<CodeFile> {
            match self.readers.read_code(&change.path, text.as_bytes()) {
                Ok(Extraction::Code(file)) => Some(*file),
                _ => None,
            }
        };
        if change.after.is_none() {
            let names = code(&before).map(|file| outer(&file)).unwrap_or_default();
            return Ok(Some(ShownFile { names, hunks: Vec::new(), before, after }));
        }
        let hunks = hunks(&before, &after);
        let names = match code(&after) {
            Some(file) if change.before.is_none() => outer(&file),
            Some(file) => touched(&file, &hunks),
            None => Vec::new(),
        };
        Ok(Some(ShownFile { names, hunks, before, after }))
    }
}

/// A changed file that is shown.
struct ShownFile {
    /// Names of the definitions that contain the changes.
    names: Vec<String>,
    hunks: Vec<Hunk>,
    before: String,
    after: String,
}

impl ShownFile {
    /// Returns the changed lines of each hunk, marked as by `git diff`.
    fn lines(&self) -> impl Iterator<Item = Vec<String>> {
        let before: Vec<&str> = self.before.lines().collect();
        let after: Vec<&str> = self.after.lines().collect();
        self.hunks.iter().map(move |hunk| {
            let marked = |mark: char, lines: &[&str], range: &std::ops::Range<u32>| -> Vec<String> {
                let of_hunk = lines.get(range.start as usize..range.end as usize).unwrap_or_default();
                let with_text = of_hunk.iter().filter(|line| !line.trim().is_empty()).take(MAX_LINES);
                with_text
                    .map(|line| format!("{mark}{}", line.chars().take(MAX_LINE_CHARS).collect::<String>()))
                    .collect()
            };
            let mut lines = marked('-', &before, &hunk.before);
            lines.extend(marked('+', &after, &hunk.after));
            lines
        })
    }
}

/// The document under construction.
#[derive(Default)]
struct Page {
    text: String,
    headings: Vec<Heading>,
    blocks: Vec<usize>,
    /// Number of bytes of changed lines so far.
    shown: usize,
}

impl Page {
    fn block(&mut self) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
            self.blocks.push(self.text.len());
        }
    }

    fn paragraphs(&mut self, text: &str) {
        for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
            self.block();
            self.text.push_str(paragraph.trim_end());
        }
    }

    /// Adds a changed file, with as many of its changed lines as the limits allow.
    fn file(&mut self, change: &FileChange, shown: &ShownFile) {
        self.block();
        let names = if shown.names.is_empty() { String::new() } else { format!(": {}", shown.names.join(", ")) };
        let title = format!("{}{names}", named(change));
        self.headings.push(Heading { at: self.text.len(), level: 2, title: title.clone(), anchor: String::new() });
        self.text.push_str(&title);
        let mut left = MAX_LINES;
        for hunk in shown.lines() {
            for (number, line) in hunk.into_iter().enumerate() {
                if left == 0 || self.shown + line.len() > MAX_BYTES {
                    return;
                }
                left -= 1;
                self.shown += line.len();
                self.text.push('\n');
                if number == 0 {
                    self.blocks.push(self.text.len());
                }
                self.text.push_str(&line);
            }
        }
    }

    /// Adds the names of files that are not shown.
    fn others(&mut self, others: &[String], is_cut: bool) {
        if others.is_empty() {
            return;
        }
        self.block();
        let named = others.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = match others.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {}{more} more", if is_cut { "at least " } else { "" }),
        };
        self.headings.push(Heading { at: self.text.len(), level: 2, title: String::new(), anchor: String::new() });
        self.text.push_str(&format!("Other files: {named}{more}"));
    }
}

/// Returns the path of a file and the kind of its change.
fn named(change: &FileChange) -> String {
    match (&change.from, &change.before, &change.after) {
        (Some(from), ..) => format!("{} (was {from})", change.path),
        (_, Some(_), None) => format!("{} (removed)", change.path),
        (_, None, Some(_)) => format!("{} (new)", change.path),
        _ => change.path.clone(),
    }
}

/// Describes a commit on one line.
fn described(id: &ObjectId, author: &str, files: &[FileChange], is_known: bool, is_cut: bool) -> String {
    let short = &id.to_string()[..SHORT_HASH];
    if !is_known {
        return format!("commit {short} by {author}");
    }
    let count = match (files.len(), is_cut) {
        (0, _) => return format!("commit {short} by {author}, no files"),
        (1, _) => "1 file".to_owned(),
        (count, false) => format!("{count} files"),
        (count, true) => format!("more than {count} files"),
    };
    let named: Vec<&str> = files.iter().take(MAX_DESCRIBED).map(|file| file.path.as_str()).collect();
    let more = if files.len() > MAX_DESCRIBED { ", …" } else { "" };
    format!("commit {short} by {author}, {count}: {}{more}", named.join(", "))
}
