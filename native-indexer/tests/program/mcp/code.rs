//! Searches source code and documentation together, as agents do.

use super::client::{Client, documents, update};
use crate::support::Workplace;
use serde_json::{Value, json};

const QUEUE: &str = "package queue\n\n// Push adds an item behind all others.\nfunc (q *Queue) Push(item int) {\n\tq.items = append(q.items, item)\n}\n";

fn site() -> Workplace {
    let place = Workplace::new();
    place.write("queue/docs/guide.md", "# Queues\n\nItems are pushed behind all others.\n");
    place.write("queue/src/queue.go", QUEUE);
    place.write(
        "queue/src/queue_test.go",
        "package queue\n\nfunc TestPush(t *testing.T) {\n\tq.Push(1) // behind all others\n}\n",
    );
    place.write("queue/src/push.py", "def push(items, item):\n    items.append(item)  # behind all others\n");
    place.write(
        "nearfind.toml",
        "model = \"tiny\"\nquery_encoder = false\n[[project]]\npath = \"queue\"\ndocs = \"docs\"\ncode = \".\"\n",
    );
    update(&place);
    place
}

fn search(client: &mut Client, arguments: &Value) -> Value {
    let mut all = json!({ "query": "push an item behind all others", "mode": "words" });
    all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    client.call("search", all).unwrap()
}

#[test]
fn code_is_filtered_by_kind_language_class_and_path() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let all = search(&mut client, &json!({ "max_results": 10 }));
    let ids = documents(&all);
    assert!(ids.contains(&"docs/guide.md") && ids.contains(&"src/queue.go#Queue.Push"), "{ids:?}");
    // Argument names of other tools are accepted: ChunkHound uses `type` and `page_size`.
    for (arguments, expected) in [
        (json!({ "kind": "docs" }), vec!["docs/guide.md"]),
        (json!({ "kind": "code", "language": "python" }), vec!["src/push.py#push"]),
        (json!({ "class": "test" }), vec!["src/queue_test.go#TestPush"]),
        (json!({ "kind": "code", "language": "Python" }), vec!["src/push.py#push"]),
        (json!({ "kind": "code", "language": "py" }), vec!["src/push.py#push"]),
        (json!({ "kind": "code", "path": "src/push.py" }), vec!["src/push.py#push"]),
        (json!({ "kind": "code", "path": "*.py" }), vec!["src/push.py#push"]),
        (json!({ "kind": "code", "path": "queue/src/*.py" }), vec!["src/push.py#push"]),
        (json!({ "kind": "code", "path": place.path("queue/src/push.py") }), vec!["src/push.py#push"]),
        (json!({ "kind": "code", "path_regex": r"\.py$" }), vec!["src/push.py#push"]),
        (
            json!({ "type": "keyword", "page_size": 1, "language": "go", "class": "source" }),
            vec!["src/queue.go#Queue.Push"],
        ),
    ] {
        let mut arguments = arguments;
        if arguments.get("type").is_some() {
            arguments["query"] = json!("push an item behind all others");
            assert_eq!(documents(&client.call("search", arguments).unwrap()), expected);
            continue;
        }
        assert_eq!(documents(&search(&mut client, &arguments)), expected, "{arguments}");
    }
    let unknown = client.call("search", json!({ "query": "push", "language": "cobol" })).unwrap_err();
    assert_eq!(unknown, "no document has code_language `cobol`: use one of go, python");
    let regex = client.call("search", json!({ "query": "push", "type": "regex" })).unwrap_err();
    assert!(regex.contains("use grep"), "{regex}");
}

