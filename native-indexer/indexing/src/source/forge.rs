//! The addresses of files on a repository's host, at the commit that was read.

#[cfg(feature = "network")]
use super::folder_clone::FolderClone;
use super::git_place::GitPlace;
use super::open_source::OpenSource;
use super::spec::SourceKind;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use std::path::Path;

/// Characters that are escaped in the path of an address.
const NOT_IN_PATHS: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`');

/// A repository on a host that shows its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Forge {
    /// The part of an address before the path of a file.
    base: String,
    /// The part of an address before the hash of a commit.
    commits: String,
}

impl Forge {
    /// Returns the address that shows the file at `path`.
    pub(super) fn address(&self, path: &str) -> String {
        format!("{}{}", self.base, utf8_percent_encode(path, NOT_IN_PATHS))
    }

    /// Returns the address that shows the commit with this hash.
    pub(super) fn commit(&self, hash: &str) -> String {
        format!("{}{hash}", self.commits)
    }

    /// Returns the addresses of the repository at `url`, if its host is known. Paths are relative to `folder` in the
    /// repository.
    fn of(url: &str, commit: &str, folder: &str) -> Option<Self> {
        let place = GitPlace { url: url.to_owned(), tag: Some(commit.to_owned()), ..GitPlace::default() };
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        Some(Self { base: format!("{}{folder}", place.source_base()?), commits: place.commit_base()? })
    }
}

impl OpenSource {
    /// Returns the addresses that show the files of this source, for a fetched repository, or for the repository that
    /// contains the folder.
    pub(super) fn forge(&self) -> Option<Forge> {
        match (&self.spec.git, &self.commit) {
            (Some(place), Some(commit)) => Forge::of(&place.url, commit, ""),
            _ if self.spec.kind == SourceKind::Folder => of_folder(&self.spec.path),
            _ => None,
        }
    }
}

/// Returns the addresses of the repository that contains `folder`.
#[cfg(feature = "network")]
fn of_folder(folder: &Path) -> Option<Forge> {
    let clone = FolderClone::around(folder)?;
    Forge::of(&clone.url()?, &clone.commit()?, &clone.inside)
}

#[cfg(not(feature = "network"))]
const fn of_folder(_: &Path) -> Option<Forge> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_shown_at_the_commit() {
        let forge = Forge::of("git@github.com:o/r.git", "abc", "sub").unwrap();
        assert_eq!(forge.address("a b#.rs"), "https://github.com/o/r/blob/abc/sub/a%20b%23.rs");
        assert_eq!(forge.commit("abcd"), "https://github.com/o/r/commit/abcd");
        assert_eq!(Forge::of("https://example.org/r", "abc", ""), None);
    }

    #[cfg(all(unix, feature = "network"))]
    #[test]
    fn a_clone_is_read_as_it_is_and_links_in_it_are_not() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        std::fs::create_dir_all(at("r/.git/refs/heads")).unwrap();
        std::fs::create_dir_all(at("r/docs")).unwrap();
        let commit = "0123456789abcdef0123456789abcdef01234567";
        std::fs::write(at("r/.git/config"), "[remote \"origin\"]\n\turl = https://github.com/o/r.git\n").unwrap();
        std::fs::write(at("r/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let shown = || of_folder(&at("r/docs")).map(|forge| forge.address("a.md"));
        assert_eq!(shown(), None);
        std::fs::write(at("r/.git/packed-refs"), format!("# pack-refs\n{commit} refs/heads/main\n")).unwrap();
        let expected = Some(format!("https://github.com/o/r/blob/{commit}/docs/a.md"));
        assert_eq!(shown(), expected);
        std::fs::remove_file(at("r/.git/packed-refs")).unwrap();
        std::fs::write(at("r/.git/refs/heads/main"), format!("{commit}\n")).unwrap();
        assert_eq!(shown(), expected);
        for name in ["HEAD", "config", "refs/heads/main"] {
            let file = at("r/.git").join(name);
            std::fs::rename(&file, at("moved")).unwrap();
            std::os::unix::fs::symlink(at("moved"), &file).unwrap();
            assert_eq!(shown(), None, "{name} is a link");
            std::fs::remove_file(&file).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
            assert_eq!(shown(), None, "{name} is a pipe");
            std::fs::remove_file(&file).unwrap();
            std::fs::rename(at("moved"), &file).unwrap();
        }
        assert_eq!(shown(), expected);
    }
}
