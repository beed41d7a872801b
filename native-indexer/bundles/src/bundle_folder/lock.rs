//! One writer at a time. The lock is the operating system's, on a file of the folder: it ends with the process that
//! holds it, however that ends, so a lock file that was left behind is not a lock.

use anyhow::{Context as _, Result, bail};
use nearfind_base::root_folder::RootFolder;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};

/// Name of the file that is locked; it stays.
pub(super) const LOCK_FILE: &str = ".nearfind-lock";
/// Longest note of a holder that is shown.
const MAX_NOTE_BYTES: u64 = 64;

/// The right to write into a folder, until it is dropped.
#[derive(Debug)]
pub(super) struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// Takes the lock of `folder`, which is created if it is missing. That another process has it is an error, and so is a
    /// lock file that is a link: a repository may bring one that leads to a file of the user's.
    pub(super) fn take(folder: &RootFolder) -> Result<Self> {
        let shown = folder.path().display();
        let denied = || format!("{shown}: nothing can be written here, what was there stays as it is");
        std::fs::create_dir_all(folder.path()).with_context(denied)?;
        let mut file = folder
            .open_own(LOCK_FILE)
            .with_context(|| format!("{LOCK_FILE} is not a file of nearfind's; remove it"))
            .with_context(denied)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The note says who; without it the lock holds all the same.
                let _ = (&file).take(MAX_NOTE_BYTES).read_to_string(&mut holder);
                let holder = holder.trim().chars().filter(char::is_ascii_digit).collect::<String>();
                bail!("{shown}: process {holder} is writing here; wait until it ends, or stop it, and run this again");
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("{shown}: the file system has no locks"));
            }
        }
        // A note for the message above; a full disk must not stop `prune`. A file with other names may be another one's.
        if has_one_name(&file) {
            let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
        }
        Ok(Self { _file: file })
    }
}

/// Whether no hard link leads to the file under another name.
#[cfg(unix)]
fn has_one_name(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    file.metadata().is_ok_and(|metadata| metadata.nlink() == 1)
}

#[cfg(not(unix))]
const fn has_one_name(_: &File) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_two_names_is_locked_and_not_written() {
        let place = tempfile::tempdir().unwrap();
        let (own, other) = (place.path().join("bundle"), place.path().join("notes"));
        std::fs::create_dir(&own).unwrap();
        std::fs::write(&other, "precious").unwrap();
        std::fs::hard_link(&other, own.join(LOCK_FILE)).unwrap();
        let folder = RootFolder::new(own);
        let held = WriterLock::take(&folder).unwrap();
        assert_eq!(std::fs::read(&other).unwrap(), b"precious");
        assert!(WriterLock::take(&folder).is_err());
        drop(held);
    }
}
