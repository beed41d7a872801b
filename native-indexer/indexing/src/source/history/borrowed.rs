//! The repository that contains a folder. Only its objects are read: its configuration, hooks, attributes and
//! replacements have no effect. A temporary bare repository borrows the objects, in the way that git lets one
//! repository borrow from another.

use crate::source::folder_clone::FolderClone;
use crate::source::repository::open;
use anyhow::{Context as _, Result, bail, ensure};
use gix::{ObjectId, ThreadSafeRepository};
use std::path::Path;
use tempfile::TempDir;

/// Maximum size in bytes of the list of commits where a shallow clone ends. No real list is so long.
const MAX_SHALLOW_BYTES: u64 = 4 << 20;
/// Maximum number of files and folders with objects. Git packs objects long before there are that many.
const MAX_ENTRIES: usize = 2_000_000;
/// Maximum depth of folders in the object folder. `info/commit-graphs` is the deepest.
const MAX_DEPTH: usize = 3;

/// A temporary repository with the objects of another.
pub(super) struct Borrowed {
    pub repository: ThreadSafeRepository,
    /// The commit that is checked out.
    pub head: ObjectId,
    /// The folder's path in the repository.
    pub inside: String,
    _place: TempDir,
}

impl Borrowed {
    /// Borrows the objects of the repository that contains `folder`.
    pub(super) fn around(folder: &Path) -> Result<Self> {
        let clone = FolderClone::around(folder).context("the folder is in no git repository")?;
        let git = clone.root.join(".git");
        if !git.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            bail!("its repository is elsewhere, as in a worktree: index the clone itself");
        }
        let head = clone.commit().context("it has no commit, or its commit cannot be read")?;
        let head = ObjectId::from_hex(head.as_bytes()).map_err(|_| anyhow::anyhow!("its hashes are not SHA-1"))?;
        let objects = git.join("objects");
        let mut left = MAX_ENTRIES;
        check_files(&objects, MAX_DEPTH, &mut left)?;
        let lent = objects.join("info").join("alternates");
        ensure!(
            !lent.exists(),
            "its objects are elsewhere (.git/objects/info/alternates): run `git repack -ad`, and remove that file"
        );
        let place = tempfile::tempdir()?;
        gix::init_bare(place.path()).map_err(|error| anyhow::anyhow!("{error}"))?;
        let objects = objects.to_str().filter(|path| !path.contains('\n')).context("its path is not UTF-8")?;
        let info = place.path().join("objects").join("info");
        std::fs::create_dir_all(&info)?;
        std::fs::write(info.join("alternates"), format!("{objects}\n"))?;
        if let Some(shallow) = clone.bytes("shallow", MAX_SHALLOW_BYTES) {
            std::fs::write(place.path().join("shallow"), shallow)?;
        }
        Ok(Self { repository: open(place.path())?, head, inside: clone.inside, _place: place })
    }
}

/// Refuses links, pipes and devices, so that no file is opened that is outside the clone or would block.
fn check_files(folder: &Path, depth: usize, left: &mut usize) -> Result<()> {
    let found = folder.symlink_metadata().with_context(|| format!("it has no {}", folder.display()))?;
    ensure!(found.is_dir(), "{} is not a folder", folder.display());
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        *left = left.checked_sub(1).context("it has too many objects: run `git gc`")?;
        if kind.is_dir() && depth > 0 {
            check_files(&entry.path(), depth - 1, left)?;
        } else if !kind.is_file() && !kind.is_dir() {
            bail!("{} is not a plain file", entry.path().display());
        }
    }
    Ok(())
}
