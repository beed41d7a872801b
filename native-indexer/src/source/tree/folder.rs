use super::{FileTree, Listing, max_bytes, too_large};
use crate::extract;
use anyhow::{Context as _, Result};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder of the file system.
#[derive(Clone, Debug)]
pub(crate) struct FolderTree {
    folder: PathBuf,
    /// The folder without symbolic links.
    root: OnceLock<PathBuf>,
}

impl FolderTree {
    pub(crate) const fn new(folder: PathBuf) -> Self {
        Self { folder, root: OnceLock::new() }
    }

    /// Why the symbolic link at `path` is not followed, if it is not.
    fn refused_link(&self, path: &Path) -> Option<&'static str> {
        let (Ok(target), Ok(root)) = (path.canonicalize(), self.folder.canonicalize()) else {
            return Some("a symbolic link that leads nowhere");
        };
        if !target.starts_with(root) {
            return Some("a symbolic link out of the folder");
        }
        (!target.is_file()).then_some("a symbolic link to a folder, or to something that is no file")
    }

    fn take(
        &self,
        entry: &ignore::DirEntry,
        paths: &mut BTreeSet<String>,
        listing: &mut Listing,
    ) -> Result<(), String> {
        let Some(kind) = entry.file_type() else { return Ok(()) };
        let path = entry.path();
        let is_link = kind.is_symlink();
        if kind.is_dir() {
            return Ok(());
        }
        if !is_link && extract::kind_of(path).is_none() {
            listing.pass_over(&path.to_string_lossy());
            return Ok(());
        }
        let problem = if is_link {
            // What a link to another kind of file leads to is of no interest.
            let leads_to_folder = path.is_dir();
            if extract::kind_of(path).is_none() && !leads_to_folder {
                return Ok(());
            }
            self.refused_link(path)
        } else if kind.is_file() {
            None
        } else {
            Some("no file, though it is named like one")
        };
        if let Some(problem) = problem {
            return Err(format!("{}: left out, {problem}", path.display()));
        }
        let relative = path.strip_prefix(&self.folder).unwrap_or(path);
        match relative.to_str() {
            Some(relative) => {
                paths.insert(relative.replace('\\', "/"));
                Ok(())
            }
            None => Err(format!("{}: left out, its name is not UTF-8", path.display())),
        }
    }

    fn open(&self, path: &str) -> Result<File, String> {
        let unreadable = |error: std::io::Error| format!("it cannot be read: {error}");
        // A record of an earlier build, and a folder that was replaced since it was listed, may lead anywhere.
        let whole = self.folder.join(path).canonicalize().map_err(unreadable)?;
        let root = self.root.get_or_init(|| self.folder.canonicalize().unwrap_or_default());
        if !whole.starts_with(root) {
            return Err("it is not in the folder".to_owned());
        }
        let file = File::open(whole).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        if length > max_bytes(path) { Err(too_large(path)) } else { Ok(file) }
    }
}

impl FileTree for FolderTree {
    fn name(&self) -> String {
        self.folder.display().to_string()
    }

    fn has_folder(&self, path: &str) -> bool {
        self.folder.join(path).is_dir()
    }

    fn list(&self, folders: &[String]) -> Result<Listing> {
        fs::read_dir(&self.folder).with_context(|| format!("{}: this folder cannot be read", self.name()))?;
        let mut paths = BTreeSet::new();
        let mut skipped = BTreeSet::new();
        let mut listing = Listing::default();
        for folder in folders {
            let start = self.folder.join(folder);
            if folder.is_empty() || start.is_dir() {
                let mut walk = ignore::WalkBuilder::new(start);
                // Built sites are often git-ignored: only hidden files, which are not documentation, are left out.
                walk.standard_filters(false).hidden(true).follow_links(false);
                for entry in walk.build() {
                    let taken = match &entry {
                        Ok(entry) => self.take(entry, &mut paths, &mut listing),
                        Err(error) => Err(format!("left out: {error}")),
                    };
                    skipped.extend(taken.err());
                }
            }
        }
        listing.paths = paths.into_iter().collect();
        listing.skipped = skipped.into_iter().collect();
        Ok(listing)
    }

    fn hash(&self, path: &str) -> Result<String, String> {
        self.read(path).map(|(_, hash)| hash)
    }

    fn read(&self, path: &str) -> Result<(Vec<u8>, String), String> {
        let mut bytes = Vec::new();
        let file = self.open(path)?;
        // A file may grow while it is read.
        file.take(max_bytes(path)).read_to_end(&mut bytes).map_err(|error| format!("it cannot be read: {error}"))?;
        let hash = blake3::hash(&bytes).to_hex().to_string();
        Ok((bytes, hash))
    }
}

// Names that are not UTF-8 exist where the file system takes any bytes.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_no_readable_file_of_the_folder_is_left_out_with_a_reason() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret.md"), "secret").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("page.md"), "text").unwrap();
        fs::create_dir(at("sub")).unwrap();
        symlink(at("page.md"), at("sub/same.md")).unwrap();
        symlink(outside.path().join("secret.md"), at("out.md")).unwrap();
        symlink(outside.path(), at("outside")).unwrap();
        symlink(folder.path(), at("sub/loop")).unwrap();
        symlink(at("nothing"), at("gone.md")).unwrap();
        let name = std::ffi::OsStr::from_bytes(b"latin\xe9.md");
        fs::write(folder.path().join(name), "text").unwrap();
        fs::File::create(at("huge.md")).unwrap().set_len(500 << 20).unwrap();
        let tree = FolderTree::new(folder.path().to_owned());
        let listing = tree.list(&[String::new()]).unwrap();
        assert_eq!(listing.paths, ["huge.md", "page.md", "sub/same.md"]);
        for name in ["out.md", "outside", "sub/loop", "gone.md", "latin"] {
            assert!(listing.skipped.iter().any(|line| line.contains(name)), "{name}: {:?}", listing.skipped);
        }
        assert_eq!(tree.hash("huge.md"), Err("larger than 16 MB".to_owned()));
        assert!(tree.read("../secret.md").is_err());
        assert_eq!(tree.hash("out.md"), Err("it is not in the folder".to_owned()));
        assert_eq!(tree.hash("page.md").unwrap(), tree.read("sub/same.md").unwrap().1);
    }
}
