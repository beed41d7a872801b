//! Indexes the history of a repository. Commits answer questions that ask for history, and do not affect other answers.
#![cfg(all(unix, feature = "full"))]

use crate::support::{Workplace, stderr, stdout};
use serde_json::Value;
use std::process::Command;

const SESSION: &str =
    "class Session:\n    def send(self, request):\n        return self.transport.deliver(request, timeout=30)\n";
const GUIDE: &str = "# Timeouts\n\nA session waits for the transport, and gives up after its timeout.\n";

fn commit(place: &Workplace, day: u32, message: &str) -> String {
    let git = |arguments: &[&str]| {
        let date = format!("2024-05-{day:02}T12:00:00 +0000");
        let mut command = Command::new("git");
        command.args([
            "-c",
            "user.name=Ann Author",
            "-c",
            "user.email=ann@example.org",
            "-c",
            "init.defaultBranch=main",
        ]);
        command.args(["-c", "commit.gpgsign=false"]).env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        let output = command.args(arguments).current_dir(place.path("repo")).output().expect("git is installed");
        assert!(output.status.success(), "git {arguments:?}: {}", stderr(&output));
        stdout(&output).trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", message]);
    git(&["rev-parse", "HEAD"])
}

/// Creates a repository. Its second commit makes the timeout of sessions longer, and its hash is returned.
fn repository() -> (Workplace, String) {
    let place = Workplace::new();
    place.write("repo/docs/timeouts.md", GUIDE);
    place.write("repo/src/session.py", &SESSION.replace("30", "5"));
    commit(&place, 1, "Start");
    place.write("repo/src/session.py", SESSION);
    let longer = commit(&place, 2, "Wait half a minute\n\nThe timeout of the transport was too short for slow links.");
    (place, longer)
}

fn index(place: &Workplace) -> Value {
    let arguments =
        ["index", "repo", "--code", "--history", "20", "-o", "bundle", "--model", "tiny", "--no-box", "--json"];
    let output = place.run(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn found(place: &Workplace, question: &str, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["search", "bundle", question, "--json", "--mode", "words"];
    all.extend(arguments);
    let output = place.run(&all);
    assert!(output.status.success(), "{}", stderr(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    // No document contains the words that ask for history, so the hits may only be listed as the nearest ones.
    let hits = ["hits", "nearest"].into_iter().filter_map(|name| answer[name].as_array()).flatten();
    hits.map(|hit| hit["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn commits_answer_where_history_is_asked_for() {
    let (place, longer) = repository();
    index(&place);
    let path = format!("history/2024-05-02 {}", &longer[..8]);
    let about_now = found(&place, "timeout of the transport", &[]);
    assert!(["docs/timeouts.md", "src/session.py"].contains(&about_now[0].as_str()), "{about_now:?}");
    assert_eq!(found(&place, "which commit changed the timeout of the transport", &[])[0], path);
    let both = found(&place, "when was the timeout of the transport changed", &[]);
    assert!(both[0] == path && both.iter().any(|path| path == "docs/timeouts.md"), "{both:?}");
    let history = found(&place, "timeout of the transport", &["--filter", "kind=history"]);
    assert!(history.iter().all(|path| path.starts_with("history/")), "{history:?}");
    let output = stdout(&place.run(&["search", "bundle", "which commit changed the timeout"]));
    let line = format!("2024-05-02, commit {} by Ann Author, 1 file: src/session.py", &longer[..8]);
    assert!(output.contains(&line), "{output}");
    // Removed lines are only searched if a path selects the history.
    let lines = |arguments: &[&str]| stdout(&place.run(&[&["grep", "bundle", "-F", "timeout=5"], arguments].concat()));
    assert!(!lines(&[]).contains("history/"), "{}", lines(&[]));
    assert!(lines(&["--path", "^history/"]).contains("timeout=5"), "{}", lines(&["--path", "^history/"]));
    let outline = stdout(&place.run(&["outline", "bundle"]));
    assert!(outline.contains("src/session.py") && !outline.contains("history/"), "{outline}");
}

#[test]
fn a_new_commit_alone_is_read_and_nothing_twice() {
    let (place, _) = repository();
    index(&place);
    assert_eq!(index(&place)["written"], Value::Null);
    place.write("repo/docs/timeouts.md", &format!("{GUIDE}\nIt is 30 seconds.\n"));
    let third = commit(&place, 3, "Say how long a session waits");
    let run = index(&place);
    let added = format!("history/2024-05-03 {}", &third[..8]);
    assert_eq!(run["changes"][0]["added"], serde_json::json!([added]), "{run}");
    let project = &run["written"]["projects"][0];
    assert!(project["embedded"].as_u64().unwrap() <= 4, "{run}");
    assert_eq!(project["warnings"], serde_json::json!([]), "{run}");
}

#[test]
fn blame_names_the_commit_that_changed_a_definition_last() {
    let (place, longer) = repository();
    index(&place);
    let change = format!("2024-05-02 {} by Ann Author: Wait half a minute", &longer[..8]);
    for arguments in [["symbol", "bundle", "send", "--blame"], ["outline", "bundle", "src/session.py", "--blame"]] {
        let output = stdout(&place.run(&arguments));
        assert!(output.contains(&change), "{output}");
    }
    // The changes of symbols in several files are looked up together.
    place.write("repo/src/queue.py", "def push(item):\n    items.append(item)\n");
    let added = commit(&place, 3, "Add a queue");
    index(&place);
    let output = stdout(&place.run(&["outline", "bundle", "src", "--blame"]));
    let added = format!("2024-05-03 {} by Ann Author: Add a queue", &added[..8]);
    assert!(output.contains(&change) && output.contains(&added), "{output}");
    place.write("repo/src/session.py", &SESSION.replace("30", "60"));
    let output = stdout(&place.run(&["symbol", "bundle", "send", "--blame"]));
    assert!(output.contains("the file has changed since it was indexed"), "{output}");
}

#[test]
fn a_folder_without_a_repository_is_indexed_and_says_so() {
    let place = Workplace::new();
    place.write("repo/docs/timeouts.md", GUIDE);
    let run = index(&place);
    let warnings = run["written"]["projects"][0]["warnings"].to_string();
    assert!(warnings.contains("its history is left out, the folder is in no git repository"), "{warnings}");
}
