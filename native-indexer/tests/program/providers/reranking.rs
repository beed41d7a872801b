//! Reranking over each protocol, and the result if the server has a fault.

use super::embedding::{run, succeeds};
use super::server::{Fault, KEY, Server};
use crate::support::{Workplace, stderr};
use serde_json::Value;

/// Creates pages that are found by words. The reranker prefers the page that words rank last.
fn site() -> Workplace {
    let place = Workplace::new();
    for (name, text) in [
        ("first", "thread thread thread thread"),
        ("second", "thread thread thread and the near one"),
        ("third", "thread, the wanted one, among many words that say nothing of it, and more of them, and more"),
    ] {
        place.write(&format!("docs/{name}.md"), &format!("# {name}\n\n{text}\n"));
    }
    succeeds(&place.run(&["index", "docs", "-o", "bundle", "--model", "tiny", "--no-box", "-q"]));
    place
}

fn settings(server: &Server, more: &[&str]) -> Vec<String> {
    let base = format!("rerank.base_url=http://{}/v1", server.address);
    let all = [&[base.as_str(), "rerank.key_variable=RERANK_KEY"], more].concat();
    all.iter().flat_map(|setting| ["--set".to_owned(), (*setting).to_owned()]).collect()
}

fn ask(place: &Workplace, settings: &[String], more: &[&str]) -> Value {
    let arguments = [&["search", "bundle", "thread", "--json", "--unfit"], more].concat();
    let mut all: Vec<&str> = arguments;
    all.extend(settings.iter().map(String::as_str));
    let mut command = crate::support::command_in(place.folder(), &all);
    let found = command.env("RERANK_KEY", KEY).env("NEARFIND_SETTINGS", place.path("settings.toml")).output().unwrap();
    assert!(found.status.success(), "{}", stderr(&found));
    assert!(!stderr(&found).contains(KEY) && !String::from_utf8_lossy(&found.stdout).contains(KEY));
    serde_json::from_slice(&found.stdout).unwrap()
}

fn paths(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap()).collect()
}

const BY_WORDS: [&str; 3] = ["first.md", "second.md", "third.md"];
/// The reranker rates the first page lowest.
const RERANKED: [&str; 3] = ["third.md", "second.md", "first.md"];

#[test]
fn each_protocol_returns_the_order_of_the_reranker() {
    let place = site();
    let server = Server::start(&place);
    assert_eq!(paths(&ask(&place, &settings(&server, &[]), &["--no-rerank"])), BY_WORDS);
    assert_eq!(server.requests().len(), 0);
    for (more, fault, field) in [
        (&["rerank.provider=cohere", "rerank.model=m"][..], None, "documents"),
        (&["rerank.provider=tei"], None, "texts"),
        (&["rerank.provider=tei", "rerank.model=m"], Some(Fault::WrappedTei), "texts"),
        // The protocol is detected. Cohere's protocol names a model, but this server refuses it.
        (&["rerank.model=m"], Some(Fault::WrappedTei), "texts"),
        (&["rerank.model=m"], None, "documents"),
        (&[], None, "texts"),
    ] {
        server.forget();
        server.always(fault.clone());
        let answer = ask(&place, &settings(&server, more), &[]);
        assert_eq!(paths(&answer), RERANKED, "{more:?} {fault:?}: {answer:#}");
        assert!(answer["notice"].is_null(), "{answer:#}");
        assert!(answer["hits"][0]["text"].is_null(), "what the reranker read is not printed");
        let last = server.requests().pop().unwrap();
        assert_eq!((last.path.as_str(), last.authorization), ("/v1/rerank", Some(format!("Bearer {KEY}"))));
        assert!(last.body[field].is_array(), "{more:?} {fault:?}");
        let scores: Vec<f64> =
            answer["hits"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|score| (0.0..=1.0).contains(score)));
    }
    // A specific address takes precedence over base_url.
    let url = format!("rerank.url=http://{}/other/rerank", server.address);
    server.forget();
    assert_eq!(paths(&ask(&place, &settings(&server, &[&url]), &[])), RERANKED);
    assert_eq!(server.requests()[0].path, "/other/rerank");
}