#[test]
fn pieces_of_code_have_lines_and_lead_to_their_file() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let found = search(&mut client, &json!({ "language": "go", "class": "source" }));
    let hit = &found["results"][0];
    assert_eq!(
        (&hit["lines"], &hit["line"], &hit["language"], &hit["class"]),
        (&"3-6".into(), &3.into(), &"go".into(), &"source".into())
    );
    assert!(hit.get("stale").is_none());
    // The file can be read with the fields of a result: by its piece, by its lines, or whole.
    let read = |client: &mut Client, arguments: Value| client.call("get_document", arguments).unwrap();
    let piece = read(&mut client, json!({ "path": hit["document"] }));
    assert_eq!((&piece["from_line"], &piece["to_line"]), (&4.into(), &6.into()), "{piece}");
    let lines = read(&mut client, json!({ "path": hit["path"], "start_line": 4, "lines": 1 }));
    assert_eq!(lines["content"], "func (q *Queue) Push(item int) {\n");
    let symbol = read(&mut client, json!({ "path": "queue.go", "symbol": "Push" }));
    assert_eq!(symbol["from_line"], 4);
    // Paths are accepted in every form that answers contain, and in the forms of clients' own files.
    for path in [
        "src/queue.go:4",
        "src/queue.go:4-4",
        "queue/src/queue.go:4",
        "src/queue.go#L4-L4",
        place.path("queue/src/queue.go:4").to_str().unwrap(),
    ] {
        assert_eq!(read(&mut client, json!({ "path": path }))["content"], lines["content"], "{path}");
    }
    let read_tool = json!({ "file_path": place.path("queue/src/queue.go"), "offset": 4, "limit": 1 });
    assert_eq!(read(&mut client, read_tool)["content"], lines["content"]);
    assert_eq!(read(&mut client, json!({ "path": "queue.go", "lines": "4-4" }))["content"], lines["content"]);
    let method = read(&mut client, json!({ "path": "queue.go", "section": "Queue.Push" }));
    assert_eq!((&method["from_line"], &method["to_line"]), (&4.into(), &6.into()), "{method}");
    let near = client.call("get_document", json!({ "path": "queue.go", "section": "Queue.Posh" })).unwrap_err();
    assert_eq!(near, "src/queue.go defines nothing called \"Queue.Posh\"; did you mean Queue.Push");
    let whole = read(&mut client, json!({ "path": "src/queue.go" }));
    assert_eq!(
        (&whole["content"], &whole["document"], &whole["total_lines"]),
        (&QUEUE.into(), &"src/queue.go".into(), &6.into())
    );
    place.write("queue/src/queue.go", &QUEUE.replace("adds", "puts"));
    let changed = search(&mut client, &json!({ "language": "go", "class": "source" }));
    assert_eq!(changed["results"][0]["stale"], true);
    // Every tool that returns indexed content reports this.
    for (tool, arguments) in [
        ("get_document", json!({ "path": "src/queue.go" })),
        ("outline", json!({ "path": "src/queue.go" })),
        ("symbol", json!({ "name": "Push", "path": "*.go" })),
        ("symbol", json!({ "name": "Push", "want": "callees" })),
        ("grep", json!({ "pattern": "q.items", "path": "src" })),
    ] {
        let text = Client::plain(&place, &[]).text(tool, arguments).unwrap();
        assert!(text.contains("changed since"), "{tool}: {text}");
    }
    let now = changed["results"][0]["current"].as_str().unwrap();
    assert!(now.starts_with("// Push puts an item") && now.ends_with('}'), "{now}");
    // Exact text is found in the whole file, not only in one piece.
    let lines = client.call("grep", json!({ "pattern": "q.items = append" })).unwrap();
    assert_eq!(
        (&lines["lines"][0]["document"], &lines["lines"][0]["line"]),
        (&"src/queue.go".into(), &5.into()),
        "{lines}"
    );
    // The target of a link to outside the folder is not the file.
    #[cfg(unix)]
    {
        place.write("secret", "root:x:0:0\n");
        std::fs::remove_file(place.path("queue/src/queue.go")).unwrap();
        std::os::unix::fs::symlink(place.path("secret"), place.path("queue/src/queue.go")).unwrap();
        let linked = search(&mut client, &json!({ "language": "go", "class": "source" }));
        assert_eq!(linked["results"][0]["stale"], true);
        assert!(!linked.to_string().contains("root:x"), "{linked}");
    }
    // A file is listed once, regardless of the number of its pieces.
    assert_eq!(client.call("list_documents", json!({ "project": "queue" })).unwrap()["total"], 4);
}

