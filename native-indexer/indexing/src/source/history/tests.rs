//! Tests with repositories that git itself makes, and with problems of real repositories.
#![cfg(unix)]

use super::*;
use nearfind_extract::Extracted;
use std::process::Command;
use tempfile::TempDir;

/// A repository in a temporary folder.
struct Repository(TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "-q"]);
        repository
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args([
            "-c",
            "user.name=Ann Author",
            "-c",
            "user.email=ann@example.org",
            "-c",
            "init.defaultBranch=main",
        ]);
        command.args(["-c", "commit.gpgsign=false", "-c", "gc.auto=0", "-c", "i18n.commitEncoding=utf-8"]);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").args(arguments).current_dir(self.0.path());
        let output = command.output().expect("git is installed");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.0.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }

    /// Commits everything, on this `day` of May 2024. Returns the commit's hash.
    fn commit(&self, day: u32, message: &str) -> String {
        let date = format!("2024-05-{day:02}T12:00:00 +0000");
        self.git(&["add", "-A"]);
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Ann Author", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]);
        command.args(["commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message]);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        assert!(command.current_dir(self.0.path()).output().unwrap().status.success());
        self.git(&["rev-parse", "HEAD"])
    }

    fn history(&self) -> History {
        History::of_folder(self.0.path()).unwrap()
    }

    fn page(&self, commit: &str) -> CachedPage {
        self.history().read(commit, &Readers::inside(), &|path| !path.starts_with("secret")).0
    }

    fn document(&self, commit: &str) -> Extracted {
        match self.page(commit) {
            CachedPage::Document(extracted) => *extracted,
            other => panic!("{other:?}"),
        }
    }
}

fn headings(document: &Extracted) -> Vec<&str> {
    document.headings.iter().map(|heading| heading.title.as_str()).collect()
}

const SESSION: &str = "class Session:\n    def send(self):\n        return 1\n\n    def close(self):\n        pass\n";

#[test]
fn a_commit_says_what_it_changes_and_where() {
    let repository = Repository::new();
    repository.write("src/session.py", SESSION);
    repository.write("Cargo.lock", "one");
    repository.write("logo.png", [0u8, 1, 2, 3]);
    repository.write("secret.py", "KEY = 1\n");
    repository.commit(1, "Start");
    repository.write("src/session.py", SESSION.replace("return 1", "return retry(3)"));
    repository.write("Cargo.lock", "two");
    repository.write("logo.png", [0u8, 1, 2, 4]);
    repository.write("secret.py", "KEY = 2\n");
    let commit =
        repository.commit(2, "Retry thrice\n\nServers fail now and then.\n\nCo-authored-by: Bob <bob@example.org>");
    let document = repository.document(&commit);
    assert_eq!(document.title, "Retry thrice");
    assert_eq!(document.date.unwrap().to_string(), "2024-05-02");
    assert_eq!(headings(&document), ["src/session.py: Session.send", ""]);
    let text = &document.text;
    assert!(text.starts_with("Servers fail now and then.\n\nCo-authored-by: Bob\n\n"), "{text}");
    assert!(text.contains(&format!("Commit {commit} of 2024-05-02 by Ann Author")), "{text}");
    assert!(text.contains("\n-        return 1\n+        return retry(3)\n"), "{text}");
    assert!(text.contains("Other files: secret.py, Cargo.lock, logo.png"), "{text}");
    assert!(!text.contains("KEY") && !text.contains('@'), "{text}");
    let short = &commit[..8];
    assert_eq!(
        document.description,
        format!("commit {short} by Ann Author, 4 files: secret.py, src/session.py, Cargo.lock, logo.png")
    );
}

#[test]
fn files_that_move_are_no_new_ones() {
    let repository = Repository::new();
    repository.write("a/session.py", SESSION);
    repository.write("a/other.py", "def other():\n    pass\n");
    repository.write("old.py", "def old():\n    pass\n");
    repository.commit(1, "Start");
    repository.git(&["mv", "a/other.py", "another.py"]);
    std::fs::create_dir(repository.0.path().join("b")).unwrap();
    repository.git(&["mv", "a/session.py", "b/session.py"]);
    repository.write("b/session.py", SESSION.replace("pass", "self.open = False"));
    repository.git(&["rm", "-q", "old.py"]);
    let commit = repository.commit(2, "Move");
    let document = repository.document(&commit);
    assert_eq!(
        headings(&document),
        ["another.py (was a/other.py)", "b/session.py (was a/session.py): Session.close", "old.py (removed): old",]
    );
}

#[test]
fn merges_have_a_document_if_they_change_something_themselves() {
    let repository = Repository::new();
    repository.write("a.md", "one\n");
    repository.commit(1, "Start");
    repository.git(&["checkout", "-q", "-b", "side"]);
    repository.write("b.md", "two\n");
    repository.commit(2, "Side");
    repository.git(&["checkout", "-q", "main"]);
    repository.write("c.md", "three\n");
    repository.commit(3, "Main");
    repository.git(&["merge", "-q", "--no-ff", "-m", "Join", "side"]);
    let plain = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(repository.page(&plain), CachedPage::LeftOut(LeftOut::Merge));
    // A conflict that is resolved by hand changes a file in this way.
    repository.write("b.md", "two and a half\n");
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "--amend", "-m", "Join with care"]);
    let own = repository.git(&["rev-parse", "HEAD"]);
    let document = repository.document(&own);
    assert_eq!(headings(&document), ["b.md (new)"]);
    let listed = repository.history().list(10);
    assert_eq!((listed.commits.len(), listed.notes.len()), (4, 0));
    assert_eq!(repository.history().list(1).commits.len(), 2, "a merge does not count");
}

