//! The only access to folders that the program did not fill itself, such as a cloned repository, an output folder in
//! it, or a cache.
//!
//! Nothing outside the folder is opened, wherever links lead. Only regular files are opened, because a pipe would wait
//! forever and a device has no end. The operating system resolves paths step by step from the open folder, so that a
//! file that is replaced meanwhile cannot lead elsewhere.

use crate::real_path::real_path;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use std::fs::File;
use std::io::{self, Error, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Maximum size in bytes of a settings or rules file. Files that people write are smaller.
pub const MAX_SETTINGS_BYTES: u64 = 100 << 10;

/// A folder, which is opened with its first file.
///
/// ```
/// use nearfind_base::root_folder::RootFolder;
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("undo.md"), "# Undo")?;
/// let root = RootFolder::new(folder.path().to_owned());
/// assert_eq!(root.bytes("undo.md", 100)?, b"# Undo");
/// // Larger files are refused, and so are paths that lead out of the folder.
/// assert!(root.bytes("undo.md", 3).is_err());
/// assert!(root.bytes("../undo.md", 100).is_err());
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RootFolder {
    folder: PathBuf,
    opened: OnceLock<Arc<Dir>>,
}

impl RootFolder {
    /// Creates the value without opening the folder. The path comes from the user, so a link there is followed.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder, opened: OnceLock::new() }
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    fn dir(&self) -> io::Result<&Dir> {
        if let Some(dir) = self.opened.get() {
            return Ok(dir);
        }
        let dir = Dir::open_ambient_dir(&self.folder, ambient_authority())?;
        Ok(self.opened.get_or_init(|| Arc::new(dir)))
    }

    /// Returns the content of the file at `path` in the folder and its hash, or the reason why it cannot be read. Files
    /// with more than `most` bytes are refused.
    pub fn read(&self, path: &str, most: u64) -> Result<(Vec<u8>, String), String> {
        let bytes = self.bytes(path, most).map_err(|error| why_unread(&error))?;
        let hash = blake3::hash(&bytes).to_hex().to_string();
        Ok((bytes, hash))
    }

    /// Returns the content of the file at `path`. A file with more than `most` bytes is an error.
    pub fn bytes(&self, path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        read_at_most(self.open(path)?, most)
    }

    /// Opens the file at `path` for reading.
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let mut options = OpenOptions::new();
        // Opening a pipe does not wait for a writer; `plain` refuses it.
        options.read(true).nonblock(true);
        plain(self.within(path.as_ref(), |dir, path| dir.open_with(path, &options))?.into_std())
    }

    /// Calls `act` with the open folder and `path`. If an absolute link on the path leads back into the folder, the
    /// path is resolved first. The resolved path has no links, and is opened like any other.
    fn within<T>(&self, path: &Path, act: impl Fn(&Dir, &Path) -> io::Result<T>) -> io::Result<T> {
        let dir = self.dir()?;
        let refused = match act(dir, path) {
            Err(error) if leads_out(&error) => error,
            done => return done,
        };
        let (whole, root) = (real_path(self.folder.join(path))?, real_path(&self.folder)?);
        whole.strip_prefix(root).map_or(Err(refused), |inside| act(dir, inside))
    }

    /// Opens the file named `name` for reading and writing, and creates it if it is missing. A link with this name is
    /// not followed.
    pub fn open_own(&self, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.create(true).read(true).write(true).nonblock(true).follow(FollowSymlinks::No);
        plain(self.dir()?.open_with(name, &options)?.into_std())
    }

    /// Removes the file named `name`. If it is a link, only the link is removed.
    pub fn remove_file(&self, name: &str) -> io::Result<()> {
        self.dir()?.remove_file(name)
    }

    /// Whether there is a folder at `path`.
    pub fn has_folder(&self, path: impl AsRef<Path>) -> bool {
        self.within(path.as_ref(), |dir, path| dir.metadata(path)).is_ok_and(|found| found.is_dir())
    }

    /// Returns the length of the file at `path`, if there is one.
    pub fn size(&self, path: impl AsRef<Path>) -> Option<u64> {
        let found = self.within(path.as_ref(), |dir, path| dir.metadata(path)).ok()?;
        found.is_file().then(|| found.len())
    }

    /// Opens the folder at `path` in this folder, and creates it if it is missing. A link that points outside this
    /// folder is an error.
    pub fn make_folder(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        let dir = self.dir()?;
        dir.create_dir_all(&path)?;
        let opened = OnceLock::from(Arc::new(dir.open_dir(&path)?));
        Ok(Self { folder: self.folder.join(path), opened })
    }
}