#[test]
fn paths_can_be_opened_and_missing_ones_are_reported() {
    let place = site();
    let mut client = Client::plain(&place, &[]);
    let listed = client.request("tools/list", json!({}));
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"symbol") && !names.contains(&"get_reference_guide") && !names.contains(&"list_projects"));
    let root = place.path("queue").display().to_string();
    for (tool, arguments, said) in [
        ("search", json!({ "query": "push an item", "language": "go", "class": "source" }), "code: src/queue.go:3-6\n"),
        ("grep", json!({ "pattern": "append(q" }), "\nsrc/queue.go\n5 [Queue.Push]"),
        ("symbol", json!({ "name": "Push" }), "\nsrc/queue.go:4-6 method"),
        ("outline", json!({ "path": "src" }), "\nsrc/queue.go\n"),
        ("get_document", json!({ "path": "queue.go:4" }), "document: src/queue.go\nlines 4-4 of 6\n```go\nfunc"),
        ("related", json!({ "path": "src/queue.go:4-6" }), "near src/queue.go#Queue.Push\n"),
        ("pages", json!({ "name": "push" }), "document: src/push.py\n```python\n"),
        ("pages", json!({ "path": "src" }), "3 of 3 pages\n- src/push.py\n"),
    ] {
        let text = client.text(tool, arguments).unwrap();
        assert!(text.contains(said) && text.contains(&format!("root: {root}\n")), "{tool}: {text}");
    }
    for (tool, mut arguments) in [
        ("search", json!({ "query": "push" })),
        ("grep", json!({ "pattern": "push" })),
        ("symbol", json!({ "name": "Push" })),
        ("outline", json!({})),
        ("pages", json!({})),
        ("list_documents", json!({})),
        ("research", json!({ "questions": "push" })),
    ] {
        arguments["path"] = json!("source/queu.go");
        let error = client.text(tool, arguments.clone()).unwrap_err();
        assert!(error.contains("did you mean") && error.contains("src/queue.go"), "{tool}: {error}");
        arguments["path"] = json!("**/*.rs");
        assert!(client.text(tool, arguments).unwrap_err().contains("no path is"), "{tool}");
    }
}

#[test]
fn grep_is_case_sensitive_and_can_be_limited_to_code() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let mut total = |arguments: Value| client.call("grep", arguments).unwrap()["total_lines"].clone();
    assert_eq!(total(json!({ "pattern": "push" })), 2);
    assert_eq!(total(json!({ "pattern": "push", "-i": true })), 6);
    assert_eq!(total(json!({ "pattern": "push", "case_sensitive": false })), 6);
    assert_eq!(total(json!({ "pattern": "push", "-i": true, "language": "py" })), 1);
    assert_eq!(total(json!({ "pattern": "behind all others", "kind": "code" })), 3);
    assert_eq!(total(json!({ "pattern": "behind all others", "glob": "*.{go,py}", "-n": true, "-C": 1 })), 3);
    let other = client.call("grep", json!({ "pattern": "QUEUES" })).unwrap();
    assert_eq!(other["total_lines"], 1);
    assert!(other["notices"][0].as_str().unwrap().contains("upper and lower case"), "{other}");
}

#[test]
fn missing_source_code_is_reported() {
    let place = super::client::shared_site();
    let mut client = Client::start(&place, &[]);
    let none = client.call("search", json!({ "query": "plots", "kind": "code" })).unwrap_err();
    assert_eq!(none, "no source code is indexed here: search the documentation with kind=\"docs\"");
    assert!(!documents(&client.call("search", json!({ "query": "plots", "kind": "docs" })).unwrap()).is_empty());
}

#[test]
fn symbols_outlines_and_related_pieces_are_found_by_name() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    // Argument names of other tools are accepted.
    let found = client.call("symbol", json!({ "query": "Queue.Push" })).unwrap();
    let first = &found["definitions"][0];
    assert_eq!(
        (&first["document"], &first["lines"], &first["kind"], &first["comment"]),
        (&"src/queue.go".into(), &"4-6".into(), &"method".into(), &"Push adds an item behind all others.".into())
    );
    let callers = client.call("symbol", json!({ "name": "Push", "want": "called_by" })).unwrap();
    assert_eq!(callers["uses"][0]["symbol"], "TestPush", "{callers}");
    let wrong = client.call("symbol", json!({ "name": "Push", "want": "parents" })).unwrap_err();
    assert!(wrong.contains("use definition, references, callers, callees or members"), "{wrong}");
    let outline = client.call("outline", json!({ "file": "src/queue.go" })).unwrap();
    assert_eq!(outline["files"][0]["entries"][0]["name"], "Queue.Push", "{outline}");
    let all = client.call("outline", json!({})).unwrap();
    assert_eq!(all["total_files"], 4, "{all}");
    let related = client.call("related", json!({ "path": "src/queue.go#Queue.Push" })).unwrap();
    assert_eq!((&related["document"], &related["callers"][0]["symbol"]), (&first_id(), &"TestPush".into()));
    assert!(!related["nearest"].as_array().unwrap().is_empty() && related["nearest"][0]["document"] != first_id());
}

