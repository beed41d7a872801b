//! A repository's rules for ignoring files, as in git: those in the `.gitignore` of each folder, nearest first, and
//! then the clone's rules. The files are read through [`RootFolder`], because the folders may be foreign.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use nearfind_base::root_folder::{MAX_SETTINGS_BYTES, RootFolder, too_large, why_unread};
use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Name of the file with the rules of a folder.
const OF_FOLDER: &str = ".gitignore";
/// Path of the file with the rules of a clone.
const OF_CLONE: &str = ".git/info/exclude";
/// Maximum number of bytes of all rules together. Compiled, they need a hundred times as much memory.
const MAX_BYTES: usize = 1 << 20;

/// The rules of a repository, which are read when they are needed.
#[derive(Debug)]
pub(super) struct IgnoreRules {
    /// The top folder of the repository. Outside a repository, the folder that is read.
    root: RootFolder,
    known: Mutex<HashMap<PathBuf, Arc<Gitignore>>>,
    problems: Mutex<BTreeSet<String>>,
    /// Number of bytes of rules that were read so far.
    bytes: AtomicUsize,
}

impl IgnoreRules {
    /// Returns the rules for everything below `start`.
    pub(super) fn of(start: &Path) -> Self {
        let start = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
        let root = start.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok()).unwrap_or(&start);
        Self {
            root: RootFolder::new(root.to_owned()),
            known: Mutex::default(),
            problems: Mutex::default(),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Whether the file or folder at `path` is ignored. The folder that contains it must not be ignored.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let root = self.root.path();
        let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
        let files = folders.map(|folder| (folder, OF_FOLDER)).chain(std::iter::once((root, OF_CLONE)));
        for (folder, file) in files {
            match self.rules(folder, file).matched(&path, is_folder) {
                Match::None => {}
                found => return found.is_ignore(),
            }
        }
        false
    }

    /// Describes, on one line each, the files whose rules are not obeyed.
    pub(super) fn problems(&self) -> BTreeSet<String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the rules in the file `file` in `folder`, or none if it does not exist.
    fn rules(&self, folder: &Path, file: &str) -> Arc<Gitignore> {
        let at = folder.join(file);
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&at) {
            return Arc::clone(known);
        }
        let rules = Arc::new(self.read(folder, &at));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(at, Arc::clone(&rules));
        rules
    }

    /// Adds `bytes` to the number of bytes that were read. Returns whether the total exceeds the limit.
    fn is_too_much(&self, bytes: usize) -> bool {
        self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > MAX_BYTES
    }

    fn read(&self, folder: &Path, at: &Path) -> Gitignore {
        let mut rules = GitignoreBuilder::new(folder);
        match self.root.bytes(at.strip_prefix(self.root.path()).unwrap_or(at), MAX_SETTINGS_BYTES) {
            Ok(bytes) if !self.is_too_much(bytes.len()) => {
                for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
                    // As in git, a line that is not a valid pattern is ignored.
                    let _ = rules.add_line(None, line);
                }
            }
            Ok(_) => {
                let together = too_large(MAX_BYTES as u64);
                let problem =
                    format!("{}: its rules are ignored, because all rules together are {together}", at.display());
                self.problems.lock().unwrap_or_else(PoisonError::into_inner).insert(problem);
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => {
                let problem = format!("{}: its rules are ignored: {}", at.display(), why_unread(&error));
                self.problems.lock().unwrap_or_else(PoisonError::into_inner).insert(problem);
            }
        }
        rules.build().unwrap_or_else(|_| Gitignore::empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(files: &[(&str, &str)]) -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = place.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        place
    }

    #[test]
    fn rules_are_those_of_git() {
        let place = place(&[
            (".git/info/exclude", "local.md\n"),
            (".gitignore", "\u{feff}*.log\n/built/\n!keep.log\n[\n"),
            ("docs/.gitignore", "draft*\n!/draft-kept.md\n"),
        ]);
        let rules = IgnoreRules::of(&place.path().join("docs"));
        for (path, is_folder, is_ignored) in [
            ("a.log", false, true),
            ("keep.log", false, false),
            ("docs/deep/b.log", false, true),
            ("built", true, true),
            ("docs/built", true, false),
            ("docs/draft.md", false, true),
            ("docs/draft-kept.md", false, false),
            ("docs/sub/draft-kept.md", false, true),
            ("draft.md", false, false),
            ("docs/local.md", false, true),
        ] {
            assert_eq!(rules.ignore(&place.path().join(path), is_folder), is_ignored, "{path}");
        }
        assert!(rules.problems().is_empty());
    }

    #[test]
    fn a_folder_in_no_repository_has_its_own_rules_alone() {
        let place = place(&[(".gitignore", "*.md\n"), ("docs/.gitignore", "*.txt\n")]);
        let rules = IgnoreRules::of(&place.path().join("docs"));
        let ignores = |path: &str| rules.ignore(&place.path().join(path), false);
        assert_eq!((ignores("docs/a.md"), ignores("docs/a.txt")), (false, true));
    }

    #[test]
    fn rules_of_all_folders_have_a_limit_together() {
        let place = tempfile::tempdir().unwrap();
        let file = "*.md\n".repeat(15_000);
        let folders: Vec<PathBuf> = (0..16).map(|number| place.path().join(number.to_string())).collect();
        for folder in &folders {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join(OF_FOLDER), &file).unwrap();
        }
        let rules = IgnoreRules::of(place.path());
        let ignored = folders.iter().filter(|folder| rules.ignore(&folder.join("page.md"), false)).count();
        assert_eq!(ignored, MAX_BYTES / file.len());
        assert_eq!(rules.problems().len(), folders.len() - ignored);
    }

    #[cfg(unix)]
    #[test]
    fn rules_that_lead_elsewhere_or_never_end_are_not_read() {
        use std::os::unix::fs::symlink;
        let place = place(&[("a/page.md", ""), ("b/page.md", ""), ("c/page.md", ""), ("d/page.md", "")]);
        let at = |path: &str| place.path().join(path);
        symlink("/dev/zero", at("a/.gitignore")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("b/.gitignore")).status().unwrap().success());
        std::fs::File::create(at("c/.gitignore")).unwrap().set_len(MAX_SETTINGS_BYTES + 1).unwrap();
        std::fs::create_dir(at("d/.gitignore")).unwrap();
        let rules = IgnoreRules::of(place.path());
        for folder in ["a", "b", "c", "d"] {
            assert!(!rules.ignore(&at(folder).join("page.md"), false));
        }
        let problems: Vec<String> = rules.problems().into_iter().collect();
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert!(problems[0].ends_with("a/.gitignore: its rules are ignored: it is not in the folder"), "{problems:?}");
        assert!(problems[2].ends_with("larger than 100 KB"), "{problems:?}");
    }
}
