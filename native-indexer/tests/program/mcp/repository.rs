//! Starts the server in a repository without an index. The server makes an index, and keeps it up to date.
#![cfg(feature = "full")]

use super::client::Client;
use crate::support::{Workplace, command_in, stderr, stdout};
use serde_json::json;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

const DEFAULT_MODEL: &str = "all-MiniLM-L6-v2";

/// Creates a repository without an index, and a model with the name of the default model.
fn repository() -> Workplace {
    let place = Workplace::new();
    let packs = std::fs::read_dir(place.path("models")).unwrap().map(|entry| entry.unwrap().path());
    for pack in packs.filter(|pack| pack.extension().is_some_and(|extension| extension == "nfm")) {
        let name = pack.file_name().unwrap().to_string_lossy().replacen("tiny", DEFAULT_MODEL, 1);
        std::fs::copy(&pack, place.path("models").join(&name)).unwrap();
    }
    std::fs::create_dir_all(place.path("repo/.git")).unwrap();
    place.write("repo/docs/guide.md", "# Queues\n\nItems are pushed behind all others.\n");
    place.write("repo/src/push.py", "def push(items, item):\n    items.append(item)  # behind all others\n");
    place
}

/// Returns the command for a server, as an agent starts it in `folder`.
fn server(place: &Workplace, folder: &str, arguments: &[&str]) -> Command {
    let mut command = command_in(place.folder(), &["mcp", "--structured"]);
    command.args(arguments).current_dir(place.path(folder)).stdin(Stdio::piped());
    command
}

fn client(place: &Workplace, folder: &str, arguments: &[&str]) -> Client {
    let mut client = Client::of(server(place, folder, arguments));
    client.initialize("2025-11-25");
    client.notify("notifications/initialized", json!({}));
    client
}