fn first_id() -> Value {
    "src/queue.go#Queue.Push".into()
}

#[test]
fn a_path_chooses_the_definition_and_hides_no_use() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let of = |client: &mut Client, want: &str, path: &str| {
        client.call("symbol", json!({ "name": "Push", "want": want, "path": path }))
    };
    let callers = of(&mut client, "callers", "src/queue.go").unwrap();
    assert_eq!(callers["uses"][0]["document"], "src/queue_test.go", "{callers}");
    assert!(callers["notices"][0].as_str().unwrap().contains("wherever they are"), "{callers}");
    // Where nothing of the name is defined, the path is about uses.
    let tests = of(&mut client, "references", "src/queue_test.go").unwrap();
    assert_eq!(
        (&tests["total_lines"], &tests["definitions"][0]["document"]),
        (&1.into(), &"src/queue.go".into()),
        "{tests}"
    );
    let elsewhere = of(&mut client, "definition", "docs").unwrap_err();
    assert_eq!(elsewhere, "\"Push\" is not defined in this project or path, but at src/queue.go:4");
}

#[test]
fn a_scope_is_that_of_the_definition_and_not_of_its_file() {
    let place = site();
    place.write(
        "queue/src/range.py",
        "from typing import overload\n\nclass IfRange:\n    def to_header(self):\n        return 1\n\nclass Range:\n    @overload\n    def to_header(self, a: int) -> int: ...\n\n    def to_header(self, a):\n        self.a = a\n        return 2\n",
    );
    update(&place);
    let mut client = Client::start(&place, &[]);
    let read = client.call("get_document", json!({ "path": "src/range.py", "section": "Range.to_header" })).unwrap();
    assert_eq!(read["from_line"], 11, "the one with a body comes before its overload: {read}");
    let found = client.call("symbol", json!({ "name": "Range.to_header" })).unwrap();
    assert_eq!(
        (&found["total_definitions"], &found["definitions"][0]["lines"]),
        (&2.into(), &"11-13".into()),
        "{found}"
    );
}

#[test]
fn misspelt_names_find_what_is_defined() {
    let place = site();
    place.write("queue/src/cookie.py", "def parse_cookie(header):\n    return header\n");
    place.write("queue/src/others.py", "def parse(a):\n    return parse_more(a)\n\ndef parse_more(a):\n    return a\n");
    update(&place);
    let mut client = Client::start(&place, &[]);
    let found = client.call("search", json!({ "query": "parse_cokie", "mode": "words" })).unwrap();
    assert_eq!(documents(&found)[0], "src/cookie.py#parse_cookie", "the name is near, and nothing has the typed one");
    assert_eq!(found["corrections"], json!({ "parse_cokie": "parse_cookie" }), "{found}");
    // A name that occurs is searched for as it is, even if it is not defined.
    place.write("queue/src/uses.py", "parse_cokie = 1\nprint(parse_cokie)\n");
    update(&place);
    let mut client = Client::start(&place, &[]);
    let found = client.call("search", json!({ "query": "parse_cokie", "mode": "words" })).unwrap();
    assert_eq!((found.get("corrections"), documents(&found)[0]), (None, "src/uses.py#parse_cokie"), "{found}");
}

#[test]
fn the_first_piece_is_shown_whole_and_the_others_by_their_key_lines() {
    let place = site();
    let body: String = (0..9).map(|line| format!("    step_{line} = {line}\n")).collect();
    place.write("queue/src/long.py", &format!("def insert(items, item):\n{body}    items.push(item)  # behind\n"));
    update(&place);
    let mut client = Client::plain(&place, &[]);
    let text = client
        .text("search", json!({ "query": "push an item behind all others", "mode": "words", "kind": "code" }))
        .unwrap();
    let entries: Vec<&str> = text.split("\n## ").skip(1).collect();
    assert!(entries[0].contains("code: src/push.py:1-2\n```python\ndef push(items, item):\n"), "{text}");
    let short = entries.iter().find(|entry| entry.contains("src/queue.go")).unwrap();
    assert!(short.contains("code: src/queue.go:3-6\n```go\n// Push adds"), "a short one is whole: {text}");
    let long = entries.iter().find(|entry| entry.contains("src/long.py")).unwrap();
    assert!(long.contains("code: src/long.py:1-11, key lines\n```\n1: def insert"), "{text}");
    assert!(long.contains("\n11:     items.push(item)  # behind\n") && !long.contains("step_8"), "{text}");
}