#[test]
fn messages_may_be_empty_or_in_any_encoding() {
    let repository = Repository::new();
    repository.write("a.md", "one\n");
    let empty = repository.commit(1, "");
    assert_eq!(repository.document(&empty).title, format!("Commit {}", &empty[..8]));
    repository.write("a.md", "two\n");
    repository.git(&["add", "-A"]);
    repository.write("message", b"Gr\xfc\xdfe aus M\xfcnchen\n");
    repository.git(&["-c", "i18n.commitEncoding=iso-8859-1", "commit", "-q", "-F", "message"]);
    let latin = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(repository.document(&latin).title, "Grüße aus München");
}

#[test]
fn a_commit_of_very_many_files_is_short() {
    let repository = Repository::new();
    for number in 0..10_000 {
        repository.write(&format!("data/{number:05}.txt"), format!("line {number}\n"));
    }
    repository.write("src/session.py", SESSION);
    let commit = repository.commit(1, "Import");
    let document = repository.document(&commit);
    assert!(document.text.len() < 20_000, "{}", document.text.len());
    assert_eq!(headings(&document)[0], "data/00000.txt (new)");
    assert!(document.description.contains("10001 files"), "{}", document.description);
    assert!(document.text.contains("and 9911 more"), "{}", document.text);
}

#[test]
fn a_folder_of_a_repository_has_the_commits_that_change_it() {
    let repository = Repository::new();
    repository.write("service/a.py", SESSION);
    repository.commit(1, "Start");
    repository.write("other.py", SESSION);
    let elsewhere = repository.commit(2, "Elsewhere");
    let history = History::of_folder(&repository.0.path().join("service")).unwrap();
    let read = |commit: &str| history.read(commit, &Readers::inside(), &|_| true).0;
    assert_eq!(read(&elsewhere), CachedPage::LeftOut(LeftOut::Elsewhere));
    let start = repository.git(&["rev-parse", "HEAD~1"]);
    let CachedPage::Document(document) = read(&start) else { panic!("it changes the folder") };
    assert_eq!(headings(&document), ["a.py (new): Session"]);
}

#[test]
fn what_is_damaged_or_missing_is_named_and_the_rest_is_read() {
    let repository = Repository::new();
    let file = |object: &str| repository.0.path().join(".git/objects").join(&object[..2]).join(&object[2..]);
    repository.write("a.py", SESSION);
    let first = repository.commit(1, "Start");
    repository.write("a.py", SESSION.replace("return 1", "return 2"));
    repository.commit(2, "Two");
    let blob = repository.git(&["rev-parse", "HEAD:a.py"]);
    repository.write("a.py", SESSION.replace("return 1", "return 3"));
    let third = repository.commit(3, "Three");
    std::fs::remove_file(file(&blob)).unwrap();
    let document = repository.document(&third);
    assert_eq!((document.title.as_str(), document.notes.len()), ("Three", 1), "{:?}", document.notes);
    std::fs::remove_file(file(&first)).unwrap();
    let listed = repository.history().list(10);
    assert_eq!(listed.commits.len(), 2);
    assert!(
        listed.notes[0].contains(&format!("commit {first} and those before it are left out")),
        "{:?}",
        listed.notes
    );
}