#[test]
fn without_scores_the_order_stays_and_the_answer_explains_why() {
    let place = site();
    let server = Server::start(&place);
    for (fault, expected) in [
        (Fault::NoResults, "Invalid rerank response"),
        (Fault::NoJson, "Invalid rerank response"),
        (Fault::Status(500, "{}", ""), "500"),
        (Fault::Status(401, "{key}", ""), "check the key"),
        (Fault::Hang, "timeout"),
    ] {
        server.always(Some(fault.clone()));
        let answer = ask(&place, &settings(&server, &["rerank.timeout=1"]), &[]);
        assert_eq!(paths(&answer), BY_WORDS, "{fault:?}");
        let notice = answer["notice"].as_str().unwrap();
        assert!(notice.starts_with("not reranked: ") && notice.contains(expected), "{fault:?}: {notice}");
    }
    let nowhere = ["--set".to_owned(), "rerank.base_url=http://127.0.0.1:1".to_owned()];
    let answer = ask(&place, &nowhere, &[]);
    assert!(answer["notice"].as_str().unwrap().contains("127.0.0.1:1"), "{answer:#}");
    // A score for a document that was not sent is ignored and reported.
    server.always(Some(Fault::OutOfRange));
    let answer = ask(&place, &settings(&server, &[]), &[]);
    assert_eq!(paths(&answer), RERANKED);
    assert!(answer["notice"].as_str().unwrap().contains("scored document 3, but got only 3"), "{answer:#}");
}

#[test]
fn documents_are_sent_in_batches_that_the_model_accepts() {
    let place = site();
    for page in 0..200 {
        place.write(&format!("docs/more/{page}.md"), &format!("# Page {page}\n\nOf thread {page}.\n"));
    }
    succeeds(&place.run(&["index", "docs", "-o", "bundle", "--model", "tiny", "--no-box", "-q", "--no-query-encoder"]));
    let server = Server::start(&place);
    let sizes = |more: &[&str]| {
        server.forget();
        let more = [&["rerank.candidates=150"], more].concat();
        assert!(ask(&place, &settings(&server, &more), &[])["notice"].is_null());
        let mut sizes: Vec<usize> = server.requests().iter().map(|request| request.texts().len()).collect();
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(sizes(&["rerank.model=Qwen/Qwen3-Reranker-8B"]), [22, 64, 64]);
    assert_eq!(sizes(&["rerank.model=Qwen/Qwen3-Reranker-4B"]), [54, 96]);
    assert_eq!(sizes(&["rerank.model=Qwen/Qwen3-Reranker-0.6B", "rerank.batch_texts=999"]), [22, 128]);
    assert_eq!(sizes(&["rerank.model=other", "rerank.batch_texts=100"]), [50, 100]);
    server.always(Some(Fault::LargerThan(40)));
    let halved = sizes(&["rerank.model=other"]);
    assert_eq!(halved.iter().filter(|size| **size <= 40).sum::<usize>(), 150, "{halved:?}");
}

#[test]
fn several_hops_find_pages_that_the_question_does_not() {
    let place = Workplace::new();
    // The model only knows the words thread, unsafe and code. The `near` pages share words with the question and with
    // the island.
    for page in 0..12 {
        place.write(&format!("docs/near{page}.md"), &format!("# near {page}\n\nthread thread thread near unsafe\n"));
        place.write(&format!("docs/far{page}.md"), &format!("# far {page}\n\ncode code far unsafe code\n"));
        place.write(&format!("docs/none{page}.md"), &format!("# none {page}\n\nother words in here\n"));
    }
    place.write("docs/island.md", "# island\n\nunsafe unsafe wanted\n");
    succeeds(&place.run(&["index", "docs", "-o", "bundle", "--model", "tiny", "--no-box", "-q"]));
    let server = Server::start(&place);
    let limited = ["-n", "3", "--mode", "words"];
    let once = ask(&place, &settings(&server, &[]), &limited);
    assert!(!paths(&once).contains(&"island.md"), "no word of the question is in it: {once:#}");
    let hops = ask(&place, &settings(&server, &[]), &[&limited[..], &["--multi-hop"]].concat());
    assert_eq!(paths(&hops)[0], "island.md", "the reranker prefers it to all others: {hops:#}");
    assert!(hops["notice"].is_null(), "{hops:#}");
    // Without a reranker, or if it fails, the plain answer is returned.
    let plain = ask(&place, &[], &[&limited[..], &["--multi-hop"]].concat());
    assert!(plain["notice"].as_str().unwrap().contains("needs a reranker"), "{plain:#}");
    server.always(Some(Fault::Status(500, "", "")));
    let failed = ask(&place, &settings(&server, &[]), &[&limited[..], &["--multi-hop"]].concat());
    assert_eq!(paths(&failed), paths(&plain));
    assert!(failed["notice"].as_str().unwrap().starts_with("not reranked"), "{failed:#}");
}

#[test]
fn incomplete_settings_of_a_reranker_are_reported() {
    let place = site();
    for (more, expected) in [
        (&["rerank.provider=cohere", "rerank.base_url=http://127.0.0.1:1"][..], "has no model"),
        (&["rerank.provider=tei"], "has no server"),
        (&["rerank.weight=much"], "rerank.weight"),
    ] {
        let settings: Vec<String> =
            more.iter().flat_map(|setting| ["--set".to_owned(), (*setting).to_owned()]).collect();
        let failed = run(&place, "openai", &["search", "bundle", "thread"], &settings);
        assert!(!failed.status.success() && stderr(&failed).contains(expected), "{}", stderr(&failed));
    }
}
