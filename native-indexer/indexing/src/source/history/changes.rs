//! Compares the trees of two commits, to find the files that changed.

use anyhow::{Result, bail};
use gix::bstr::{BStr, BString, ByteSlice as _};
use gix::diff::tree::visit::{Action, Change};
use gix::diff::tree::{Recorder, State, Visit, recorder};
use gix::objs::TreeRefIter;
use gix::objs::tree::EntryMode;
use gix::{ObjectId, Repository};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Maximum number of changed files. A few objects that refer to each other can describe billions of files.
const MAX_FILES: usize = 50_000;
/// Maximum number of bytes of all paths together.
const MAX_PATHS_BYTES: usize = 8 << 20;
/// Maximum number of bytes of one path, which is the limit of file systems.
const MAX_PATH_BYTES: usize = 4096;

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileChange {
    /// The file's path. If the file was removed, its former path.
    pub path: String,
    /// The previous path, if the file was moved.
    pub from: Option<String>,
    /// The previous content, or `None` if the file is new.
    pub before: Option<ObjectId>,
    /// The new content, or `None` if the file was removed.
    pub after: Option<ObjectId>,
}

/// The files that differ between two trees.
#[derive(Debug, Default)]
pub(super) struct Changed {
    /// The changes, sorted by path.
    pub files: Vec<FileChange>,
    /// Whether there are more changes than the limits allow.
    pub is_cut: bool,
}

/// Returns the changes from tree `before` to tree `after`. `None` means a tree without files.
pub(super) fn changes(repository: &Repository, before: Option<ObjectId>, after: Option<ObjectId>) -> Result<Changed> {
    let tree = |id: Option<ObjectId>| match id {
        Some(id) => repository.find_tree(id).map(|tree| tree.detach().data),
        None => Ok(Vec::new()),
    };
    let (before, after) = (tree(before)?, tree(after)?);
    let kind = repository.object_hash();
    let mut counted = Counted::default();
    let done = gix::diff::tree(
        TreeRefIter::from_bytes(&before, kind),
        TreeRefIter::from_bytes(&after, kind),
        State::default(),
        &repository.objects,
        &mut counted,
    );
    if let Err(error) = done
        && !counted.is_cut
    {
        bail!("{error}");
    }
    let mut files = BTreeMap::new();
    for change in counted.recorder.records {
        note(&mut files, change);
    }
    Ok(Changed { files: with_moves(files), is_cut: counted.is_cut })
}

/// Adds the change of a file. Folders, links and submodules are ignored.
fn note(files: &mut BTreeMap<BString, FileChange>, change: recorder::Change) {
    let blob = |mode: EntryMode, id: ObjectId| mode.is_blob().then_some(id);
    let (path, before, after) = match change {
        recorder::Change::Addition { entry_mode, oid, path, .. } => (path, None, blob(entry_mode, oid)),
        recorder::Change::Deletion { entry_mode, oid, path, .. } => (path, blob(entry_mode, oid), None),
        recorder::Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid, path } => {
            (path, blob(previous_entry_mode, previous_oid), blob(entry_mode, oid))
        }
    };
    if before != after {
        let shown = path.to_str_lossy().into_owned();
        files.insert(path, FileChange { path: shown, from: None, before, after });
    }
}

/// Replaces a removed file and a new file with a moved file if they have the same content, or if they have the same
/// name and no other removed or new file has that name.
fn with_moves(files: BTreeMap<BString, FileChange>) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = files.into_values().collect();
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let (mut by_content, mut by_name) = (BTreeMap::new(), BTreeMap::<String, Vec<usize>>::new());
    for (at, file) in files.iter().enumerate().filter(|(_, file)| file.after.is_none()) {
        by_content.insert(file.before, at);
        by_name.entry(name(&file.path)).or_default().push(at);
    }
    let mut new_names: BTreeMap<String, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| file.before.is_none()) {
        *new_names.entry(name(&file.path)).or_default() += 1;
    }
    let mut gone = BTreeSet::new();
    for at in 0..files.len() {
        if files[at].before.is_some() {
            continue;
        }
        let named = name(&files[at].path);
        let same_name = by_name.get(&named).filter(|places| places.len() == 1 && new_names[&named] == 1);
        let from = by_content.get(&files[at].after).or_else(|| same_name.map(|places| &places[0])).copied();
        if let Some(from) = from.filter(|from| gone.insert(*from)) {
            (files[at].from, files[at].before) = (Some(files[from].path.clone()), files[from].before);
        }
    }
    let mut at = 0;
    files.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
    files
}

/// Records the changes in the order of the traversal, up to the limits.
#[derive(Default)]
struct Counted {
    recorder: Recorder,
    paths_bytes: usize,
    is_cut: bool,
}

impl Visit for Counted {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.recorder.pop_front_tracked_path_and_set_current();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.recorder.push_back_tracked_path_component(component);
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.recorder.push_path_component(component);
    }

    fn pop_path_component(&mut self) {
        self.recorder.pop_path_component();
    }

    fn visit(&mut self, change: Change) -> Action {
        let path = self.recorder.path().len();
        self.paths_bytes += path;
        if self.recorder.records.len() >= MAX_FILES || self.paths_bytes > MAX_PATHS_BYTES || path > MAX_PATH_BYTES {
            self.is_cut = true;
            return ControlFlow::Break(());
        }
        self.recorder.visit(change)
    }
}
