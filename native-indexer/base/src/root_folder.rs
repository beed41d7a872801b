//! A folder that others filled, of whose files nothing leads out.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folder.
#[derive(Clone, Debug)]
pub struct RootFolder {
    folder: PathBuf,
    /// The folder without symbolic links.
    root: OnceLock<PathBuf>,
}

impl RootFolder {
    /// The folder at this path.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder, root: OnceLock::new() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The file at `path` of it with the hash of its content, if it has at most `most` bytes; else why it cannot be read.
    pub fn read(&self, path: &str, most: u64) -> Result<(Vec<u8>, String), String> {
        let mut bytes = Vec::new();
        let file = self.open(path, most)?;
        // A file may grow while it is read.
        file.take(most).read_to_end(&mut bytes).map_err(|error| format!("it cannot be read: {error}"))?;
        let hash = blake3::hash(&bytes).to_hex().to_string();
        Ok((bytes, hash))
    }

    fn open(&self, path: &str, most: u64) -> Result<File, String> {
        let unreadable = |error: std::io::Error| format!("it cannot be read: {error}");
        // A record of an earlier build, and a folder that was replaced since it was listed, may lead anywhere.
        let whole = self.folder.join(path).canonicalize().map_err(unreadable)?;
        let root = self.root.get_or_init(|| self.folder.canonicalize().unwrap_or_default());
        if !whole.starts_with(root) {
            return Err("it is not in the folder".to_owned());
        }
        // Opening a pipe waits for somebody who writes into it.
        if !whole.is_file() {
            return Err("it is no file".to_owned());
        }
        let file = File::open(whole).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        if length > most { Err(too_large(most)) } else { Ok(file) }
    }
}

/// What is said of a file of more than `most` bytes.
pub fn too_large(most: u64) -> String {
    format!("larger than {} MB", most >> 20)
}
