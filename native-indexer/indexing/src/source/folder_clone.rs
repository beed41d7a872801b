//! The clone that contains a folder, according to the files in its `.git`. These files are read through [`RootFolder`],
//! so a link or a pipe among them counts as missing. They also count as missing if the clone is elsewhere, as for a
//! worktree.

use nearfind_base::real_path::{real_path, slashed};
use nearfind_base::root_folder::{MAX_SETTINGS_BYTES, RootFolder};
use std::path::{Path, PathBuf};

/// Maximum size in bytes of the file with the commits of branches and tags, enough for half a million of them.
const MAX_PACKED_REFS_BYTES: u64 = 32 << 20;

/// The clone that contains a folder.
#[derive(Clone, Debug)]
pub(super) struct FolderClone {
    /// The top folder of the clone.
    pub root: PathBuf,
    /// The folder's path in the clone, with `/`. Empty for the whole clone.
    pub inside: String,
    files: RootFolder,
}

impl FolderClone {
    /// Returns the clone that contains `folder`, if there is one.
    pub(super) fn around(folder: &Path) -> Option<Self> {
        let folder = real_path(folder).ok()?;
        let root = folder.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())?.to_owned();
        let inside = slashed(folder.strip_prefix(&root).ok().filter(|inside| inside.to_str().is_some())?);
        Some(Self { files: RootFolder::new(root.clone()), root, inside })
    }

    /// Returns the content of the file `name` in `.git`, unless it has more than `most` bytes.
    pub(super) fn bytes(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        self.files.bytes(Path::new(".git").join(name), most).ok()
    }

    /// Returns the address that was cloned.
    pub(super) fn url(&self) -> Option<String> {
        let meta = gix::config::file::Metadata::from(gix::config::Source::Local);
        let config = self.bytes("config", MAX_SETTINGS_BYTES)?;
        let options = gix::config::file::init::Options::default();
        let config = gix::config::File::from_bytes_no_includes(&config, meta, options).ok()?;
        Some(config.string("remote.origin.url")?.to_string())
    }

    /// Returns the hash of the commit that is checked out.
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
