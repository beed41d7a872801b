//! Finds files that are installed with the program: next to it if it comes from an archive, or in the shared data
//! folder if an installer put them there.

use crate::real_path::real_path;
use std::path::{Path, PathBuf};

/// The folders, relative to the program's folder.
const FOLDERS: [&str; 2] = ["nearfind-data", "../share/nearfind"];

/// Returns the path of the installed file or folder `name` where `is_it` returns `true`.
pub fn installed(name: &str, is_it: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let program = std::env::current_exe().and_then(real_path).ok()?;
    let folder = program.parent()?;
    FOLDERS.iter().map(|data| folder.join(data).join(name)).find(|path| is_it(path))
}
