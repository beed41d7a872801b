use super::ignore_rules::IgnoreRules;
use super::{Candidate, FileTree, Folders, Listing, inside, max_bytes};
use anyhow::{Context as _, Result};
use nearfind_base::real_path::{real_path, slashed};
use nearfind_base::root_folder::RootFolder;
use nearfind_extract::code::Unwanted;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The reason for counting other repositories in a folder.
const OTHER_REPOSITORIES: &str = "folders of other repositories (submodules, worktrees, clones)";

/// The files that were found.
#[derive(Default)]
struct Found {
    pages: BTreeSet<String>,
    code: BTreeSet<String>,
    archives: BTreeSet<String>,
}

/// A folder in the file system.
#[derive(Clone, Debug)]
pub(crate) struct FolderTree {
    folder: RootFolder,
}

impl FolderTree {
    pub(crate) const fn new(folder: PathBuf) -> Self {
        Self { folder: RootFolder::new(folder) }
    }

    /// Returns the reason if the symbolic link at `path` is not followed.
    fn refused_link(&self, path: &Path) -> Option<&'static str> {
        let (Ok(target), Ok(root)) = (real_path(path), real_path(self.folder.path())) else {
            return Some("a broken symbolic link");
        };
        if !target.starts_with(root) {
            return Some("a symbolic link out of the folder");
        }
        (!target.is_file()).then_some("a symbolic link to a folder, or to something that is not a file")
    }

    fn take(
        &self,
        entry: &ignore::DirEntry,
        folders: Folders<'_>,
        found: &mut Found,
        listing: &mut Listing,
    ) -> Result<(), String> {
        let Some(kind) = entry.file_type() else { return Ok(()) };
        let path = entry.path();
        let is_link = kind.is_symlink();
        if kind.is_dir() {
            return Ok(());
        }
        let relative = path.strip_prefix(self.folder.path()).unwrap_or(path);
        let name = slashed(relative);
        let candidate = folders.candidate(&name, listing);
        let problem = if is_link {
            // A link to a file is ignored if the link's name is not the name of a file to read.
            let leads_to_folder = path.is_dir();
            if matches!(candidate, Candidate::Nothing) && !leads_to_folder {
                return Ok(());
            }
            self.refused_link(path)
        } else if matches!(candidate, Candidate::Nothing) {
            return Ok(());
        } else if kind.is_file() {
            None
        } else {
            Some("not a file, although its name looks like one")
        };
        if let Some(problem) = problem {
            return Err(format!("{}: left out, {problem}", path.display()));
        }
        if relative.to_str().is_none() {
            return Err(format!("{}: left out, its name is not UTF-8", path.display()));
        }
        match candidate {
            Candidate::Page => drop(found.pages.insert(name)),
            Candidate::Code if entry.metadata().is_ok_and(|file| file.len() > max_bytes(&name)) => {
                listing.pass_over_code(Unwanted::Huge);
            }
            Candidate::Code => drop(found.code.insert(name)),
            Candidate::Archive => drop(found.archives.insert(name)),
            Candidate::Nothing => {}
        }
        Ok(())
    }

    /// Walks the files and folders below `start`, except hidden ones. For source code, `rules` is set: files that the
    /// repository ignores are left out, and so are other repositories inside. Elsewhere everything is listed, because
    /// repositories often ignore built sites.
    fn walk(start: &Path, rules: Option<Arc<IgnoreRules>>, repositories: &Arc<AtomicUsize>) -> ignore::Walk {
        let mut walk = ignore::WalkBuilder::new(start);
        // The walk must not read ignore files itself, because it would follow links and wait for pipes.
        walk.standard_filters(false).follow_links(false);
        let repositories = Arc::clone(repositories);
        walk.filter_entry(move |entry| {
            if entry.depth() == 0 {
                return true;
            }
            // Hidden files are not documentation. The walk's own filter is not used, because ignore files can override
            // it.
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                return false;
            }
            let Some(rules) = &rules else { return true };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            // `.git` is a file in a worktree and in a submodule, and a folder in a clone.
            let is_other = is_folder && entry.path().join(".git").symlink_metadata().is_ok();
            repositories.fetch_add(usize::from(is_other), Ordering::Relaxed);
            !is_other && !rules.ignore(entry.path(), is_folder)
        });
        walk.build()
    }
}

