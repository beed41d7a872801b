//! Files that other programs read. At any time, such a file is either complete or absent.

use std::io::{Error, Result};
use std::path::Path;
use std::time::Duration;
use tempfile::NamedTempFile;

/// Pauses in milliseconds between attempts at a file that another program holds open: virus scanners and search indexes
/// look at each new file for a moment.
const PAUSES: [u64; 8] = [1, 2, 5, 10, 50, 100, 300, 500];

/// Moves a file from its temporary name to `path`, after its content has reached the disk.
pub fn persist(file: NamedTempFile, path: &Path) -> Result<()> {
    // Temporary files are private, but other programs must be able to read these.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.as_file().sync_all()?;
    replace(file, path)
}

/// Moves a file from its temporary name to `path`, and replaces the file there, which may be open in another program.
pub fn replace(file: NamedTempFile, path: &Path) -> Result<()> {
    // Unlike `NamedTempFile::persist`, the standard library replaces open files on Windows too, and accepts long paths.
    let mut temporary = file.into_temp_path();
    persevering(|| std::fs::rename(&temporary, path), is_busy)?;
    temporary.disable_cleanup(true);
    Ok(())
}

/// Whether an error means that a file cannot be replaced or removed because another program holds it open. This happens
/// only on Windows.
pub fn is_busy(error: &Error) -> bool {
    const ACCESS_DENIED: i32 = 5;
    const SHARING_VIOLATION: i32 = 32;
    const LOCK_VIOLATION: i32 = 33;
    cfg!(windows) && matches!(error.raw_os_error(), Some(ACCESS_DENIED | SHARING_VIOLATION | LOCK_VIOLATION))
}

/// Tries again, for a second, if an attempt fails with an error that `is_passing`.
fn persevering<T>(mut attempt: impl FnMut() -> Result<T>, is_passing: impl Fn(&Error) -> bool) -> Result<T> {
    for pause in PAUSES {
        match attempt() {
            Err(error) if is_passing(&error) => std::thread::sleep(Duration::from_millis(pause)),
            done => return done,
        }
    }
    attempt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::io::{ErrorKind, Read as _, Write as _};

    #[test]
    fn a_file_that_is_open_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest");
        std::fs::write(&path, "before").unwrap();
        let reader = std::fs::File::open(&path).unwrap();
        // Some Windows file systems replace no open file: then the replacement must wait for a reader that soon ends.
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut text = String::new();
                std::thread::sleep(Duration::from_millis(50));
                (&reader).read_to_string(&mut text).unwrap();
                assert_eq!(text, "before");
            });
            let mut file = tempfile::Builder::new().tempfile_in(folder.path()).unwrap();
            file.write_all(b"after").unwrap();
            persist(file, &path).unwrap();
        });
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing temporary is left");
    }

    #[test]
    fn a_file_that_cannot_be_moved_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("taken/inside")).unwrap();
        let file = tempfile::Builder::new().tempfile_in(folder.path()).unwrap();
        assert!(persist(file, &folder.path().join("taken")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_what_passes_is_waited_for() {
        let attempts = Cell::new(0);
        let fails_until = |last: usize| {
            attempts.set(0);
            let attempt = || {
                attempts.set(attempts.get() + 1);
                if attempts.get() < last { Err(Error::from(ErrorKind::ResourceBusy)) } else { Ok(()) }
            };
            persevering(attempt, |error| error.kind() == ErrorKind::ResourceBusy).map(|()| attempts.get())
        };
        assert_eq!(fails_until(3).unwrap(), 3);
        assert!(fails_until(usize::MAX).is_err());
        assert_eq!(attempts.get(), PAUSES.len() + 1);
        let refused = persevering(|| Err::<(), _>(Error::from(ErrorKind::PermissionDenied)), is_busy);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::PermissionDenied);
    }
}
