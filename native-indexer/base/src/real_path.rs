//! Paths without links, in the form that people and other programs use.

use std::io;
use std::path::{Path, PathBuf};

/// Resolves the links and the `..` in `path`, which must exist. Windows returns such paths in a special form,
/// `\\?\C:\docs`, which no agent writes and many programs do not accept. This function returns `C:\docs` if that means
/// the same.
pub fn real_path(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Converts `path` from the special form of real paths on Windows to the usual form, if that means the same.
pub fn simplified(path: &Path) -> &Path {
    dunce::simplified(path)
}

/// Returns a relative path on this machine with `/` between its parts, as in bundles and addresses. A backslash
/// separates parts only on Windows: elsewhere it is a character in a name.
pub fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::is_separator('\\') { text.replace('\\', "/") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_path_is_written_as_people_write_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("docs")).unwrap();
        let real = real_path(folder.path().join("docs/../docs")).unwrap();
        assert!(real.ends_with("docs") && !real.to_str().unwrap().starts_with(r"\\?\"), "{}", real.display());
        assert!(real_path(folder.path().join("missing")).is_err());
    }

    #[cfg(windows)]
    #[test]
    fn the_form_of_windows_is_left_where_it_means_nothing_else() {
        assert_eq!(simplified(Path::new(r"\\?\C:\docs\a.md")), Path::new(r"C:\docs\a.md"));
        for other in [r"\\?\C:\docs\aux", r"\\?\C:\docs\a.", r"\\?\UNC\server\docs", r"C:\docs"] {
            assert_eq!(simplified(Path::new(other)), Path::new(other));
        }
    }

    #[test]
    fn parts_are_joined_by_slashes() {
        assert_eq!(slashed(&Path::new("guide").join("a.md")), "guide/a.md");
        #[cfg(unix)]
        assert_eq!(slashed(Path::new(r"guide/a\b.md")), r"guide/a\b.md");
    }
}