#[test]
fn a_pattern_without_literal_matches_is_tried_as_an_expression() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let found = client.call("grep", json!({ "pattern": r"append\(q\.\w+" })).unwrap();
    assert_eq!((&found["total_lines"], &found["lines"][0]["section"]), (&1.into(), &"Queue.Push".into()), "{found}");
    assert!(found["notices"][0].as_str().unwrap().contains("treated as a regular expression"), "{found}");
    let invalid = client.call("grep", json!({ "pattern": "(", "regex": true })).unwrap_err();
    assert!(invalid.contains("\"(\" is not a valid regular expression"), "{invalid}");
    let literal = client.call("grep", json!({ "pattern": "a.*b", "regex": false })).unwrap();
    assert_eq!((&literal["total_lines"], literal.get("notices")), (&0.into(), None), "{literal}");
}

#[test]
fn literal_use_of_a_possible_expression_is_reported() {
    let place = site();
    place.write("queue/src/x.py", "re = 'out.r'\nouter = 1\noutur = 2\n");
    update(&place);
    let mut client = Client::start(&place, &[]);
    let found = client.call("grep", json!({ "pattern": "out.r" })).unwrap();
    assert_eq!(found["total_lines"], 1, "{found}");
    assert_eq!(found["notices"][0], "treated as text; regex=true finds 3 lines", "{found}");
    let flagged = client.call("grep", json!({ "pattern": "(?i)OUTE?R" })).unwrap();
    assert_eq!(flagged["total_lines"], 1, "{flagged}");
    let plain = client.call("grep", json!({ "pattern": "items.append(" })).unwrap();
    assert_eq!((&plain["total_lines"], plain.get("notices")), (&1.into(), None), "{plain}");
}

#[test]
fn places_are_accepted_in_the_formats_of_other_tools() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let mut get = |path: &str| client.call("get_document", json!({ "path": path }));
    for (path, lines) in [
        ("queue.go::Push", (4, 6)),
        ("queue.go # Push", (4, 6)),
        ("src/queue.go:0-2", (1, 2)),
        ("src/queue.go:4-", (4, 6)),
        ("src\\queue.go:4\0", (4, 4)),
    ] {
        let found = get(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!((&found["from_line"], &found["to_line"]), (&lines.0.into(), &lines.1.into()), "{path}");
    }
    let wrong = get("queue.go#Wrong.Push").unwrap();
    assert_eq!(wrong["notices"][0], "Wrong.Push is not defined here: this is Queue.Push");
    let unread = get("src/queue.go:1-x").unwrap_err();
    assert!(unread.contains("is not a valid location: give lines, as in src/queue.go:12"), "{unread}");
    // Source files with similar names are not confused.
    assert!(get("src/push.go").unwrap_err().contains("there is no document"));
    let elsewhere = get("/elsewhere/src/queue.go").unwrap_err();
    assert!(elsewhere.contains("it is not in an indexed folder; did you mean"), "{elsewhere}");
    let wrong = client.call("symbol", json!({ "name": "Wrong.Push" })).unwrap();
    assert_eq!(wrong["notices"][0], "Wrong defines no Push: this is Queue.Push");
}

#[test]
fn a_path_pattern_without_a_folder_matches_in_all_folders() {
    let place = site();
    place.write("queue/app/[id]/page.tsx", "export const behind = 1;\n");
    place.write("queue/top.py", "behind = 1\n");
    update(&place);
    let mut client = Client::start(&place, &[]);
    let mut files = |path: Value| {
        let found = client.call("grep", json!({ "pattern": "behind", "path": path })).unwrap();
        found["total_documents"].as_u64().unwrap()
    };
    assert_eq!(files(json!("*.py")), 2);
    assert_eq!(files(json!("app/[id]/*.tsx")), 1);
    assert_eq!(files(json!(["*.py", "!src"])), 1);
    assert_eq!(files(json!(["src", "!*_test.go"])), 2);
}
