//! Where the files of a repository are shown on the host that it is from, at the commit that was read.

use super::git_place::GitPlace;
use super::open_source::OpenSource;
use super::spec::SourceKind;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What a path of an address is not to have.
const NOT_IN_PATHS: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`');

/// A repository on its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Forge {
    /// What is before the path of a file.
    base: String,
}

impl Forge {
    /// Where the file at `path` is shown.
    pub(super) fn address(&self, path: &str) -> String {
        format!("{}{}", self.base, utf8_percent_encode(path, NOT_IN_PATHS))
    }

    /// The repository at `url` with the commit, if its host is known; `folder` is where paths begin in it.
    fn of(url: &str, commit: &str, folder: &str) -> Option<Self> {
        let place = GitPlace { url: url.to_owned(), tag: Some(commit.to_owned()), ..GitPlace::default() };
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        Some(Self { base: format!("{}{folder}", place.source_base()?) })
    }
}

impl OpenSource {
    /// Where its files are shown: at the commit of a repository that was fetched, and of the one that a folder is in.
    pub(super) fn forge(&self) -> Option<Forge> {
        match (&self.spec.git, &self.commit) {
            (Some(place), Some(commit)) => Forge::of(&place.url, commit, ""),
            _ if self.spec.kind == SourceKind::Folder => of_folder(&self.spec.path),
            _ => None,
        }
    }
}

/// The repository that `folder` is in.
#[cfg(feature = "network")]
fn of_folder(folder: &std::path::Path) -> Option<Forge> {
    use gix::bstr::ByteSlice as _;
    let options = gix::open::Options::isolated();
    let mapping = gix::sec::trust::Mapping { full: options.clone(), reduced: options };
    let folder = folder.canonicalize().ok()?;
    let repository =
        gix::ThreadSafeRepository::discover_opts(&folder, gix::discover::upwards::Options::default(), mapping);
    let repository = repository.ok()?.to_thread_local();
    let remote = repository.find_remote("origin").ok()?;
    let url = remote.url(gix::remote::Direction::Fetch)?.to_bstring();
    let commit = repository.head_id().ok()?.to_string();
    let inside = folder.strip_prefix(repository.workdir()?.canonicalize().ok()?).ok()?.to_str()?.replace('\\', "/");
    Forge::of(url.to_str().ok()?, &commit, &inside)
}

#[cfg(not(feature = "network"))]
const fn of_folder(_: &std::path::Path) -> Option<Forge> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_shown_at_the_commit() {
        let forge = Forge::of("git@github.com:o/r.git", "abc", "sub").unwrap();
        assert_eq!(forge.address("a b#.rs"), "https://github.com/o/r/blob/abc/sub/a%20b%23.rs");
        assert_eq!(Forge::of("https://example.org/r", "abc", ""), None);
    }
}
