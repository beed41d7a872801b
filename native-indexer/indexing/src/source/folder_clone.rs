//! The clone that a folder is in, by the files of its `.git`. They are read through the one door: a link or a pipe among them says
//! nothing, and nor does a clone that is elsewhere, as that of a worktree.

use nearfind_base::real_path::{real_path, slashed};
use nearfind_base::root_folder::{MAX_SETTINGS_BYTES, RootFolder};
use std::path::{Path, PathBuf};

/// Bytes of the file with the commits of branches and tags: half a million of them.
const MAX_PACKED_REFS_BYTES: u64 = 32 << 20;

/// The clone around a folder.
#[derive(Clone, Debug)]
pub(super) struct FolderClone {
    /// Where it is checked out.
    pub root: PathBuf,
    /// Path of the folder in it, with `/`; empty for all of it.
    pub inside: String,
    files: RootFolder,
}

impl FolderClone {
    /// The clone that `folder` is in, if it is in one.
    pub(super) fn around(folder: &Path) -> Option<Self> {
        let folder = real_path(folder).ok()?;
        let root = folder.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())?.to_owned();
        let inside = slashed(folder.strip_prefix(&root).ok().filter(|inside| inside.to_str().is_some())?);
        Some(Self { files: RootFolder::new(root.clone()), root, inside })
    }

    /// The bytes of the file called `name` in `.git`, if it has at most `most`.
    pub(super) fn bytes(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        self.files.bytes(Path::new(".git").join(name), most).ok()
    }

    /// The address that it was cloned from.
    pub(super) fn url(&self) -> Option<String> {
        let meta = gix::config::file::Metadata::from(gix::config::Source::Local);
        let config = self.bytes("config", MAX_SETTINGS_BYTES)?;
        let options = gix::config::file::init::Options::default();
        let config = gix::config::File::from_bytes_no_includes(&config, meta, options).ok()?;
        Some(config.string("remote.origin.url")?.to_string())
    }

    /// The commit that is checked out.
    pub(super) fn commit(&self) -> Option<String> {
        let line = |bytes: Vec<u8>| String::from_utf8(bytes).ok().map(|text| text.trim().to_owned());
        let head = self.bytes("HEAD", MAX_SETTINGS_BYTES).and_then(line)?;
        let commit = match head.strip_prefix("ref:").map(str::trim) {
            None => head,
            Some(name) => self.bytes(name, MAX_SETTINGS_BYTES).and_then(line).or_else(|| {
                let packed = String::from_utf8(self.bytes("packed-refs", MAX_PACKED_REFS_BYTES)?).ok()?;
                let of_branch = packed.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' '));
                of_branch.map(str::to_owned)
            })?,
        };
        let is_commit = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_commit.then_some(commit)
    }
}
