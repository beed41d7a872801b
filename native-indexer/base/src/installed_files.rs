//! Files that come with the program: next to it in archives, or in the folder of shared data if an installer put them there.

use std::path::{Path, PathBuf};

/// The folders, relative to the program's.
const FOLDERS: [&str; 2] = ["nearfind-data", "../share/nearfind"];

/// What came with the program as `name`, if it is what is looked for.
pub fn installed(name: &str, is_it: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let program = std::env::current_exe().and_then(std::fs::canonicalize).ok()?;
    let folder = program.parent()?;
    FOLDERS.iter().map(|data| folder.join(data).join(name)).find(|path| is_it(path))
}
