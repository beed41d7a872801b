//! Lists the entries of a commit's tree. There is a limit, because a few objects that refer to each other can describe
//! billions of paths.

use anyhow::{Context as _, Result, bail};
use gix::bstr::BStr;
use gix::objs::tree::EntryRef;
use gix::traverse::tree::visit::Action;
use gix::traverse::tree::{Recorder, Visit, recorder};
use std::ops::ControlFlow;

/// Maximum number of files and folders in a commit. The largest known repositories have half as many.
const MAX_ENTRIES: usize = 1_000_000;
/// Maximum number of bytes of all paths together.
const MAX_PATHS_BYTES: usize = 256 << 20;
/// Maximum number of bytes of one path, which is the limit of file systems.
pub(super) const MAX_PATH_BYTES: usize = 4096;

/// Returns the files of `tree`, including links and submodules. `name` is the repository's name in messages.
pub(super) fn entries_of(tree: &gix::Tree<'_>, name: &str) -> Result<Vec<recorder::Entry>> {
    let mut entries = Entries::default();
    let listed = tree.traverse().breadthfirst(&mut entries);
    if let Some(excess) = entries.excess {
        bail!(
            "{name}: its commit has {excess}, so it is not read: choose another branch or tag, or one of its folders"
        );
    }
    listed.with_context(|| format!("{name}: its files cannot be listed"))?;
    Ok(entries.recorder.records)
}

/// Records the files in the order of the traversal, up to the limits.
#[derive(Default)]
struct Entries {
    recorder: Recorder,
    met: usize,
    paths_bytes: usize,
    /// Which limit was exceeded, in words.
    excess: Option<String>,
}

impl Entries {
    /// Counts an entry. Returns whether the traversal continues.
    fn count(&mut self) -> Action {
        let path = self.recorder.path().len();
        self.met += 1;
        self.paths_bytes += path;
        self.excess = if self.met > MAX_ENTRIES {
            Some(format!("more than {MAX_ENTRIES} files and folders"))
        } else if self.paths_bytes > MAX_PATHS_BYTES {
            Some(format!("more than {} MB of paths", MAX_PATHS_BYTES >> 20))
        } else if path > MAX_PATH_BYTES {
            Some(format!("a path of more than {MAX_PATH_BYTES} bytes"))
        } else {
            return ControlFlow::Continue(true);
        };
        ControlFlow::Break(())
    }
}

impl Visit for Entries {
    fn pop_back_tracked_path_and_set_current(&mut self) {
        self.recorder.pop_back_tracked_path_and_set_current();
    }

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

    fn visit_tree(&mut self, _: &EntryRef<'_>) -> Action {
        self.count()
    }

    fn visit_nontree(&mut self, entry: &EntryRef<'_>) -> Action {
        self.count()?;
        self.recorder.visit_nontree(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gix::objs::Tree;
    use gix::objs::tree::{Entry, EntryKind};

    /// Writes a tree where the folders `a` to `j` are one tree, the folders in that tree are one tree, and so on. The
    /// whole tree has ten to the power of `levels` files.
    fn repeated(repository: &gix::Repository, levels: usize) -> gix::ObjectId {
        let blob = repository.write_blob("# Page\n").unwrap().detach();
        let mut tree =
            Tree { entries: vec![Entry { mode: EntryKind::Blob.into(), filename: "a.md".into(), oid: blob }] };
        for _ in 0..levels {
            let oid = repository.write_object(&tree).unwrap().detach();
            let folder = |name: char| Entry { mode: EntryKind::Tree.into(), filename: name.to_string().into(), oid };
            tree = Tree { entries: ('a'..='j').map(folder).collect() };
        }
        repository.write_object(&tree).unwrap().detach()
    }

    #[test]
    fn a_tree_that_repeats_itself_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let repository = gix::init_bare(folder.path()).unwrap();
        let listed = |levels| entries_of(&repository.find_tree(repeated(&repository, levels)).unwrap(), "r");
        assert_eq!(listed(3).unwrap().len(), 1000);
        let error = listed(10).unwrap_err().to_string();
        assert!(error.contains("r: its commit has more than 1000000 files and folders"), "{error}");
    }

    #[test]
    fn a_tree_without_an_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let repository = gix::init_bare(folder.path()).unwrap();
        let blob = repository.write_blob("x").unwrap().detach();
        let mut tree =
            Tree { entries: vec![Entry { mode: EntryKind::Blob.into(), filename: "a.md".into(), oid: blob }] };
        for _ in 0..200 {
            let oid = repository.write_object(&tree).unwrap().detach();
            let name = "d".repeat(50);
            tree = Tree { entries: vec![Entry { mode: EntryKind::Tree.into(), filename: name.into(), oid }] };
        }
        let root = repository.write_object(&tree).unwrap().detach();
        let error = entries_of(&repository.find_tree(root).unwrap(), "r").unwrap_err().to_string();
        assert!(error.contains("a path of more than 4096 bytes"), "{error}");
    }
}
