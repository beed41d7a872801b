//! Repositories over HTTP, served by git, and in folders. The tests need git.

#![cfg(unix)]

use crate::support::{Workplace, stderr, stdout};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]);
    command.args(["-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"]);
    let output = command.args(arguments).current_dir(folder).output().expect("git is installed");
    assert!(output.status.success(), "git {arguments:?}: {}", stderr(&output));
    stdout(&output).trim().to_owned()
}

/// A folder with a configuration, repositories in `git/`, and a model.
struct Forge(Workplace);

impl std::ops::Deref for Forge {
    type Target = Workplace;

    fn deref(&self) -> &Workplace {
        &self.0
    }
}

impl Forge {
    fn new() -> Self {
        let forge = Self(Workplace::new());
        std::fs::create_dir(forge.path("git")).unwrap();
        forge
    }

    /// Creates a repository with a page of documentation and another page.
    fn repository(&self, name: &str) {
        self.write(&format!("git/{name}/docs/index.md"), &format!("# Home of {name}\n\nUnsafe threads.\n"));
        self.write(&format!("git/{name}/CONTRIBUTING.md"), "# Not documentation of threads\n");
        git(&self.path(&format!("git/{name}")), &["init", "-q"]);
        self.commit(name);
    }

    fn commit(&self, name: &str) -> String {
        let folder = self.path(&format!("git/{name}"));
        git(&folder, &["add", "-A"]);
        git(&folder, &["commit", "-q", "-m", "change"]);
        git(&folder, &["rev-parse", "HEAD"])
    }

    fn configure(&self, projects: &[(&str, String)]) {
        let table = |(name, rest): &(&str, String)| format!("[[project]]\nname = \"{name}\"\n{rest}\n");
        self.write("nearfind.toml", &format!("model = \"tiny\"\n{}", projects.iter().map(table).collect::<String>()));
    }

    fn update(&self, arguments: &[&str]) -> Output {
        self.run(&[&["update", "--allow-outside"], arguments].concat())
    }

    fn documents(&self) -> Vec<String> {
        let answer = self.run(&["export", "search"]);
        let lines = stdout(&answer);
        let id = |line: &str| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["document"].as_str().unwrap().to_owned()
        };
        lines.lines().map(id).collect()
    }
}

/// Serves the repositories in a folder with `git http-backend`. Repositories below `private/` require a password. Those
/// below `silent/` never answer.
fn serve(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let folder = Arc::new(folder);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let folder = Arc::clone(&folder);
            std::thread::spawn(move || answer(&stream, &folder));
        }
    });
    address
}

/// Handles one request with CGI.
fn answer(stream: &TcpStream, folder: &Path) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let mut body = Vec::new();
    if headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked") {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).ok()?;
            let size = usize::from_str_radix(size.trim(), 16).ok()?;
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk).ok()?;
            body.extend_from_slice(&chunk[..size]);
            if size == 0 {
                break;
            }
        }
    } else {
        let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        body.resize(length, 0);
        reader.read_exact(&mut body).ok()?;
    }
    let mut out = stream;
    if target.starts_with("/silent/") {
        std::thread::sleep(std::time::Duration::from_mins(1));
        return None;
    }
    if target.starts_with("/private/") && !headers.contains_key("authorization") {
        let refused = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return out.write_all(refused.as_bytes()).ok();
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let path = path.strip_prefix("/private").unwrap_or(path);
    let mut backend = Command::new("git");
    backend.arg("http-backend").env("GIT_PROJECT_ROOT", folder).env("GIT_HTTP_EXPORT_ALL", "1");
    backend.env("PATH_INFO", path).env("QUERY_STRING", query).env("REQUEST_METHOD", method);
    backend.env("CONTENT_TYPE", headers.get("content-type").map_or("", String::as_str));
    backend.env("CONTENT_LENGTH", body.len().to_string()).env("GIT_CONFIG_COUNT", "1");
    backend.env("GIT_CONFIG_KEY_0", "safe.directory").env("GIT_CONFIG_VALUE_0", "*");
    for (header, variable) in [("git-protocol", "GIT_PROTOCOL"), ("content-encoding", "HTTP_CONTENT_ENCODING")] {
        headers.get(header).map(|value| backend.env(variable, value));
    }
    let mut child = backend.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let mut input = child.stdin.take()?;
    let feeding = std::thread::spawn(move || input.write_all(&body));
    let output = child.wait_with_output().ok()?;
    let _ = feeding.join();
    let at = output.stdout.windows(4).position(|end| end == b"\r\n\r\n")?;
    let (head, rest) = (String::from_utf8_lossy(&output.stdout[..at]).into_owned(), &output.stdout[at + 4..]);
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK").to_owned();
    let others: String =
        head.lines().filter(|line| !line.starts_with("Status:")).map(|line| format!("{line}\r\n")).collect();
    let head = format!("HTTP/1.1 {status}\r\n{others}Content-Length: {}\r\nConnection: close\r\n\r\n", rest.len());
    out.write_all(head.as_bytes()).ok()?;
    out.write_all(rest).ok()
}

