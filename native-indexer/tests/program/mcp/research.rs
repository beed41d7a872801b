//! Research on questions as agents use it: documentation and source code in clusters.

use super::client::{Client, update};
use crate::support::Workplace;
use serde_json::{Value, json};

/// Creates a project with a guide about queues, and with functions that call each other.
fn site() -> Workplace {
    let place = Workplace::new();
    place.write("queue/docs/guide.md", "# Queues\n\nA queue has items. See [pausing](pause.md).\n\n## Push\n\nItems are pushed onto the queue.\n\n## Pop\n\nItems are popped off the queue.\n");
    place.write("queue/docs/pause.md", "# Pausing\n\nA queue that is paused keeps its items.\n");
    place.write(
        "queue/src/queue.go",
        "package queue\n\n// PushItem puts an item onto the queue.\nfunc PushItem(q *Queue, item int) {\n\tq.items = append(q.items, item)\n}\n",
    );
    place.write(
        "queue/src/fill.go",
        "package queue\n\nfunc Replenish(numbers []int) {\n\tfor _, number := range numbers {\n\t\tPushItem(global, number)\n\t}\n}\n",
    );
    place.write(
        "nearfind.toml",
        "model = \"tiny\"\nquery_encoder = false\n[[project]]\npath = \"queue\"\ndocs = \"docs\"\ncode = \"src\"\n",
    );
    update(&place);
    place
}

fn citations(outcome: &Value) -> Vec<String> {
    let clusters = outcome["clusters"].as_array().unwrap();
    let files = clusters.iter().flat_map(|cluster| cluster["files"].as_array().unwrap());
    files.map(|file| format!("{}:{}", file["path"].as_str().unwrap(), file["lines"].as_str().unwrap())).collect()
}

#[test]
fn documents_and_code_are_mapped_with_lines_and_suggested_calls() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let map = client.call("research", json!({ "questions": ["push items onto a queue", "what keeps items"] })).unwrap();
    let found = citations(&map);
    // The guide and the function match the question. The caller shares no word with it, but calls the function.
    for expected in ["docs/guide.md", "src/queue.go", "src/fill.go"] {
        assert!(found.iter().any(|citation| citation.starts_with(expected)), "{expected}: {found:?}");
    }
    assert!(found.iter().any(|citation| citation.starts_with("src/queue.go:3-")), "{found:?}");
    // The beginning of a file without definitions is left out.
    assert!(!found.iter().any(|citation| citation.ends_with(":1-1") || citation.contains(":1-1,")), "{found:?}");
    let count = |name: &str| map[name].as_u64().unwrap();
    assert_eq!(count("num_clusters") as usize, map["clusters"].as_array().unwrap().len());
    assert!(count("passages") >= count("num_outliers") && count("files") >= 3);
    let shown = &map["clusters"][0]["passages"][0];
    assert!(shown["citation"].as_str().unwrap().starts_with("docs/") && !shown["text"].as_str().unwrap().is_empty());

    // Each suggested call works unchanged.
    let next = map["next"].as_array().unwrap().clone();
    assert!(next.iter().any(|call| call["tool"] == "research") && next.iter().any(|call| call["tool"] == "symbol"));
    for call in &next {
        client.call(call["tool"].as_str().unwrap(), call["arguments"].clone()).unwrap();
    }
    let cluster = client.call("research", next[0]["arguments"].clone()).unwrap();
    assert_eq!(cluster["clusters"].as_array().unwrap().len(), 1);
    assert_eq!(cluster["clusters"][0]["number"], 1);
    assert!(
        cluster["clusters"][0]["passages"].as_array().unwrap().len()
            >= map["clusters"][0]["passages"].as_array().unwrap().len()
    );
    assert!(cluster["ties"].is_null() && cluster["next"].is_null());
}

#[test]
fn research_can_be_filtered_and_explains_errors() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let docs = client.call("research", json!({ "question": "push items", "path": "^docs/", "repo": "queue" })).unwrap();
    assert!(citations(&docs).iter().all(|citation| citation.starts_with("docs/")), "{docs:#}");
    let mut refused = |arguments: Value| client.call("research", arguments).unwrap_err();
    assert_eq!(refused(json!({ "questions": ["  "] })), "argument `questions` is empty: ask at least one");
    assert!(refused(json!({ "questions": vec!["a"; 9] })).contains("has 9 questions: ask up to 8 at a time"));
    assert!(refused(json!({ "questions": "push", "cluster": 99 })).contains("there is no cluster 99: there are "));
    assert!(refused(json!({ "questions": "push", "project": "nobody" })).contains("there is no project"));
    let pattern = refused(json!({ "questions": "push", "path": "(" }));
    assert!(pattern.contains("regex"), "{pattern}");
    assert!(refused(json!({ "questions": "push", "path": "nowhere/" })).contains("no path is"));
}

#[test]
fn a_report_is_offered_if_a_language_model_is_configured() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let names = |client: &mut Client| -> Vec<String> {
        let listed = client.request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(!names(&mut client).contains(&"research_report".to_owned()));
    let nobody = ["--set", "language_model.provider=ollama", "--set", "language_model.model=m"];
    let nobody =
        [&nobody[..], &["--set", "language_model.base_url=http://127.0.0.1:1", "--set", "language_model.retries=0"]]
            .concat();
    let mut client = Client::start(&place, &nobody);
    assert!(names(&mut client).contains(&"research_report".to_owned()));
    // The language model is unreachable. The map is created nevertheless, and the reason is reported.
    let report = client.call("research_report", json!({ "questions": "push items onto a queue" })).unwrap();
    assert_eq!(report["answer"], "");
    assert!(report["notices"].to_string().contains("127.0.0.1:1"), "{report:#}");
}
