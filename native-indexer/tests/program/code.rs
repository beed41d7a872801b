//! Indexes a repository with source code. Hits name the lines of the code, files that are left out are counted, and no
//! file prevents others from being indexed.
#![cfg(all(unix, feature = "full"))]

use crate::support::{Workplace, stderr, stdout};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]);
    let output = command.args(arguments).current_dir(folder).output().expect("git is installed");
    assert!(output.status.success(), "git {arguments:?}: {}", stderr(&output));
}

/// Returns a class that fills a piece, and a function after it.
fn session() -> String {
    let steps: String = (0..40).map(|step| format!("        self.transport.deliver(request, step={step})\n")).collect();
    format!(
        "\"\"\"Sessions.\"\"\"\n\nimport socket\n\n\nclass Session:\n    \"\"\"Keeps connections.\"\"\"\n\n    \
         def send(self, request):\n{steps}\n\n\
         def merge_cookies(old, new):\n    # Cookies of the answer win.\n    return {{**old, **new}}\n"
    )
}
const TEST: &str = "from session import Session, merge_cookies\n\n\ndef test_merge_cookies():\n    \
    assert merge_cookies({}, {'cookies': 1}) == {'cookies': 1}\n    merge_cookies(merge_cookies({}, {}), {})\n";
const GUIDE: &str = "# Cookies\n\nCookies of an answer are merged into those of the session.\n";

/// Creates a repository `repo` with a guide, a module and its test.
fn repository() -> Workplace {
    let place = Workplace::new();
    place.write("repo/docs/cookies.md", GUIDE);
    place.write("repo/src/session.py", &session());
    place.write("repo/tests/test_session.py", TEST);
    git(&place.path("repo"), &["init", "-q"]);
    git(&place.path("repo"), &["remote", "add", "origin", "git@github.com:example/repo.git"]);
    git(&place.path("repo"), &["add", "-A"]);
    git(&place.path("repo"), &["commit", "-q", "-m", "start"]);
    place
}

fn index(place: &Workplace, arguments: &[&str]) -> String {
    let mut all = vec!["index", "repo", "--code", "-o", "bundle", "--model", "tiny", "--no-query-encoder", "--no-box"];
    all.extend(arguments);
    let output = place.run(&all);
    assert!(output.status.success(), "{}", stderr(&output));
    stderr(&output) + &stdout(&output)
}