#[test]
fn a_shallow_clone_says_how_far_it_reaches() {
    let repository = Repository::new();
    for day in 1..6 {
        repository.write("a.md", format!("{day}\n"));
        repository.commit(day, &format!("Day {day}"));
    }
    let clone = tempfile::tempdir().unwrap();
    let from = format!("file://{}", repository.0.path().display());
    repository.git(&["clone", "-q", "--depth", "3", &from, clone.path().join("c").to_str().unwrap()]);
    let history = History::of_folder(&clone.path().join("c")).unwrap();
    let listed = history.list(10);
    assert_eq!(listed.commits.len(), 3);
    assert!(
        listed.notes[0].ends_with("the clone is shallow: it has 3 commits, back to 2024-05-03"),
        "{:?}",
        listed.notes
    );
    let oldest = listed.commits.values().next().unwrap().strip_prefix("commit:").unwrap();
    let (page, is_lasting) = history.read(oldest, &Readers::inside(), &|_| true);
    let CachedPage::Document(document) = page else { panic!("it has a message") };
    assert_eq!((document.headings.len(), is_lasting), (0, false));
}

#[test]
fn nothing_outside_of_the_clone_is_read() {
    use std::os::unix::fs::symlink;
    let says = |folder: &Path, expected: &str| {
        let error = format!("{:#}", History::of_folder(folder).err().unwrap());
        assert!(error.contains(expected), "{error}");
    };
    let private = Repository::new();
    private.write("a.md", "one\n");
    private.commit(1, "Private");
    let place = tempfile::tempdir().unwrap();
    let at = |path: &str| place.path().join(path);
    std::fs::create_dir_all(at("plain")).unwrap();
    says(&at("plain"), "in no git repository");
    std::fs::create_dir_all(at("linked")).unwrap();
    symlink(private.0.path().join(".git"), at("linked/.git")).unwrap();
    says(&at("linked"), "its repository is elsewhere");
    let tree = at("tree");
    private.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    says(&tree, "its repository is elsewhere");
    let copy = at("copy");
    private.git(&["clone", "-q", "--shared", private.0.path().to_str().unwrap(), copy.to_str().unwrap()]);
    says(&copy, "its objects are elsewhere");
    let pack = at("pack");
    private.git(&["clone", "-q", "--no-local", private.0.path().to_str().unwrap(), pack.to_str().unwrap()]);
    assert!(History::of_folder(&pack).is_ok());
    symlink(private.0.path().join("a.md"), pack.join(".git/objects/pack/x.pack")).unwrap();
    says(&pack, "x.pack is not a plain file");
}

#[test]
fn the_last_change_of_a_definition_is_found() {
    use nearfind_bundles::library::LinesOfFile;
    let repository = Repository::new();
    repository.write("a.py", SESSION);
    let start = repository.commit(1, "Start");
    repository.write("a.py", format!("import os\n\n\n{}", SESSION.replace("return 1", "return 2")));
    let two = repository.commit(2, "Return two");
    repository.git(&["mv", "a.py", "b.py"]);
    repository.commit(3, "Move");
    let text = std::fs::read_to_string(repository.0.path().join("b.py")).unwrap();
    let asked = |text: &str, lines: (u32, u32)| {
        let lines = LinesOfFile { path: "b.py".into(), text: text.to_owned(), lines };
        last_changes(repository.0.path(), &[lines]).remove(0).unwrap()
    };
    // First `send`, then `close`, which no later commit touches.
    assert_eq!(asked(&text, (5, 6)).unwrap().line(), format!("2024-05-02 {} by Ann Author: Return two", &two[..8]));
    assert_eq!(asked(&text, (8, 9)).unwrap().commit, start[..8]);
    let edited = text.replace("pass", "self.open = False");
    assert_eq!(asked(&edited, (8, 9)), None, "it is in no commit yet");
    assert_eq!(asked(&edited, (5, 6)).unwrap().commit, two[..8]);
}

#[test]
fn lines_from_before_a_shallow_clone_are_not_changed_by_its_first_commit() {
    use nearfind_bundles::library::LinesOfFile;
    let repository = Repository::new();
    repository.write("a.py", SESSION);
    repository.commit(1, "Start");
    repository.write("b.py", "pass\n");
    repository.commit(2, "Add another");
    let text = SESSION.replace("return 1", "return 2");
    repository.write("a.py", &text);
    let two = repository.commit(3, "Return two");
    let folder = tempfile::tempdir().unwrap();
    let clone = folder.path().join("clone");
    let url = format!("file://{}", repository.0.path().display());
    repository.git(&["clone", "-q", "--depth", "2", &url, clone.to_str().unwrap()]);
    // First `send`, then `close`, which is older than the history of the clone.
    let asked = [(2, 3), (5, 6)].map(|lines| LinesOfFile { path: "a.py".into(), text: text.clone(), lines });
    let found = last_changes(&clone, &asked);
    assert_eq!(found[0].clone().unwrap().unwrap().commit, two[..8]);
    assert_eq!(found[1], Err("not changed since 2024-05-02, where the history of this clone begins".to_owned()));
}
