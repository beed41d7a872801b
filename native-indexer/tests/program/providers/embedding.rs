//! Vectors of a provider give the same answers as the local model, over each protocol.

use super::server::{Fault, KEY, Server};
use crate::support::{Workplace, command_in, stderr, stdout};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Output;

pub(crate) const KINDS: [&str; 5] = ["openai", "tei", "ollama", "cohere", "voyage"];

/// Returns the environment variable with the key for a provider.
pub(crate) fn variable(kind: &str) -> &'static str {
    match kind {
        "openai" => "OPENAI_API_KEY",
        "tei" => "TEI_API_KEY",
        "ollama" => "OLLAMA_API_KEY",
        "cohere" => "COHERE_API_KEY",
        _ => "VOYAGE_API_KEY",
    }
}

/// Creates a folder of pages that the tiny model distinguishes.
pub(crate) fn site() -> Workplace {
    let place = Workplace::new();
    for (name, words) in [("threads", "thread thread threads"), ("code", "unsafe code"), ("other", "code code thread")]
    {
        place.write(&format!("docs/{name}.md"), &format!("# {words}\n\n{words} {words} and the rest of it.\n"));
    }
    place
}

/// Runs the binary with a key, but without the user's settings.
pub(crate) fn run(place: &Workplace, kind: &str, arguments: &[&str], settings: &[String]) -> Output {
    let mut all: Vec<&str> = arguments.to_vec();
    all.extend(settings.iter().map(String::as_str));
    let mut command = command_in(place.folder(), &all);
    command.env(variable(kind), KEY).env("NEARFIND_SETTINGS", place.path("settings.toml")).output().expect("it starts")
}

pub(crate) fn index(place: &Workplace, server: &Server, kind: &str, more: &[&str]) -> Output {
    let arguments = [&["index", "docs", "-o", kind, "--model", "tiny", "--no-box", "-q"], more].concat();
    run(place, kind, &arguments, &server.settings(kind))
}

pub(crate) fn search(place: &Workplace, bundle: &str, kind: &str, settings: &[String]) -> Value {
    let arguments = ["search", bundle, "threads", "--mode", "meaning", "--unfit", "--json"];
    let found = run(place, kind, &arguments, settings);
    assert!(found.status.success(), "{}", stderr(&found));
    serde_json::from_slice(&found.stdout).unwrap()
}

/// Returns documents with their scores.
pub(crate) fn scores(answer: &Value) -> Vec<(String, f64)> {
    let hits = answer["hits"].as_array().unwrap();
    let rounded = |score: f64| (score * 1e4).round() / 1e4;
    hits.iter().map(|hit| (hit["document"].to_string(), rounded(hit["score"].as_f64().unwrap()))).collect()
}

pub(crate) fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", stderr(output));
}

#[test]
fn each_protocol_gives_the_results_of_the_local_model() {
    let place = site();
    let server = Server::start(&place);
    succeeds(&place.run(&["index", "docs", "-o", "local", "--model", "tiny", "--no-box", "-q"]));
    let local = search(&place, "local", "openai", &[]);
    for kind in KINDS {
        server.forget();
        succeeds(&index(&place, &server, kind, &[]));
        let answer = search(&place, kind, kind, &server.settings(kind));
        assert_eq!((scores(&answer), &answer["tier"]), (scores(&local), &local["tier"]), "{kind}");
        assert!(answer["notice"].is_null(), "{kind}: {answer}");
        let requests = server.requests();
        assert!(requests.iter().all(|request| request.authorization == Some(format!("Bearer {KEY}"))), "{kind}");
        let path = match kind {
            "openai" | "voyage" => "/v1/embeddings",
            "tei" => "/embed",
            "ollama" => "/api/embed",
            _ => "/v2/embed",
        };
        assert!(requests.iter().all(|request| request.path == path), "{kind}");
        // Documents and queries are distinguished if the protocol supports it.
        let types: BTreeSet<String> = requests.iter().map(|request| request.body["input_type"].to_string()).collect();
        let expected: &[&str] = match kind {
            "cohere" => &["\"search_document\"", "\"search_query\""],
            "voyage" => &["\"document\"", "\"query\""],
            _ => &["null"],
        };
        assert_eq!(types, expected.iter().map(|&kind| kind.to_owned()).collect(), "{kind}");
    }
}

#[test]
fn without_a_key_the_query_encoder_answers() {
    let place = site();
    let server = Server::start(&place);
    succeeds(&index(&place, &server, "openai", &[]));
    server.forget();
    let answer = search(&place, "openai", "ollama", &[]);
    assert_eq!((answer["tier"].as_u64(), server.requests().len()), (Some(1), 0));
    assert!(answer["notice"].as_str().unwrap().contains("name it in [embedding]"), "{answer}");
    // The bundle does not reveal the provider's address.
    let manifest = std::fs::read_to_string(place.path("openai/nearfind.json")).unwrap();
    assert!(manifest.contains("tiny-openai") && !manifest.contains("127.0.0.1"), "{manifest}");
}

#[test]
fn a_text_is_sent_once() {
    let place = site();
    let server = Server::start(&place);
    succeeds(&index(&place, &server, "openai", &[]));
    place.write("docs/new.md", "# A new page\n\nOf unsafe threads.\n");
    server.forget();
    succeeds(&index(&place, &server, "openai", &["--no-query-encoder"]));
    let sent: Vec<String> = server.requests().iter().flat_map(super::server::Request::texts).collect();
    assert_eq!(sent.len(), 2, "the probe and the new page: {sent:?}");
    assert!(sent[1].contains("Of unsafe threads"), "{sent:?}");
}

#[test]
fn a_changed_model_with_the_same_name_is_detected() {
    let place = site();
    let server = Server::start(&place);
    succeeds(&index(&place, &server, "openai", &["--no-query-encoder"]));
    server.forget();
    server.always(Some(Fault::OtherModel));
    let mut arguments = vec!["search", "openai", "threads", "--json"];
    let settings = server.settings("openai");
    arguments.extend(settings.iter().map(String::as_str));
    let found = run(&place, "openai", &arguments, &[]);
    assert!(stdout(&found).contains("not the one that the index was made with"), "{}", stdout(&found));
    place.write("docs/new.md", "# A new page\n\nOf unsafe threads.\n");
    succeeds(&index(&place, &server, "openai", &["--no-query-encoder"]));
    let sent: usize = server.requests().iter().map(|request| request.texts().len()).sum();
    assert_eq!(sent, 2 + 1 + 4, "probes, and every page again");
}