/// Searches until `pattern` is on this many lines, because an edit is only found after a moment.
fn wait_for(client: &mut Client, pattern: &str, lines: u64) {
    let begun = Instant::now();
    loop {
        let found = client.call("grep", json!({ "pattern": pattern })).unwrap();
        if found["total_lines"] == lines {
            return;
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "{pattern}: {found}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_first_question_finds_docs_and_code_and_edits_are_found_after_it() {
    let place = repository();
    // The server may be started in any folder of the repository.
    let mut client = client(&place, "repo/src", &[]);
    let found = client.call("search", json!({ "query": "behind all others", "mode": "words" })).unwrap();
    let ids = super::client::documents(&found);
    assert!(ids.contains(&"docs/guide.md") && ids.contains(&"src/push.py#push"), "{ids:?}");
    let symbol = client.call("symbol", json!({ "name": "push" })).unwrap();
    assert_eq!(symbol["definitions"][0]["document"], "src/push.py", "{symbol}");
    // Nothing is written into the repository.
    assert!(!place.path("repo/search").exists() && place.path("cache/indexes").exists());

    place.write("repo/src/pull.py", "def pull(items):\n    return items.pop(0)  # a wombat\n");
    wait_for(&mut client, "a wombat", 1);
    std::fs::remove_file(place.path("repo/src/pull.py")).unwrap();
    wait_for(&mut client, "a wombat", 0);
    let status = client.call("index_status", json!({})).unwrap();
    assert!(status["freshness"].as_str().unwrap().contains("watching"), "{status}");

    // A second server answers from the same index, and the first one still keeps it up to date.
    let mut second = self::client(&place, "repo", &[]);
    wait_for(&mut second, "behind all others", 2);
    place.write("repo/docs/new.md", "# New\n\nA quokka.\n");
    wait_for(&mut second, "quokka", 1);
    let (_, ended) = client.finish();
    assert!(ended.success());
    // Once the first server has ended, the second one keeps it up to date.
    place.write("repo/docs/newer.md", "# Newer\n\nAn echidna.\n");
    wait_for(&mut second, "echidna", 1);
    assert!(second.finish().1.success());

    // A server that only reads an index notes that it is in use.
    let index = std::fs::read_dir(place.path("cache/indexes")).unwrap().next().unwrap().unwrap().path();
    let long_ago = SystemTime::now() - Duration::from_hours(24 * 100);
    let noted = std::fs::File::options().write(true).open(index.join("folder")).unwrap();
    noted.set_modified(long_ago).unwrap();
    let mut reader = self::client(&place, "repo", &["--no-watch"]);
    wait_for(&mut reader, "echidna", 1);
    assert!(noted.metadata().unwrap().modified().unwrap() > long_ago + Duration::from_hours(24));
}

#[test]
fn a_call_can_name_another_repository_below_an_allowed_folder() {
    let place = repository();
    std::fs::create_dir_all(place.path("others/pulls/.git")).unwrap();
    place.write("others/pulls/src/pull.py", "def pull(items):\n    return items.pop(0)\n");
    place.write("outside/.git/HEAD", "");
    place.write("outside/secret.md", "# Secret\n\nA wombat.\n");
    let root = place.path("others");
    let mut client = client(&place, "repo", &["--allow-root", root.to_str().unwrap()]);
    let listed = client.request("tools/list", json!({}));
    let search = &listed["result"]["tools"][0];
    assert!(search["inputSchema"]["properties"]["repository"].is_object(), "{search}");
    // By its path or its name, and with a path inside it.
    for named in [root.join("pulls"), "pulls".into(), "pulls/src".into()] {
        let found = client.call("symbol", json!({ "name": "pull", "repository": named })).unwrap();
        assert_eq!(found["definitions"][0]["document"], "src/pull.py", "{named:?}: {found}");
    }
    let own = client.call("search", json!({ "query": "behind all others", "mode": "words" })).unwrap();
    assert!(super::client::documents(&own).contains(&"src/push.py#push"), "{own}");
    // The other repository is watched as well.
    place.write("others/pulls/src/new.py", "echidna = 1\n");
    let begun = Instant::now();
    while client.call("grep", json!({ "pattern": "echidna", "repository": "pulls" })).unwrap()["total_lines"] != 1 {
        assert!(begun.elapsed() < Duration::from_mins(1));
    }
    // Its own name and folder mean the repository of the server.
    for named in [place.path("repo"), "repo".into(), "".into()] {
        let own = client.call("symbol", json!({ "name": "push", "repository": named })).unwrap();
        assert_eq!(own["definitions"][0]["document"], "src/push.py", "{named:?}: {own}");
    }
    place.write("others/plain/a.md", "# A folder without a repository\n");
    let mut refused = vec![place.path("outside"), "../outside".into(), "missing".into(), root.join("../outside")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.path("outside"), place.path("others/link")).unwrap();
        refused.push("link".into());
    }
    for named in refused {
        let error = client.call("search", json!({ "query": "wombat", "repository": named })).unwrap_err();
        assert!(error.contains("does not name a folder below those that --allow-root allows"), "{named:?}: {error}");
    }
    let plain = client.call("search", json!({ "query": "wombat", "repository": "plain" })).unwrap_err();
    assert!(plain.contains("is not in a git repository"), "{plain}");
    assert!(client.finish().1.success());
    // Without the option, the argument names a project of the index.
    let mut plain = self::client(&place, "repo", &[]);
    let error = plain.call("search", json!({ "query": "wombat", "repository": place.path("outside") })).unwrap_err();
    assert!(error.contains("there is no project"), "{error}");
}

#[test]
fn clients_that_start_servers_elsewhere_are_told_the_folder() {
    let place = repository();
    let printed = |client: &str| {
        let mut command = command_in(place.folder(), &["mcp", "--print-config", client]);
        stdout(&command.current_dir(place.path("repo/src")).output().unwrap())
    };
    let desktop = printed("claude-desktop");
    assert!(desktop.contains("\"--folder\"") && desktop.contains("/repo\""), "{desktop}");
    assert!(!printed("claude-code").contains("--folder"));
}

#[test]
fn a_call_can_name_a_git_repository_by_its_address() {
    let place = repository();
    place.write("git/pulls/src/pull.py", "def pull(items):\n    return items.pop(0)\n");
    let git = |arguments: &[&str]| {
        let ran = Command::new("git").arg("-C").arg(place.path("git/pulls")).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first"]);
    let base = format!("file://{}/", place.path("git").display());
    let mut client = client(&place, "repo", &["--allow-git", &base]);
    let address = format!("{base}pulls");
    let found = client.call("symbol", json!({ "name": "pull", "repository": address })).unwrap();
    assert_eq!(found["definitions"][0]["document"], "src/pull.py", "{found}");
    let other = format!("file://{}/repo", place.path("").display());
    let refused = client.call("symbol", json!({ "name": "pull", "repository": other })).unwrap_err();
    assert_eq!(refused, "`repository` is not an address that --allow-git allows");
    let missing = client.call("symbol", json!({ "name": "pull", "repository": format!("{base}none") })).unwrap_err();
    assert!(missing.contains("there is no repository at this address"), "{missing}");
    assert!(client.finish().1.success());
    let command = place.run(&["mcp", "--allow-git", "ext::sh -c true"]);
    assert!(stderr(&command).contains("is not an address"), "{}", stderr(&command));
}

#[test]
fn a_configuration_at_the_top_of_the_repository_is_obeyed() {
    let place = repository();
    place.write(
        "repo/nearfind.toml",
        "model = \"tiny\"\nquery_encoder = false\n[[project]]\nname = \"all\"\npath = \".\"\ndocs = \"docs\"\n",
    );
    let mut client = client(&place, "repo/src", &[]);
    let found = client.call("search", json!({ "query": "behind all others", "mode": "words" })).unwrap();
    assert_eq!(super::client::documents(&found), ["docs/guide.md"]);
    assert!(place.path("repo/search/nearfind.json").exists());
}

#[test]
fn a_configuration_in_a_folder_that_all_share_is_not_obeyed() {
    let place = repository();
    place.write("nearfind.toml", "model = \"tiny\"\n[[project]]\nname = \"all\"\npath = \"repo\"\n");
    std::fs::create_dir_all(place.path(".git")).unwrap();
    std::fs::create_dir_all(place.path("own")).unwrap();
    let printed = |temporary: &str| {
        let mut command = server(&place, "own", &["--print-config", "codex"]);
        let temporary = place.path(temporary);
        let output = command.env("TMPDIR", &temporary).env("TMP", &temporary).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    assert!(printed("repo").contains("--bundle"));
    assert!(!printed("").contains("--bundle"));
}

#[test]
fn folders_that_are_no_project_are_refused_and_large_ones_say_so() {
    let place = repository();
    let refused = server(&place, "repo", &["--folder", "/"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("this is not a project"), "{}", stderr(&refused));
    let limited = ["index", "repo", "-o", "bundle", "--code", "--watch", "--for-server", "--max-files", "1"];
    let mut keeper = command_in(place.folder(), &limited);
    let mut keeper = keeper.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut said = std::io::BufRead::lines(std::io::BufReader::new(keeper.stdout.take().unwrap()));
    let failed = said.find(|line| line.as_ref().unwrap().contains("failed")).unwrap().unwrap();
    assert!(failed.contains("2 files") && failed.contains("write a nearfind.toml"), "{failed}");
    // The process ends with the server that started it.
    drop(keeper.stdin.take());
    assert!(keeper.wait().unwrap().success());
}

#[test]
fn what_a_process_left_for_the_model_is_read_in_the_next_one() {
    let place = repository();
    let keep = ["index", "repo", "-o", "bundle", "--code", "--model", "tiny", "--watch", "--for-server"];
    let keeper = || {
        let mut keeper = command_in(place.folder(), &keep);
        let mut keeper = keeper.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let told = std::io::BufRead::lines(std::io::BufReader::new(keeper.stdout.take().unwrap()));
        let mut told = told.map(Result::unwrap).filter(|state| state == "\"words\"" || state == "\"whole\"");
        (keeper, move || told.next().unwrap())
    };
    let (mut first, mut state) = keeper();
    assert_eq!(state(), "\"whole\"");
    // Words are indexed at once, but the process ends before the model has read the change.
    place.write("repo/docs/new.md", "# New\n\nA quokka.\n");
    state();
    drop(first.stdin.take());
    assert!(first.wait().unwrap().success());
    let (mut second, mut state) = keeper();
    assert_eq!([state(), state()], ["\"words\"", "\"whole\""]);
    drop(second.stdin.take());
    assert!(second.wait().unwrap().success());
}