impl FileTree for FolderTree {
    fn name(&self) -> String {
        self.folder.path().display().to_string()
    }

    fn has_folder(&self, path: &str) -> bool {
        self.folder.has_folder(path)
    }

    fn list(&self, folders: Folders<'_>) -> Result<Listing> {
        fs::read_dir(self.folder.path()).with_context(|| format!("{}: this folder cannot be read", self.name()))?;
        let mut found = Found::default();
        let mut skipped = BTreeSet::new();
        let mut listing = Listing::default();
        let repositories = Arc::new(AtomicUsize::new(0));
        let is_in_code = |path: &String| folders.code.iter().any(|code| path == code || inside(path, code).is_some());
        // A folder inside a folder of source code would be listed twice.
        let code = folders.code.iter().map(|folder| (folder, true));
        let pages = folders.pages.iter().filter(|folder| !is_in_code(folder)).map(|folder| (folder, false));
        for (folder, is_code) in code.chain(pages) {
            let start = self.folder.path().join(folder);
            if folder.is_empty() || self.folder.has_folder(folder) {
                let rules = is_code.then(|| Arc::new(IgnoreRules::of(&start)));
                for entry in Self::walk(&start, rules.clone(), &repositories) {
                    let taken = match &entry {
                        Ok(entry) => self.take(entry, folders, &mut found, &mut listing),
                        Err(error) => Err(format!("left out: {error}")),
                    };
                    skipped.extend(taken.err());
                }
                skipped.extend(rules.iter().flat_map(|rules| rules.problems()));
            }
        }
        let repositories = repositories.load(Ordering::Relaxed);
        if repositories > 0 {
            listing.passed_over.insert(OTHER_REPOSITORIES.to_owned(), repositories);
        }
        listing.code = found.code.into_iter().collect();
        listing.archives = found.archives.into_iter().collect();
        listing.paths = found.pages.into_iter().collect();
        listing.skipped = skipped.into_iter().collect();
        Ok(listing)
    }

    fn is_repository(&self) -> bool {
        // `.git` is a file in a worktree and in a submodule, and a folder in a clone.
        self.folder.path().join(".git").symlink_metadata().is_ok()
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.folder.size(path)
    }

    fn hash(&self, path: &str) -> Result<String, String> {
        self.read(path).map(|(_, hash)| hash)
    }

    fn read(&self, path: &str) -> Result<(Vec<u8>, String), String> {
        self.folder.read(path, max_bytes(path))
    }
}

// On Linux, file names may contain bytes that are not UTF-8.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_no_readable_file_of_the_folder_is_left_out_with_a_reason() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret.md"), "secret").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("page.md"), "text").unwrap();
        fs::create_dir(at("sub")).unwrap();
        symlink(at("page.md"), at("sub/same.md")).unwrap();
        symlink(outside.path().join("secret.md"), at("out.md")).unwrap();
        symlink(outside.path(), at("outside")).unwrap();
        symlink(folder.path(), at("sub/loop")).unwrap();
        symlink(at("nothing"), at("gone.md")).unwrap();
        let name = std::ffi::OsStr::from_bytes(b"latin\xe9.md");
        fs::write(folder.path().join(name), "text").unwrap();
        fs::File::create(at("huge.md")).unwrap().set_len(500 << 20).unwrap();
        let tree = FolderTree::new(folder.path().to_owned());
        let listing = tree.list(Folders { pages: &[String::new()], code: &[] }).unwrap();
        assert_eq!(listing.paths, ["huge.md", "page.md", "sub/same.md"]);
        for name in ["out.md", "outside", "sub/loop", "gone.md", "latin"] {
            assert!(listing.skipped.iter().any(|line| line.contains(name)), "{name}: {:?}", listing.skipped);
        }
        assert_eq!(tree.hash("huge.md"), Err("larger than 16 MB".to_owned()));
        assert!(tree.read("../secret.md").is_err());
        assert_eq!(tree.hash("out.md"), Err("it is not in the folder".to_owned()));
        assert_eq!(tree.hash("page.md").unwrap(), tree.read("sub/same.md").unwrap().1);
        // The file was a page when it was listed.
        fs::remove_file(at("page.md")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("page.md")).status().unwrap().success());
        assert_eq!(tree.read("page.md").unwrap_err(), "it is not a plain file");
    }
}
