//! Source code beside documentation, as agents ask for it.

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
fn code_is_asked_for_by_kind_language_class_and_path() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let all = search(&mut client, &json!({ "max_results": 10 }));
    let ids = documents(&all);
    assert!(ids.contains(&"queue/docs/guide.md") && ids.contains(&"queue/src/queue.go#Queue.Push"), "{ids:?}");
    // Names that others give the arguments are understood: `type` and `page_size` are those of ChunkHound.
    for (arguments, expected) in [
        (json!({ "kind": "docs" }), vec!["queue/docs/guide.md"]),
        (json!({ "kind": "code", "language": "python" }), vec!["queue/src/push.py#push"]),
        (json!({ "class": "test" }), vec!["queue/src/queue_test.go#TestPush"]),
        (json!({ "kind": "code", "path": "src/push.py" }), vec!["queue/src/push.py#push"]),
        (
            json!({ "type": "keyword", "page_size": 1, "language": "go", "class": "source" }),
            vec!["queue/src/queue.go#Queue.Push"],
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
fn a_piece_of_code_has_its_lines_and_leads_to_its_file() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let found = search(&mut client, &json!({ "language": "go", "class": "source" }));
    let hit = &found["results"][0];
    assert_eq!(
        (&hit["lines"], &hit["line"], &hit["language"], &hit["class"]),
        (&"3-6".into(), &3.into(), &"go".into(), &"source".into())
    );
    assert!(hit.get("stale").is_none());
    // By what a result says of itself the file is read: from the piece, by its lines, and whole.
    let read = |client: &mut Client, arguments: Value| client.call("get_document", arguments).unwrap();
    let piece = read(&mut client, json!({ "path": hit["document"] }));
    assert!(piece["content"].as_str().unwrap().starts_with("// Push adds"), "{piece}");
    let lines = read(&mut client, json!({ "path": hit["path"], "start_line": 4, "lines": 1 }));
    assert_eq!(lines["content"], "func (q *Queue) Push(item int) {\n");
    let symbol = read(&mut client, json!({ "path": "queue.go", "symbol": "Push" }));
    assert_eq!(symbol["from_line"], 3);
    let whole = read(&mut client, json!({ "path": "src/queue.go" }));
    assert_eq!(
        (&whole["content"], &whole["document"], &whole["total_lines"]),
        (&QUEUE.into(), &"queue/src/queue.go".into(), &6.into())
    );
    place.write("queue/src/queue.go", &QUEUE.replace("adds", "puts"));
    let changed = search(&mut client, &json!({ "language": "go", "class": "source" }));
    assert_eq!(changed["results"][0]["stale"], true);
    let now = changed["results"][0]["current"].as_str().unwrap();
    assert!(now.starts_with("// Push puts an item") && now.ends_with('}'), "{now}");
    // Text as it is written is found in all of a file, not in one piece of it.
    let lines = client.call("grep", json!({ "pattern": "q.items = append" })).unwrap();
    assert_eq!(
        (&lines["lines"][0]["document"], &lines["lines"][0]["line"]),
        (&"queue/src/queue.go".into(), &5.into()),
        "{lines}"
    );
    // What a link leads to outside of the folder is not the file.
    #[cfg(unix)]
    {
        place.write("secret", "root:x:0:0\n");
        std::fs::remove_file(place.path("queue/src/queue.go")).unwrap();
        std::os::unix::fs::symlink(place.path("secret"), place.path("queue/src/queue.go")).unwrap();
        let linked = search(&mut client, &json!({ "language": "go", "class": "source" }));
        assert_eq!(linked["results"][0]["stale"], true);
        assert!(!linked.to_string().contains("root:x"), "{linked}");
    }
    // A file is listed once, however many pieces it has.
    assert_eq!(client.call("list_documents", json!({ "project": "queue" })).unwrap()["total"], 4);
}

#[test]
fn without_source_code_that_is_said() {
    let place = super::client::shared_site();
    let mut client = Client::start(&place, &[]);
    let none = client.call("search", json!({ "query": "plots", "kind": "code" })).unwrap_err();
    assert_eq!(none, "no source code is indexed here: search the documentation, kind=\"docs\"");
    assert!(!documents(&client.call("search", json!({ "query": "plots", "kind": "docs" })).unwrap()).is_empty());
}

#[test]
fn symbols_outlines_and_what_is_related_are_asked_for_by_name() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    // The names of arguments that others have are understood.
    let found = client.call("symbol", json!({ "query": "Queue.Push" })).unwrap();
    let first = &found["definitions"][0];
    assert_eq!(
        (&first["document"], &first["lines"], &first["kind"], &first["comment"]),
        (&"queue/src/queue.go".into(), &"4-6".into(), &"method".into(), &"Push adds an item behind all others.".into())
    );
    let callers = client.call("symbol", json!({ "name": "Push", "want": "called_by" })).unwrap();
    assert_eq!(callers["uses"][0]["symbol"], "TestPush", "{callers}");
    let wrong = client.call("symbol", json!({ "name": "Push", "want": "parents" })).unwrap_err();
    assert!(wrong.contains("use definition, references, callers, callees or members"), "{wrong}");
    let outline = client.call("outline", json!({ "file": "src/queue.go" })).unwrap();
    assert_eq!(outline["files"][0]["entries"][0]["name"], "Queue.Push", "{outline}");
    let all = client.call("outline", json!({})).unwrap();
    assert_eq!(all["total_files"], 4, "{all}");
    let related = client.call("related", json!({ "path": "queue/src/queue.go#Queue.Push" })).unwrap();
    assert_eq!((&related["document"], &related["callers"][0]["symbol"]), (&first_id(), &"TestPush".into()));
    assert!(!related["nearest"].as_array().unwrap().is_empty() && related["nearest"][0]["document"] != first_id());
}

fn first_id() -> Value {
    "queue/src/queue.go#Queue.Push".into()
}

#[test]
fn a_pattern_is_tried_as_an_expression_where_nothing_is_written_so() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let found = client.call("grep", json!({ "pattern": r"append\(q\.\w+" })).unwrap();
    assert_eq!((&found["total_lines"], &found["lines"][0]["section"]), (&1.into(), &"Queue.Push".into()), "{found}");
    assert!(found["notices"][0].as_str().unwrap().contains("taken as a regular expression"), "{found}");
    let invalid = client.call("grep", json!({ "pattern": "(", "regex": true })).unwrap_err();
    assert!(invalid.contains("\"(\" is not a valid regular expression"), "{invalid}");
    let literal = client.call("grep", json!({ "pattern": "a.*b", "regex": false })).unwrap();
    assert_eq!((&literal["total_lines"], literal.get("notices")), (&0.into(), None), "{literal}");
}