fn search(place: &Workplace, question: &str, arguments: &[&str]) -> Vec<Value> {
    let mut all = vec!["search", "bundle", question, "--json", "--mode", "words"];
    all.extend(arguments);
    let output = place.run(&all);
    assert!(output.status.success(), "{}", stderr(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["hits"].as_array().unwrap().clone()
}

fn places(hits: &[Value]) -> Vec<String> {
    hits.iter().map(|hit| format!("{}#{}", hit["path"].as_str().unwrap(), hit["anchor"].as_str().unwrap())).collect()
}

#[test]
fn one_question_finds_the_guide_and_the_function() {
    let place = repository();
    index(&place, &[]);
    let hits = search(&place, "how are cookies merged", &[]);
    let found = places(&hits);
    assert!(found.contains(&"docs/cookies.md#cookies".to_owned()), "{found:?}");
    let function = hits.iter().find(|hit| hit["title"] == "merge_cookies").unwrap();
    assert_eq!(function["document"], "repo/src/session.py#merge_cookies");
    assert_eq!((&function["anchor"], &function["section"]), (&"L52-L54".into(), &"def merge_cookies(old, new)".into()));
    let url = function["url"].as_str().unwrap();
    assert!(url.starts_with("https://github.com/example/repo/blob/") && url.ends_with("/src/session.py"), "{url}");
    // The test contains the word more often, but does not implement it.
    let place_of = |path: &str| found.iter().position(|place| place.starts_with(path)).unwrap_or(usize::MAX);
    assert!(place_of("src/session.py") < place_of("tests/test_session.py"), "{found:?}");
    let tests = search(&place, "how are cookies merged", &["--filter", "class=test"]);
    assert_eq!(places(&tests)[0], "tests/test_session.py#L4-L6");
    let docs = search(&place, "how are cookies merged", &["--filter", "kind=guide"]);
    assert_eq!(places(&docs), ["docs/cookies.md#cookies"]);
}

#[test]
fn definitions_come_first_for_any_spelling_of_a_name() {
    let place = repository();
    index(&place, &[]);
    for question in ["merge_cookies", "mergeCookies", "where is merge_cookies called with two dicts"] {
        let hits = search(&place, question, &["--filter", "kind=code"]);
        assert_eq!(hits[0]["document"], "repo/src/session.py#merge_cookies", "{question}");
    }
    let hits = search(&place, "Session.send", &[]);
    assert_eq!(hits[0]["path"], "src/session.py");
    assert!(hits[0]["why"]["defines"].as_f64().unwrap() > 0.0, "{}", hits[0]["why"]);
    let explained = stdout(&place.run(&["search", "bundle", "test_merge_cookies", "--explain", "--mode", "words"]));
    assert!(
        explained.contains("defines it") && explained.contains("repo/tests/test_session.py:4-6, test"),
        "{explained}"
    );
}

#[test]
fn changed_files_are_marked() {
    let place = repository();
    index(&place, &[]);
    let printed = || stdout(&place.run(&["search", "bundle", "merge_cookies", "--mode", "words"]));
    assert!(printed().contains("src/session.py:52-54\n"), "{}", printed());
    place.write("repo/src/session.py", &session().replace("old", "kept"));
    assert!(printed().contains("src/session.py:52-54, has changed since it was indexed"), "{}", printed());
    let lines = || stdout(&place.run(&["grep", "bundle", "def merge_cookies"]));
    assert!(lines().contains("changed since they were indexed, so lines may have moved: repo/src/session.py"));
    index(&place, &[]);
    assert!(!printed().contains("has changed") && !lines().contains("changed since"), "{}", printed());
}

#[test]
fn a_file_is_shown_whole_or_from_a_definition() {
    let place = repository();
    index(&place, &[]);
    let shown = |arguments: &[&str]| stdout(&place.run(&[&["show", "bundle"], arguments].concat()));
    assert!(shown(&["src/session.py"]).contains(&session()));
    for arguments in [
        &["repo/src/session.py#merge_cookies"][..],
        &["session.py", "--at", "merge_cookies"],
        &["session.py", "--at", "L52"],
    ] {
        let text = shown(arguments);
        assert!(text.contains("def merge_cookies") && !text.contains("class Session"), "{arguments:?}: {text}");
    }
}

#[test]
fn other_files_than_source_code_are_left_out_and_counted() {
    let place = repository();
    let write = |path: &str, text: &str| place.write(&format!("repo/{path}"), text);
    let code = "def zebra():\n    return 'zebra'\n";
    write(".gitignore", "ignored/\n*.log.py\n");
    write(".git/info/exclude", "private.py\n");
    for path in ["ignored/a.py", "a.log.py", "private.py", "node_modules/x/a.js", "vendor/a.go", "a_pb2.py", "a.min.js"]
    {
        write(path, code);
    }
    write("vendor/README.md", "# Zebra\n\nA zebra of others.\n");
    write("generated.go", "// Code generated by tool. DO NOT EDIT.\npackage zebra\n");
    write("data.py", &format!("DATA = '{}'\n", "zebra".repeat(32_000)));
    write("empty.py", "\n");
    write("picture.xyz", "zebra");
    std::fs::write(place.path("repo/blob.py"), b"zebra = 1\0\0").unwrap();
    std::fs::File::create(place.path("repo/huge.py")).unwrap().set_len(300 << 20).unwrap();
    // A nested repository, and a worktree of this one.
    write("clone/a.py", code);
    git(&place.path("repo/clone"), &["init", "-q"]);
    git(&place.path("repo"), &["worktree", "add", "-q", "tree"]);
    std::os::unix::fs::symlink("/etc/passwd", place.path("repo/link.py")).unwrap();
    std::os::unix::fs::symlink("src/session.py", place.path("repo/alias.py")).unwrap();

    let said = index(&place, &["--dry-run"]);
    let first = said.lines().find(|line| line.contains("(python)")).unwrap();
    assert!(first.ends_with("data.py (python)"), "the largest first: {said}");
    assert!(!place.path("bundle/nearfind.json").exists());

    let said = index(&place, &[]);
    for counted in [
        "generated code and lock files (2)",
        "third-party code (vendor, third_party, node_modules) (3)",
        "minified code (2)",
        "binary files (1)",
        "source files larger than 1 MB (1)",
        "source files without text (1)",
        "folders of other repositories (submodules, worktrees, clones) (2)",
    ] {
        assert!(said.contains(counted), "{counted}: {said}");
    }
    assert!(said.contains("link.py: left out, a symbolic link out of the folder"), "{said}");
    assert!(search(&place, "zebra", &[]).is_empty());
}

#[test]
fn unusual_files_are_read_and_do_not_stop_the_rest() {
    let place = repository();
    place.write("repo/deep.js", &format!("{}1{}\n// kangaroo\n", "(\n".repeat(100_000), ")\n".repeat(100_000)));
    place.write("repo/deep.json", &"[\n".repeat(100_000));
    place.write("repo/windows.c", "/* Adds. */\r\nint add(int a,\r\n        int b)\r\n{\r\n  return a + b;\r\n}\r\n");
    std::fs::write(place.path("repo/latin.py"), b"# gr\xf6\xdfer\ndef groesser(a, b):\n    return a > b\n").unwrap();
    place.write("repo/broken.rs", "fn half( { let = ;;; struct }}} impl fn wombat() -> \n");
    place.write("repo/notes.unknown", "text");
    let long =
        format!("fn short() {{}}\n// {}\nfn wallaby() {{}}\n{}", "x".repeat(160_000), "fn more() {}\n".repeat(20_000));
    place.write("repo/long.rs", &long);
    let said = index(&place, &[]);
    assert!(!said.contains("crashed"), "{said}");
    let first = |question: &str| places(&search(&place, question, &[])).first().cloned().unwrap_or_default();
    assert_eq!(first("add"), "windows.c#L1-L6");
    assert_eq!(first("groesser"), "latin.py#L1-L3");
    assert_eq!(first("größer"), "latin.py#L1-L3");
    assert_eq!(first("wombat"), "broken.rs#L1");
    assert!(first("wallaby").starts_with("long.rs#"), "{}", first("wallaby"));
    assert_eq!(first("merge_cookies"), "src/session.py#L52-L54");
}

#[test]
fn a_project_names_the_folders_of_its_code() {
    let place = repository();
    place.write("repo/tools/release.sh", "release() {\n  echo platypus\n}\n");
    place.write("repo/src/README.md", "# Read me\n\nOf the platypus.\n");
    place.write(
        "nearfind.toml",
        "model = \"tiny\"\noutput = \"bundle\"\nquery_encoder = false\n[[project]]\npath = \"repo\"\ndocs = \"docs\"\ncode = \"src\"\n",
    );
    let updated = place.run(&["update"]);
    assert!(updated.status.success(), "{}", stderr(&updated));
    assert_eq!(places(&search(&place, "platypus", &[])), ["src/README.md#read-me"]);
    assert_eq!(places(&search(&place, "merge_cookies", &["--filter", "kind=code"])), ["src/session.py#L52-L54"]);
    // Nothing has changed, so nothing is written.
    let again = place.run(&["update"]);
    assert!(stdout(&again).contains("nothing has changed"), "{}", stdout(&again));
    place.write("nearfind.toml", "model = \"tiny\"\n[[project]]\npath = \"repo\"\ncode = \"source\"\n");
    let wrong = place.run(&["update"]);
    assert!(stderr(&wrong).contains("there is no folder \"source\""), "{}", stderr(&wrong));
}

fn run_json(place: &Workplace, arguments: &[&str]) -> Value {
    let output = place.run(arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn symbol(place: &Workplace, name: &str, want: &str) -> Value {
    run_json(place, &["symbol", "bundle", name, "--want", want, "--json"])
}

#[test]
fn a_symbol_has_its_definition_its_uses_and_what_it_calls() {
    let place = repository();
    place.write(
        "repo/src/client.py",
        "from session import Session, merge_cookies\n\n\ndef fetch(url):\n    \"\"\"Fetches it.\"\"\"\n    session = Session()\n    \
         return merge_cookies(session.send(url), {})\n",
    );
    index(&place, &[]);
    let found = symbol(&place, "merge_cookies", "definition");
    let first = &found["definitions"][0];
    assert_eq!(
        (&first["path"], &first["lines"], &first["kind"], &first["signature"]),
        (
            &"src/session.py".into(),
            &serde_json::json!([52, 54]),
            &"function".into(),
            &"def merge_cookies(old, new)".into()
        )
    );
    assert!(
        first["code"].as_str().unwrap().contains("return {**old, **new}"),
        "the only one comes with its code: {first}"
    );
    // Names are found with any separator, ignoring case.
    for name in ["Session.send", "session::Session::send", "Session#send()", "SESSION.SEND"] {
        let found = symbol(&place, name, "definition");
        assert_eq!(found["definitions"][0]["symbol"], "Session.send", "{name}");
    }
    let uses = symbol(&place, "merge_cookies", "references");
    let lines: Vec<(&str, &str, String)> = uses["uses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|used| (used["path"].as_str().unwrap(), used["symbol"].as_str().unwrap(), used["lines"].to_string()))
        .collect();
    assert_eq!(
        lines,
        [
            ("src/client.py", "", "[1]".to_owned()),
            ("src/client.py", "fetch", "[7]".to_owned()),
            ("tests/test_session.py", "", "[1]".to_owned()),
            ("tests/test_session.py", "test_merge_cookies", "[5,6]".to_owned()),
        ]
    );
    assert_eq!((&uses["total"], &uses["total_lines"]), (&4.into(), &5.into()));
    let callers = symbol(&place, "merge_cookies", "callers");
    assert_eq!((&callers["total"], &callers["uses"][0]["symbol"]), (&2.into(), &"fetch".into()), "{callers}");
    let callees = symbol(&place, "fetch", "callees");
    let names: Vec<&Value> = callees["symbols"].as_array().unwrap().iter().map(|symbol| &symbol["symbol"]).collect();
    assert_eq!(names, ["Session", "merge_cookies", "Session.send"]);
    let members = symbol(&place, "Session", "members");
    assert_eq!(members["symbols"][0]["symbol"], "Session.send");
    assert_eq!(members["definitions"][0]["comment"], "Keeps connections.");
    let unknown = place.run(&["symbol", "bundle", "merge_cookie"]);
    assert!(stderr(&unknown).contains("did you mean merge_cookies, test_merge_cookies?"), "{}", stderr(&unknown));
}

#[test]
fn outlines_have_symbols_of_files_and_the_most_used_ones_of_folders() {
    let place = repository();
    index(&place, &[]);
    let file = run_json(&place, &["outline", "bundle", "src/session.py", "--json"]);
    let names = |outline: &Value| -> Vec<(String, u64)> {
        let entries = outline["files"].as_array().unwrap().iter().flat_map(|file| file["entries"].as_array().unwrap());
        entries.map(|entry| (entry["name"].as_str().unwrap().to_owned(), entry["depth"].as_u64().unwrap())).collect()
    };
    let expected = [("Session", 0), ("send", 1), ("merge_cookies", 0)].map(|(name, depth)| (name.to_owned(), depth));
    assert_eq!(names(&file), expected);
    let all = run_json(&place, &["outline", "bundle", "--json", "-n", "2"]);
    assert_eq!((&all["total_files"], &all["is_cut"]), (&3.into(), &true.into()), "{all}");
    assert_eq!(names(&all).len(), 2, "{all}");
    let guide = run_json(&place, &["outline", "bundle", "docs/cookies.md", "--json"]);
    assert_eq!(names(&guide), [("Cookies".to_owned(), 0)]);
    let unknown = place.run(&["outline", "bundle", "src/sesion.py"]);
    assert!(stderr(&unknown).contains("did you mean src/session.py"), "{}", stderr(&unknown));
}

#[test]
fn matching_lines_have_their_symbol() {
    let place = repository();
    for trigrams in ["true", "false"] {
        index(&place, &["--trigrams", trigrams, "--full"]);
        let found = run_json(&place, &["grep", "bundle", r"deliver\(request, step=3\d\)", "--json", "-n", "2"]);
        assert_eq!((&found["lines"], &found["documents"]), (&10.into(), &1.into()), "trigrams {trigrams}: {found}");
        let line = &found["found"][0];
        assert_eq!(
            (&line["section"], &line["kind"], &line["line"]),
            (&"Session.send".into(), &"method".into(), &40.into())
        );
        assert!(line["url"].as_str().unwrap().ends_with("/src/session.py#L40"), "{line}");
        // Documents and source code are searched in the same way.
        let both = run_json(&place, &["grep", "bundle", "[Cc]ookies of", "--json"]);
        assert_eq!((&both["lines"], &both["documents"]), (&2.into(), &2.into()), "{both}");
    }
    let verified = place.run(&["verify", "bundle"]);
    assert!(verified.status.success(), "{}", stderr(&verified));
}
