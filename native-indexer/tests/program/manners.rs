//! Tests how the program interacts with pipes, shells and scripts.

use crate::support::{Site, Workplace, command_in, nearfind, stderr, stdout};
use std::process::Stdio;

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_an_error() {
    let (site, place) = (Site::indexed(), Workplace::new());
    let bundle = site.bundle();
    for arguments in [
        &["search", &bundle, "threads", "--mode", "words"][..],
        &["search", &bundle, "threads", "--mode", "words", "--json"],
        &["show", &bundle, "channels.md"],
        &["inspect", &bundle],
        &["export", &bundle],
        &["model", "list"],
    ] {
        let mut child = command_in(place.folder(), arguments).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert_eq!(stderr(&ended), "", "{arguments:?}");
    }
}

#[test]
fn completions_and_manuals_contain_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let completions = nearfind(&["completions", shell]);
        assert!(completions.status.success() && stdout(&completions).contains("verify"), "{shell}");
    }
    let manual = nearfind(&["man"]);
    assert!(stdout(&manual).contains(".TH nearfind"), "{}", stdout(&manual));
}

#[test]
fn the_summary_is_json_for_scripts_and_empty_with_quiet() {
    let site = Site::with_docs();
    let indexed = site.index(&["--json"]);
    let outcome: serde_json::Value = serde_json::from_str(&stdout(&indexed)).unwrap();
    assert_eq!(outcome["written"]["projects"][0]["documents"], 3);
    let again = site.index(&["-q"]);
    assert_eq!((stdout(&again), stderr(&again)), (String::new(), String::new()));
}

#[test]
fn ignored_files_and_empty_results_are_reported() {
    let site = Site::with_docs();
    site.write("404.html", "<!doctype html><main>Nothing</main>");
    let indexed = stdout(&site.index(&[]));
    assert!(indexed.contains("not indexed: error pages (1)"), "{indexed}");
    let excluded = stdout(&site.index(&["--exclude", "guide/**"]));
    assert!(excluded.contains("left out by the configuration (2)"), "{excluded}");
    let refused = stderr(&site.index(&["--include", "404.html"]));
    assert!(refused.contains("there is nothing to index") && refused.contains("error pages (1)"), "{refused}");
    let empty = stderr(&site.index(&["--include", "nothing/**"]));
    assert!(
        empty.contains("there is nothing to index") && empty.contains("left out by the configuration (4)"),
        "{empty}"
    );
}

#[test]
fn an_unwritable_cache_does_not_stop_the_run() {
    let site = Site::with_docs();
    site.write("file", "no folder");
    let indexed = site.index(&["--cache", &site.path("docs/file")]);
    assert!(indexed.status.success(), "{}", stderr(&indexed));
    assert!(stderr(&indexed).contains("nothing is kept for the next run"), "{}", stderr(&indexed));
}

#[test]
fn other_folders_in_the_output_are_kept() {
    let site = Workplace::new();
    site.write("docs/a.md", "# A\n\nText.\n");
    let folders = [".nearfind-tmp-x", ".nearfind-build.json", "words-0123456789abcdef.nf"];
    for round in 0..2 {
        // The environment names a cache, but the option takes precedence.
        let indexed = site.run(&["index", "docs", "-o", "search", "--model", "tiny", "--no-cache"]);
        assert!(indexed.status.success(), "{}", stderr(&indexed));
        for folder in folders {
            let path = site.path("search").join(folder);
            assert_eq!(path.is_dir(), round > 0, "{folder}");
            std::fs::create_dir_all(path).unwrap();
        }
        site.write("docs/a.md", "# A\n\nOther text.\n");
    }
}

#[cfg(unix)]
#[test]
fn control_sequences_in_documents_do_not_reach_the_terminal() {
    // Clears the screen, sets a title, reverses the order of letters.
    const STEERING: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{2066}";
    let place = Workplace::new();
    let name = format!("page{STEERING}.md");
    place.write(
        &format!("docs/{name}"),
        &format!("# Title {STEERING}\n\nThreads {STEERING} and locks.\n\n```\na{STEERING}\n```\n"),
    );
    std::fs::write(place.path("docs").join(format!("bad{STEERING}.md")), [b'a', 0]).unwrap();
    place.write("docs/code.rs", &format!("/// Threads {STEERING}\nfn threads() {{ let a = \"{STEERING}\"; }}\n"));
    let docs = format!("docs={}", place.path("docs").display());
    let indexed = place.run(&["index", &docs, "-o", "search", "--model", "tiny", "--code"]);
    assert!(indexed.status.success(), "{}", stderr(&indexed));
    let said = stderr(&indexed);
    assert!(said.contains("bad[2J") && said.contains("<U+202E>"), "{said}");
    let document = format!("docs/{name}");
    for arguments in [
        &["search", "search", "threads", "--mode", "words", "--explain"][..],
        &["search", "search", "threads", "--mode", "words", "--json"],
        &["show", "search", &document],
        &["show", "search", &document, "--json"],
        &["show", "search", &format!("docs/missing{STEERING}")],
        &["grep", "search", "Threads"],
        &["grep", "search", "Threads", "--json"],
        &["symbol", "search", "threads"],
        &["outline", "search", "docs/code.rs"],
        &["inspect", "search"],
        &["export", "search"],
        &["verify", "search"],
    ] {
        let run = place.run(arguments);
        let printed = stdout(&run) + &stderr(&run);
        // One of the commands requests a missing document.
        let is_missing = arguments.iter().any(|argument| argument.contains("missing"));
        assert_eq!(run.status.success(), !is_missing, "{arguments:?}: {printed}");
        assert!(!printed.is_empty(), "{arguments:?}");
        let steering = printed.chars().find(|c| {
            (c.is_control() && !matches!(c, '\n' | '\t'))
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        });
        assert_eq!(steering, None, "{arguments:?}: {printed:?}");
    }
}
