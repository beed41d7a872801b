//! Allows one writer at a time, with an operating system lock on a file in the folder. The lock ends with the process
//! that holds it, however the process ends, so a remaining file is not a lock. A writer removes the file when it ends,
//! because folders are published as a whole. A writer that has opened the file meanwhile notices that the file has lost
//! its name, and opens a new one.

use anyhow::{Context as _, Result, bail};
use nearfind_base::root_folder::RootFolder;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};

/// Name of the file that is locked.
pub(super) const LOCK_FILE: &str = ".nearfind-lock";
/// Maximum length in bytes of the note about the holder that is shown.
const MAX_NOTE_BYTES: u64 = 64;

/// The right to write to a folder, until it is dropped.
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "elsewhere nothing is done at the end but to close the file"))]
pub(super) struct WriterLock {
    file: File,
    folder: RootFolder,
}

impl WriterLock {
    /// Locks `folder`, and creates it if it is missing. It is an error if another process holds the lock. So is a lock
    /// file that is a link, because a repository may contain one that leads to one of the user's files.
    pub(super) fn take(folder: &RootFolder) -> Result<Self> {
        loop {
            let lock = Self::try_take(folder)?;
            if lock.is_at_its_name() {
                return Ok(lock);
            }
        }
    }

    fn try_take(folder: &RootFolder) -> Result<Self> {
        let shown = folder.path().display();
        let denied = || format!("{shown}: nothing can be written here; existing files are unchanged");
        std::fs::create_dir_all(folder.path()).with_context(denied)?;
        let mut file = folder
            .open_own(LOCK_FILE)
            .with_context(|| format!("{LOCK_FILE} was not written by nearfind; remove it"))
            .with_context(denied)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut note = String::new();
                // The note says which process holds the lock. The lock works without it, and on Windows no other
                // process can read it.
                let _ = (&file).take(MAX_NOTE_BYTES).read_to_string(&mut note);
                bail!(
                    "{shown}: {} is writing here; wait until it finishes, or stop it, and run this again",
                    holder(&note)
                );
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("{shown}: the file system has no locks"));
            }
        }
        // The note for the message above is optional: a full disk must not stop `prune`. A file with other names may
        // belong to another program.
        if has_one_name(&file) {
            let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
        }
        Ok(Self { file, folder: folder.clone() })
    }

    /// Whether the file still has its name. A writer that ended may have removed it before this one got the lock.
    #[cfg(unix)]
    fn is_at_its_name(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let place = |file: &File| file.metadata().map(|metadata| (metadata.dev(), metadata.ino()));
        match (self.folder.open(LOCK_FILE).and_then(|file| place(&file)), place(&self.file)) {
            (Ok(named), Ok(own)) => named == own,
            (Err(error), _) => error.kind() != std::io::ErrorKind::NotFound,
            (_, Err(_)) => true,
        }
    }

    /// On other systems the file stays, because an open file cannot be removed.
    #[cfg(not(unix))]
    const fn is_at_its_name(&self) -> bool {
        true
    }
}

#[cfg(unix)]
impl Drop for WriterLock {
    fn drop(&mut self) {
        if self.is_at_its_name() && has_one_name(&self.file) {
            // A file that cannot be removed remains, but does not lock anything.
            let _ = self.folder.remove_file(LOCK_FILE);
        }
    }
}

/// Describes the holder of a lock, from the note in the lock file.
fn holder(note: &str) -> String {
    let process = note.trim().chars().filter(char::is_ascii_digit).collect::<String>();
    if process.is_empty() { "another process".to_owned() } else { format!("process {process}") }
}

/// Whether no hard link gives the file another name.
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
        assert!(folder.path().join(LOCK_FILE).exists(), "not ours alone");
    }

    #[test]
    fn the_file_goes_with_the_writer_and_many_writers_take_turns() {
        let place = tempfile::tempdir().unwrap();
        let folder = RootFolder::new(place.path().to_owned());
        let inside = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut written = 0;
                    while written < 50 {
                        // Threads of one process are separate writers, because each opens the file itself.
                        let Ok(lock) = WriterLock::take(&RootFolder::new(folder.path().to_owned())) else { continue };
                        assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                        written += 1;
                        inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert!(!folder.path().join(LOCK_FILE).exists());
    }
}
