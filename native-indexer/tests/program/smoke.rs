//! Every command has a help text, and the server starts.

use crate::support::{Workplace, command_in, nearfind, stderr, stdout};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};

/// Returns the names in the list of commands of a help text.
fn commands(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let first = |line: &str| line.strip_prefix("  ")?.split_whitespace().next().map(str::to_owned);
    // Continued descriptions are indented deeper.
    list.filter(|line| !line.starts_with("    ")).filter_map(first).filter(|name| name != "help").collect()
}

fn help_of(command: &[&str]) -> String {
    let output = nearfind(&[command, &["--help"]].concat());
    assert!(output.status.success() && stderr(&output).is_empty(), "{command:?}: {}", stderr(&output));
    stdout(&output)
}

#[test]
fn every_command_has_a_help_text() {
    let all = commands(&help_of(&[]));
    assert!(all.len() >= 14 && all.iter().any(|name| name == "mcp"), "{all:?}");
    for command in &all {
        let help = help_of(&[command]);
        assert!(help.contains("Usage:"), "{command}: {help}");
        for nested in commands(&help) {
            assert!(help_of(&[command, &nested]).contains("Usage:"), "{command} {nested}");
        }
    }
}

#[test]
fn the_server_starts_and_lists_its_tools() {
    let place = Workplace::new();
    place.write("docs/a.md", "# Threads\n\nUnsafe code of threads.\n");
    let indexed = place.run(&["index", "docs", "-o", "search", "--model", "tiny", "-q"]);
    assert!(indexed.status.success(), "{}", stderr(&indexed));
    let mut command = command_in(place.folder(), &["mcp", "--bundle", "search"]);
    let mut server = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut ask = |id: u32, method: &str, params: Value| -> Value {
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).unwrap();
        serde_json::from_str(&output.next().unwrap().unwrap()).unwrap()
    };
    let client = json!({ "name": "smoke", "version": "0" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    assert_eq!(ask(1, "initialize", hello)["result"]["serverInfo"]["name"], "nearfind");
    let tools = ask(2, "tools/list", json!({}));
    assert!(tools["result"]["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "search"), "{tools}");
    drop(input);
    assert!(server.wait().unwrap().success());
}

#[test]
fn several_bundles_and_documents_are_read_by_every_command() {
    let place = Workplace::new();
    place.write("one/a.md", "# Threads\n\nUnsafe code of threads.\n");
    place.write("two/b.md", "# Code\n\nMore unsafe code.\n");
    for site in ["one", "two"] {
        let indexed = place.run(&["index", site, "-o", &format!("search-{site}"), "--model", "tiny", "-q"]);
        assert!(indexed.status.success(), "{}", stderr(&indexed));
    }
    let answer =
        place.run(&["search", "search-one", "unsafe code", "--and", "search-two", "--mode", "words", "--json"]);
    let answer: Value = serde_json::from_str(&stdout(&answer)).unwrap();
    let mut found: Vec<&str> =
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["document"].as_str().unwrap()).collect();
    found.sort_unstable();
    assert_eq!(found, ["one/a.md", "two/b.md"]);
    let shown = place.run(&["show", "search-two", "b"]);
    assert!(stdout(&shown).starts_with("Code\ntwo/b.md\n"), "{}{}", stdout(&shown), stderr(&shown));
    let exported = place.run(&["export", "search-one"]);
    assert_eq!(serde_json::from_str::<Value>(&stdout(&exported)).unwrap()["document"], "one/a.md");
    let at = ["--at", "https://x.org/docs/search-one/"];
    let listed = place.run(&[&["export", "search-one", "--format", "llms", "--title", "One"], &at[..]].concat());
    assert_eq!(
        stdout(&listed),
        "# One\n\n## one\n\n- [Threads](https://x.org/a.md): Unsafe code of threads.\n",
        "{}",
        stderr(&listed)
    );
    let full = place.run(&[&["export", "search-one", "--format", "llms-full"], &at[..]].concat());
    let text = "# Documentation\n\n# Threads\n\nSource: https://x.org/a.md\n\n# Threads\n\nUnsafe code of threads.\n";
    assert_eq!(stdout(&full), text);
    let refused = place.run(&["search", "search-one", "code", "--filter", "colour=red"]);
    assert!(stderr(&refused).contains("there is no filter `colour`"), "{}", stderr(&refused));
    let refused = place.run(&["search", "search-one", "code", "--project", "three"]);
    assert!(stderr(&refused).contains("use one of one"), "{}", stderr(&refused));
}

#[test]
fn pages_are_exported_as_markdown_without_replacing_other_files() {
    let place = Workplace::new();
    let page = |title: &str, text: &str| {
        format!("<html><title>{title}</title><main><h1>{title}</h1><p>{text}</p></main></html>")
    };
    place.write("site/index.html", &page("Start", "Where everything begins."));
    place.write("site/guide/index.html", &page("Guide", "How it goes on."));
    place.write("site/guide/threads.html", &page("Threads", "Unsafe <b>code</b> of threads."));
    place.write("site/about.html", &page("About", "Who wrote this."));
    let indexed = place.run(&["index", "site", "-o", "site/search", "--model", "tiny", "-q"]);
    assert!(indexed.status.success(), "{}", stderr(&indexed));
    place.write("site/about.md", "Mine.\n");
    let export = ["export", "site/search", "--pages", "site", "--at", "https://x.org/docs/search/", "--title", "Docs"];
    for _ in 0..2 {
        // The second run replaces only the output of the first.
        let exported = place.run(&export);
        assert!(exported.status.success(), "{}", stderr(&exported));
        assert!(stderr(&exported).contains("about.md already exists"), "{}", stderr(&exported));
        let read = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
        let mark = "\n<!-- Written by nearfind export -->\n";
        assert_eq!(read("site/guide/threads.md"), format!("# Threads\n\nUnsafe code of threads.\n{mark}"));
        assert_eq!(read("site/about.md"), "Mine.\n");
        let list = read("site/llms.txt");
        let (top, guide) = list.split_once("\n## Guide\n").unwrap();
        assert!(top.starts_with("# Docs\n\n- [About](https://x.org/docs/about.md)"), "{list}");
        assert!(guide.contains("- [Threads](https://x.org/docs/guide/threads.md)"), "{list}");
        assert!(read("site/llms-full.txt").contains("# Guide\n\nHow it goes on.\n\nSource: https://x.org/docs/guide/"));
    }
    // The exported Markdown is not indexed.
    let again = place.run(&["index", "site", "-o", "site/search", "--model", "tiny", "--json"]);
    let documents = &serde_json::from_str::<Value>(&stdout(&again)).unwrap()["written"];
    assert!(documents.is_null() || documents["projects"][0]["documents"] == 4, "{documents}");
    let refused = place.run(&["export", "site/search", "--pages", "nowhere"]);
    assert!(stderr(&refused).contains("pass the folder of the indexed site"), "{}", stderr(&refused));
}

#[test]
fn a_report_lists_what_the_owner_of_a_site_can_fix() {
    let place = Workplace::new();
    let page =
        |title: &str, body: &str| format!("<html><title>{title}</title><main><h1>{title}</h1>{body}</main></html>");
    place.write(
        "site/threads.html",
        &page("Threads", "<h2 id=spawn>Spawn a thread</h2><p>Threads are spawned.</p><a href='locks.html#gone'>x</a>"),
    );
    place
        .write("site/locks.html", &page("Locks", "<h2 id=mutex>Mutex and lock</h2><p>Locks are taken by threads.</p>"));
    place.write("site/more.html", &page("Locks", "<p>Of &lt;script&gt; and other locks.</p>"));
    let indexed = place.run(&["index", "site", "-o", "search", "--model", "tiny", "-q"]);
    assert!(indexed.status.success(), "{}", stderr(&indexed));
    place.write("asked.jsonl", "{\"query\":\"Spawn a thread\"}\nspawn a thread\ncarburettor gasket\n\n???\n");
    let options = ["--site", "site", "--questions", "asked.jsonl", "--html", "report.html", "--json", "--tier", "1"];
    let reported = place.run(&[&["report", "search"], &options[..]].concat());
    assert!(reported.status.success(), "{}", stderr(&reported));
    let report: Value = serde_json::from_str(&stdout(&reported)).unwrap();
    assert_eq!(report["pages"], 3);
    assert_eq!(
        report["dead_links"],
        json!([{ "to": "locks.html#gone", "has_page": true, "links": 1, "from": "threads.html" }])
    );
    assert_eq!(
        report["same_titles"],
        json!([{ "title": "Locks", "documents": ["site/locks.html", "site/more.html"] }])
    );
    let questions = report["questions"].as_array().unwrap();
    let told: Vec<_> = questions
        .iter()
        .map(|asked| (asked["question"].as_str().unwrap(), asked["times"].as_u64(), asked["first"]["title"].as_str()))
        .collect();
    assert_eq!(
        told,
        [("???", Some(1), None), ("carburettor gasket", Some(1), None), ("spawn a thread", Some(2), Some("Threads"))]
    );
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(page.contains("<td>carburettor gasket</td><td>no page</td>"), "{page}");
    let refused = place.run(&["report", "search", "--questions", "nowhere.txt"]);
    assert!(stderr(&refused).contains("nowhere.txt"), "{}", stderr(&refused));
}
