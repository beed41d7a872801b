//! The lock of a file that several processes read and write.

use std::fs::File;
use std::io::Result;
use std::path::Path;

/// Opens the file that must be locked before `file`, which is at `path`, is read or written: the file itself.
#[cfg(unix)]
pub(crate) fn lock_of(_: &Path, file: &File) -> Result<File> {
    file.try_clone()
}

/// Opens the file that must be locked before the file at `path` is read or written: a separate file beside it. On
/// Windows, a locked file cannot be read without the lock, not even by other threads of the same process.
#[cfg(not(unix))]
pub(crate) fn lock_of(path: &Path, _: &File) -> Result<File> {
    let mut name = path.to_owned().into_os_string();
    name.push(".lock");
    File::options().create(true).read(true).write(true).truncate(false).open(name)
}

/// Releases a lock. Closing the file is not enough if other handles to it share the lock. Wine unlocks only at this
/// call.
pub(crate) fn release(lock: &File) {
    let _ = lock.unlock();
}

/// Whether `file` is still the one at `path`.
pub(crate) fn is_same_file(file: &File, path: &Path) -> bool {
    let held = file.try_clone().and_then(same_file::Handle::from_file);
    matches!((held, same_file::Handle::from_path(path)), (Ok(held), Ok(named)) if held == named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::TryLockError;

    #[test]
    fn one_at_a_time_has_the_lock_and_others_may_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "records").unwrap();
        let (first, second) = (File::open(&path).unwrap(), File::open(&path).unwrap());
        let held = lock_of(&path, &first).unwrap();
        held.lock().unwrap();
        let other = lock_of(&path, &second).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        assert_eq!(std::io::read_to_string(second).unwrap(), "records");
        release(&held);
        other.try_lock().unwrap();
    }

    #[test]
    fn a_file_that_was_written_again_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "first").unwrap();
        let file = File::open(&path).unwrap();
        assert!(is_same_file(&file, &path));
        std::fs::rename(&path, folder.path().join("old")).unwrap();
        assert!(!is_same_file(&file, &path));
        std::fs::write(&path, "second").unwrap();
        assert!(!is_same_file(&file, &path));
    }
}