/// Returns the content of a file that the user names, wherever links lead. A file with more than `most` bytes is an
/// error, and so is a pipe.
pub fn bytes_of(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true);
    let file = cap_std::fs::File::open_ambient_with(path, &options, ambient_authority())?;
    read_at_most(plain(file.into_std())?, most)
}

fn read_at_most(file: File, most: u64) -> io::Result<Vec<u8>> {
    if file.metadata()?.len() > most {
        return Err(Error::new(ErrorKind::FileTooLarge, too_large(most)));
    }
    let mut bytes = Vec::new();
    // A file may grow while it is read.
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the file if it is a plain file, and not a pipe, a device or a folder.
fn plain(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(Error::other("it is not a plain file")) }
}

/// Whether a path was refused because it points outside its folder, and not because of an operating system error.
fn leads_out(error: &Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// Returns the reason why a file was not read, as part of a sentence.
pub fn why_unread(error: &Error) -> String {
    match error.kind() {
        ErrorKind::FileTooLarge | ErrorKind::Other => error.to_string(),
        _ if leads_out(error) => "it is not in the folder".to_owned(),
        _ => format!("it cannot be read: {error}"),
    }
}

/// Returns the message about a file with more than `most` bytes.
pub fn too_large(most: u64) -> String {
    if most < 1 << 20 { format!("larger than {} KB", most >> 10) } else { format!("larger than {} MB", most >> 20) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn why(folder: &RootFolder, path: &str) -> String {
        folder.read(path, 1 << 20).unwrap_err()
    }

    #[test]
    fn nothing_outside_is_opened() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        std::fs::create_dir_all(at("root/sub")).unwrap();
        std::fs::write(at("secret"), "secret").unwrap();
        std::fs::write(at("root/sub/file"), "text").unwrap();
        for (name, target) in [
            ("out", "../secret"),
            ("deep", "sub/../../secret"),
            ("absolute", at("secret").to_str().unwrap()),
            ("folder", ".."),
            ("device", "/dev/zero"),
            ("inside", "sub/file"),
            ("whole", at("root/sub/file").to_str().unwrap()),
            ("round", "round"),
        ] {
            symlink(target, at("root").join(name)).unwrap();
        }
        let folder = RootFolder::new(at("root"));
        for path in ["inside", "whole"] {
            assert_eq!(folder.read(path, 10).unwrap().0, b"text");
            assert_eq!(folder.size(path), Some(4));
        }
        for path in ["out", "deep", "absolute", "folder/secret", "device", "../secret", "/etc/passwd"] {
            assert_eq!(why(&folder, path), "it is not in the folder", "{path}");
            assert!(folder.size(path).is_none() && !folder.has_folder(path), "{path}");
        }
        assert!(why(&folder, "round").starts_with("it cannot be read"));
        assert!(why(&folder, "missing").starts_with("it cannot be read"));
        assert_eq!(why(&folder, "sub"), "it is not a plain file");
        assert_eq!(folder.read("inside", 3).unwrap_err(), "larger than 0 KB");
        assert!(folder.has_folder("sub") && folder.size("sub/file") == Some(4));
    }

    #[test]
    fn pipes_are_refused_at_once() {
        let place = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo").arg(place.path().join("pipe")).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo is there on every Unix");
        let folder = RootFolder::new(place.path().to_owned());
        assert!(!why(&folder, "pipe").is_empty());
        assert!(folder.open_own("pipe").is_err());
        // A file that the user names may be a link, but must otherwise be a plain file.
        assert!(bytes_of(&place.path().join("pipe"), 10).is_err());
        assert!(bytes_of(Path::new("/dev/zero"), 10).is_err());
        std::fs::write(place.path().join("file"), "text").unwrap();
        symlink("file", place.path().join("link")).unwrap();
        assert_eq!(bytes_of(&place.path().join("link"), 4).unwrap(), b"text");
        assert!(bytes_of(&place.path().join("link"), 3).is_err());
    }

    #[test]
    fn what_is_written_stays_inside() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        std::fs::create_dir(at("root")).unwrap();
        std::fs::create_dir(at("other")).unwrap();
        std::fs::write(at("precious"), "keep").unwrap();
        symlink("../precious", at("root/lock")).unwrap();
        symlink("../other", at("root/box")).unwrap();
        let folder = RootFolder::new(at("root"));
        assert!(folder.open_own("lock").is_err());
        assert!(folder.make_folder("box").is_err() && folder.make_folder("box/fonts").is_err());
        assert_eq!(std::fs::read(at("precious")).unwrap(), b"keep");
        assert_eq!(folder.make_folder("a/b").unwrap().path(), at("root/a/b"));
        assert!(folder.open_own("new").is_ok() && at("root/new").is_file());
    }
}
