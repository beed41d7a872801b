//! Files that come with the program: beside it in archives, where programs share what they have where an installer put it.

use std::path::{Path, PathBuf};

/// The first of `places`, relative to the program's folder, that is what is looked for.
pub(crate) fn installed(places: &[&str], is_it: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let program = std::env::current_exe().and_then(std::fs::canonicalize).ok()?;
    let folder = program.parent()?;
    places.iter().map(|place| folder.join(place)).find(|path| is_it(path))
}