#[test]
fn one_broken_repository_does_not_affect_nineteen_others() {
    let forge = Forge::new();
    let server = serve(forge.path("git"));
    let names: Vec<String> = (0..20).map(|number| format!("r{number:02}")).collect();
    let url = |name: &str| format!("git = \"{server}/{name}/.git\"\n");
    forge.configure(&names.iter().map(|name| (name.as_str(), url(name))).collect::<Vec<_>>());
    for name in names.iter().filter(|name| *name != "r07") {
        forge.repository(name);
    }
    let updated = forge.update(&[]);
    assert_eq!(updated.status.code(), Some(1), "{}", stderr(&updated));
    let said = stderr(&updated);
    assert!(said.contains("error: r07: there is no repository at this address"), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    let expected: Vec<String> =
        names.iter().filter(|name| *name != "r07").map(|name| format!("{name}/docs/index.md")).collect();
    assert_eq!(forge.documents(), expected);

    // Only the new repository and the changed one are read.
    forge.repository("r07");
    forge.write("git/r03/docs/new.md", "# New\n\nThreads that were not there.\n");
    let commit = forge.commit("r03");
    let updated = forge.update(&[]);
    assert!(updated.status.success(), "{}", stderr(&updated));
    assert!(
        stdout(&updated).contains("r03: 1 new, 0 changed") && stdout(&updated).contains("r07: 1 new"),
        "{}",
        stdout(&updated)
    );
    assert_eq!(forge.documents().len(), 21);
    let projects: serde_json::Value = serde_json::from_str(&stdout(&forge.run(&["projects", "--json"]))).unwrap();
    assert_eq!(projects[3]["commit"], commit.as_str());
    assert!(stdout(&forge.update(&[])).contains("nothing has changed"));

    // The pages of a missing repository stay until it is removed from the configuration.
    std::fs::remove_dir_all(forge.path("git/r05")).unwrap();
    let updated = forge.update(&[]);
    assert_eq!(updated.status.code(), Some(1));
    assert!(
        stderr(&updated).contains("error: r05") && stderr(&updated).contains("its pages are unchanged"),
        "{}",
        stderr(&updated)
    );
    assert_eq!(forge.documents().len(), 21);
}

#[test]
fn branches_tags_links_and_submodules() {
    let forge = Forge::new();
    let server = serve(forge.path("git"));
    forge.repository("other");
    forge.repository("project");
    let folder = forge.path("git/project");
    git(&folder, &["tag", "-a", "v1", "-m", "first"]);
    git(&folder, &["checkout", "-q", "-b", "next"]);
    forge.write("git/project/CONTRIBUTING.md", "# Still not documentation of threads\n");
    forge.commit("project");
    forge.write("git/project/docs/next.md", "# Next\n\nThreads of the next version.\n");
    std::os::unix::fs::symlink("../CONTRIBUTING.md", folder.join("docs/contributing.md")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.join("docs/passwords.md")).unwrap();
    git(&folder, &["submodule", "--quiet", "add", &format!("{server}/other/.git"), "docs/other"]);
    forge.commit("project");
    git(&folder, &["checkout", "-q", "main"]);

    let url = format!("git = \"{server}/project/.git\"\n");
    forge.configure(&[
        ("branch", format!("{url}branch = \"next\"\nhistory = 2\n")),
        ("local", format!("git = \"file://{}\"\n", folder.display())),
        ("none", format!("{url}branch = \"nothing\"\n")),
        ("tag", format!("{url}tag = \"v1\"\n")),
    ]);
    let updated = forge.update(&[]);
    let said = stderr(&updated);
    assert!(said.contains("error: none: there is no branch \"nothing\"; it has main, next"), "{said}");
    assert!(said.contains("docs/other: left out, a submodule"), "{said}");
    assert!(said.contains("docs/passwords.md: left out, a symbolic link"), "{said}");
    assert_eq!(
        forge.documents(),
        [
            "branch/docs/contributing.md",
            "branch/docs/index.md",
            "branch/docs/next.md",
            "local/docs/index.md",
            "tag/docs/index.md"
        ]
    );
    // Two commits were fetched. The newer one added two pages. The date of `index.md` is unknown.
    let since = [
        "search",
        "search",
        "threads",
        "--mode",
        "words",
        "--json",
        "-n",
        "9",
        "--project",
        "branch",
        "--filter",
        "since=2000",
    ];
    let dated: serde_json::Value = serde_json::from_str(&stdout(&forge.run(&since))).unwrap();
    let mut dated: Vec<&str> =
        dated["hits"].as_array().unwrap().iter().filter_map(|hit| hit["path"].as_str()).collect();
    dated.sort_unstable();
    assert_eq!(dated, ["docs/contributing.md", "docs/next.md"]);
    // A damaged clone is replaced.
    for clone in std::fs::read_dir(forge.path("cache/repositories")).unwrap() {
        let head = clone.unwrap().path().join("HEAD");
        if head.exists() {
            std::fs::write(head, "damage").unwrap();
        }
    }
    assert!(stdout(&forge.update(&["--project", "tag"])).contains("nothing has changed"));
}

#[test]
fn failed_fetches_are_explained() {
    let forge = Forge::new();
    let server = serve(forge.path("git"));
    forge.repository("a");
    let says = |rest: String, expected: &str| {
        forge.configure(&[("p", rest)]);
        let updated = forge.update(&["--timeout", "2"]);
        assert_eq!(updated.status.code(), Some(1));
        assert!(stderr(&updated).contains(expected), "{expected}: {}", stderr(&updated));
    };
    says(format!("git = \"{server}/private/a/.git\""), "the server requires a password");
    says(format!("git = \"{server}/silent/a/.git\""), "no response within 2 seconds");
    says("git = \"http://127.0.0.1:1/a\"".into(), "the host cannot be reached");
    says("git = \"http://nowhere.invalid/a\"".into(), "the host cannot be reached");
    says(format!("git = \"file://{}\"", forge.path("models").display()), "there is no repository at this address");
    says("git = \"ext::sh -c 'touch /tmp/x'\"".into(), "use an address that begins with https://");
    says(format!("git = \"{server}/a/.git\"\ndocs = \"nothing\""), "there is no folder \"nothing\"");
    // A token is neither sent unencrypted nor shown.
    let with_token = server.replace("http://", "http://token:secret@");
    forge.configure(&[("p", format!("git = \"{with_token}/private/a/.git\""))]);
    let updated = forge.update(&[]);
    assert!(
        stderr(&updated).contains("only over https") && !stderr(&updated).contains("secret"),
        "{}",
        stderr(&updated)
    );
    let shown = stdout(&forge.run(&["projects"]));
    assert!(!shown.contains("secret") && shown.contains("private/a"), "{shown}");
}
