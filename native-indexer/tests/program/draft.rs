//! The first run over many files. If it is killed, the finished part can be searched, and the next run does not repeat
//! it.
#![cfg(all(unix, feature = "full"))]

use crate::support::{Workplace, command_in, stderr};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Number of files. They have so many chunks that the run writes a draft first.
const FILES: usize = 420;
const FUNCTIONS: usize = 8;

fn repository() -> Workplace {
    let place = Workplace::new();
    for file in 0..FILES {
        let functions: String = (0..FUNCTIONS)
            .map(|function| {
                let lines: String = (0..26)
                    .map(|line| format!("    total = total * {line} + weigh_{file}(item, step={line}, scale=total)\n"))
                    .collect();
                format!("def measure_{file}_{function}(item, total):\n{lines}    return total\n\n\n")
            })
            .collect();
        place.write(&format!("repo/src/part_{file}.py"), &functions);
    }
    place
}

const INDEX: [&str; 11] = [
    "index",
    "repo",
    "--code",
    "-o",
    "bundle",
    "--model",
    "tiny",
    "--no-query-encoder",
    "--no-box",
    "--cache",
    "cache",
];

fn json(place: &Workplace, arguments: &[&str]) -> Value {
    let output = place.run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn finished_parts_are_searchable_after_a_kill_and_the_next_run_continues() {
    let place = repository();
    let mut run = command_in(place.folder(), &INDEX).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while !place.path("bundle/nearfind.json").exists() {
        assert!(started.elapsed() < Duration::from_mins(2), "no draft");
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let manifest: Value = serde_json::from_slice(&std::fs::read(place.path("bundle/nearfind.json")).unwrap()).unwrap();
    assert_eq!(manifest["model"]["module"], "table", "the model had not read everything");
    assert!(place.run(&["verify", "bundle"]).status.success());
    let found = json(&place, &["search", "bundle", "measure_17_3", "--json"]);
    assert_eq!(found["hits"][0]["title"], "measure_17_3");
    assert!(found["tier"].as_u64().unwrap() < 2, "the model encodes no question: {found}");
    assert!(found["notice"].as_str().unwrap().contains("until the model has read everything"), "{found}");
    let symbol = json(&place, &["symbol", "bundle", "measure_17_3", "--json"]);
    assert_eq!(symbol["definitions"][0]["path"], "src/part_17.py");
    assert_eq!(json(&place, &["grep", "bundle", r"weigh_17\(", "--json"])["documents"], 1);

    let goes_on = json(&place, &[&INDEX[..], &["--json"]].concat());
    assert!(goes_on["reason"].as_str().unwrap().starts_with("the last run stopped"), "{}", goes_on["reason"]);
    let project = &goes_on["written"]["projects"][0];
    assert!(project["chunks"].as_u64().unwrap() > 2_000, "{project}");
    let found = json(&place, &["search", "bundle", "measure_17_3", "--json"]);
    assert!(found["notice"].is_null(), "{found}");
    // Previous content is restored, as by switching branches, and not embedded again.
    let file = place.path("repo/src/part_17.py");
    let before = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, before.replace("measure_17_3", "measure_anew")).unwrap();
    let embedded = |outcome: &Value| outcome["written"]["projects"][0]["embedded"].as_u64().unwrap();
    let changed = json(&place, &[&INDEX[..], &["--json"]].concat());
    assert!((1..50).contains(&embedded(&changed)), "{}", embedded(&changed));
    std::fs::write(&file, before).unwrap();
    assert_eq!(embedded(&json(&place, &[&INDEX[..], &["--json"]].concat())), 0);
}

#[test]
fn a_quick_index_uses_vectors_of_words_until_the_model_has_read_it() {
    let place = Workplace::new();
    place.write("docs/threads.md", "# Threads\n\nThreads share memory behind a lock.\n");
    place.write("docs/code.md", "# Unsafe code\n\nUnsafe code promises what the compiler cannot check.\n");
    let index = ["index", "docs", "-o", "bundle", "--model", "tiny", "--no-box", "--cache", "cache", "--json"];
    let quick = [&index[..], &["--quick"]].concat();
    let module = || -> Value {
        let manifest = std::fs::read(place.path("bundle/nearfind.json")).unwrap();
        serde_json::from_slice::<Value>(&manifest).unwrap()["model"]["module"].take()
    };
    let made = json(&place, &quick);
    assert_eq!((&made["written"]["projects"][0]["embedded"], module()), (&0.into(), "table".into()));
    assert!(place.run(&["verify", "bundle"]).status.success());
    let found = json(&place, &["search", "bundle", "unsafe", "--json"]);
    assert_eq!(found["hits"][0]["title"], "Unsafe code", "the one page with the word");
    let meant = json(&place, &["search", "bundle", "threads", "--mode", "meaning", "--json"]);
    assert_eq!(meant["hits"][0]["title"], "Threads", "its vector is the nearest to that of its own title");
    assert!(json(&place, &quick)["written"].is_null(), "nothing has changed");
    place.write("docs/code.md", "# Unsafe code\n\nUnsafe blocks promise what the compiler cannot check.\n");
    assert_eq!(json(&place, &quick)["reason"], "documents have changed");

    let whole = json(&place, &index);
    assert_eq!(whole["reason"], "the model has not read it yet");
    assert_ne!(module(), "table");
    assert!(json(&place, &index)["written"].is_null(), "nothing has changed");
}

#[test]
fn a_tree_that_changes_while_it_is_read_yields_a_valid_bundle() {
    let place = repository();
    let mut run = command_in(place.folder(), &INDEX).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut round = 0;
    let status = loop {
        if let Some(status) = run.try_wait().unwrap() {
            break status;
        }
        place.write(&format!("repo/src/part_{}.py", round % 100), &format!("def in_round_{round}():\n    return 1\n"));
        // Some files are listed, but removed before they are read.
        let _ = std::fs::remove_file(place.path(&format!("repo/src/part_{}.py", 100 + round)));
        round = (round + 1) % 300;
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(status.success());
    assert!(place.run(&["verify", "bundle"]).status.success());
    place.write("repo/src/part_0.py", "def at_last():\n    return 1\n");
    json(&place, &[&INDEX[..], &["--json"]].concat());
    let symbol = json(&place, &["symbol", "bundle", "at_last", "--json"]);
    assert_eq!(symbol["definitions"][0]["path"], "src/part_0.py");
    let lines = json(&place, &["grep", "bundle", r"def in_round_\d+", "--json"]);
    assert!(lines["stale"].is_null(), "{lines}");
}
