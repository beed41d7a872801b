//! Tests the binary as a user runs it.

use crate::support::{Site, Workplace, nearfind, nearfind_with_default_model, stderr, stdout};
use serde_json::Value;
use std::collections::BTreeSet;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn a_folder_is_indexed_searched_inspected_and_verified() {
    let site = Site::with_docs();
    let indexed = nearfind_with_default_model(&["index", &site.docs(), "-o", &site.bundle()]);
    assert!(indexed.status.success(), "{}", stderr(&indexed));
    assert!(stdout(&indexed).contains("3 documents"), "{}", stdout(&indexed));

    let found = nearfind_with_default_model(&[
        "search",
        &site.bundle(),
        "how do two threads pass values to each other",
        "--json",
        "--explain",
    ]);
    let answer = json(&stdout(&found));
    assert_eq!(answer["mode"], "hybrid");
    let hit = &answer["hits"][0];
    assert_eq!(hit["document"], "docs/guide/channels.md");
    assert_eq!(hit["url"], "/guide/channels.md");
    assert_eq!((hit["project"].as_str(), hit["title"].as_str()), (Some("docs"), Some("Channels")));
    assert!(hit["why"]["meaning"]["rank"].is_number());
    assert!(hit["excerpt"]["text"].is_string() && hit["excerpt"]["highlights"].is_array());
    assert!(answer["cost"]["bytes"]["codes"].as_u64() > Some(0));
    assert_eq!(answer["tier"], 2);
    let by_table = json(&stdout(&nearfind_with_default_model(&[
        "search",
        &site.bundle(),
        "how do two threads pass values to each other",
        "--json",
        "--tier",
        "1",
    ])));
    assert_eq!((&by_table["tier"], &by_table["hits"][0]["title"]), (&json("1"), &json("\"Channels\"")));

    let words = nearfind_with_default_model(&["search", &site.bundle(), "frobnicate_all", "--mode", "words"]);
    assert!(stdout(&words).starts_with("1. Reference"), "{}", stdout(&words));
    assert!(stdout(&words).contains("/api.html#frobnicate"), "{}", stdout(&words));

    let inspected = stdout(&nearfind_with_default_model(&["inspect", &site.bundle()]));
    assert!(inspected.contains("all-MiniLM-L6-v2") && inspected.contains("tokens"), "{inspected}");
    let verified = nearfind_with_default_model(&["verify", &site.bundle()]);
    assert!(verified.status.success() && stdout(&verified).starts_with("sound: 3 documents"));
}

#[test]
fn questions_come_from_standard_input_too() {
    let site = Site::indexed();
    let answers = crate::support::nearfind_with_input(
        &["search", &site.bundle(), "--stdin", "--mode", "words"],
        "threads\nunsafe\n",
    );
    let lines: Vec<Value> = stdout(&answers).lines().map(json).collect();
    assert_eq!((lines.len(), &lines[1]["query"]), (2, &Value::from("unsafe")));
}

#[test]
fn two_runs_write_the_same_bytes_and_stale_files_are_removed() {
    let site = Site::indexed();
    let first = site.bundle_files();
    let again = Site::indexed();
    assert_eq!(first, again.bundle_files());
    // As if a run was stopped before it wrote the manifest.
    std::fs::remove_file(site.path("bundle/nearfind.json")).unwrap();
    site.write("guide/new.md", "# New\n\nA page that was not there before.\n");
    assert!(site.index(&["-q"]).status.success());
    // Readers that opened the first bundle still find its parts until they are pruned.
    assert!(first.keys().all(|name| site.bundle_files().contains_key(name)));
    assert!(nearfind(&["prune", &site.bundle()]).status.success());
    let second = site.bundle_files();
    let parts: BTreeSet<&str> = second.keys().map(|name| name.split('-').next().unwrap()).collect();
    assert_eq!(parts.len(), second.len(), "parts of the old generation are gone: {:?}", second.keys());
    assert_ne!(first, second);
}

#[test]
fn damage_is_reported() {
    let site = Site::indexed();
    for part in ["map", "terms", "pages", "graph", "nearfind.json"] {
        let damaged = Site::indexed();
        let name = damaged.file_of(part);
        let mut bytes = std::fs::read(&name).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        std::fs::write(&name, &bytes).unwrap();
        let verified = nearfind(&["verify", &damaged.bundle()]);
        assert_eq!(verified.status.code(), Some(1), "{part}");
        let said = stdout(&verified) + &stderr(&verified);
        assert!(said.contains(part), "{part}: {said}");
        std::fs::write(&name, &bytes[..middle]).unwrap();
        assert_eq!(nearfind(&["verify", &damaged.bundle()]).status.code(), Some(1), "{part} cut");
        std::fs::remove_file(&name).unwrap();
        let searched = nearfind(&["search", &damaged.bundle(), "threads", "--mode", "words"]);
        assert!(part == "graph" || !searched.status.success(), "{part} missing");
    }
    drop(site);
}

#[test]
fn the_query_encoder_replaces_a_missing_model_and_words_replace_both() {
    let site = Site::indexed();
    let empty = site.path("no-models");
    let hybrid = nearfind(&["--models", &empty, "search", &site.bundle(), "threads", "--json"]);
    assert!(hybrid.status.success());
    assert_eq!((&json(&stdout(&hybrid))["mode"], &json(&stdout(&hybrid))["tier"]), (&json("\"hybrid\""), &json("1")));
    assert!(stderr(&hybrid).contains("nearfind model fetch"), "{}", stderr(&hybrid));
    // Without a query encoder, only the search by words is possible.
    let bare = site.path("bare");
    assert!(
        nearfind(&["index", &site.docs(), "-o", &bare, "--model", "tiny", "--no-query-encoder", "-q"]).status.success()
    );
    let hybrid = nearfind(&["--models", &empty, "search", &bare, "threads", "--json"]);
    assert_eq!(json(&stdout(&hybrid))["mode"], "words");
    let meaning = nearfind(&["--models", &empty, "search", &bare, "threads", "--mode", "meaning"]);
    assert_eq!(meaning.status.code(), Some(1));
    assert!(stderr(&meaning).contains("nearfind model fetch"), "{}", stderr(&meaning));
    let table = nearfind(&["search", &bare, "threads", "--tier", "1"]);
    assert!(stderr(&table).contains("no query encoder"), "{}", stderr(&table));
    let index = nearfind(&["--models", &empty, "index", &site.docs(), "-o", &site.path("other")]);
    assert!(stderr(&index).contains("nearfind model fetch"), "{}", stderr(&index));
}

#[test]
fn bad_input_gets_a_clear_error_and_the_rest_is_indexed() {
    let site = Site::with_docs();
    let says = |arguments: &[&str], expected: &str| {
        let output = nearfind(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    };
    std::fs::create_dir(site.path("empty")).unwrap();
    says(&["index", &site.path("empty"), "-o", &site.bundle(), "--model", "tiny"], "no .md");
    let both = nearfind(&["index", &site.path("empty"), &site.docs(), "-o", &site.path("both"), "--model", "tiny"]);
    assert!(both.status.success() && stderr(&both).contains("warning") && stderr(&both).contains("no .md"));
    says(&["index", &site.path("nowhere"), "-o", &site.bundle(), "--model", "tiny"], "name a folder");
    says(&["index", &site.docs(), "-o", &site.docs(), "--model", "tiny"], "not empty");
    says(&["search", &site.path("empty"), "x"], "there is no index here");
    says(&["index", &site.docs(), "-o", &site.bundle(), "--model", "nothing"], "no model \"nothing\"");

    std::fs::write(site.path("docs/binary.md"), b"# \0\n").unwrap();
    let indexed = site.index(&[]);
    assert!(indexed.status.success() && stderr(&indexed).contains("binary.md: left out, it is a binary file"));
    says(&["search", &site.bundle(), "  "], "the query is empty");
    says(&["search", &site.bundle(), "x", "--limit", "0"], "limit 0");
}

#[test]
fn several_sources_are_projects_with_their_own_urls() {
    let site = Site::with_docs();
    let other = format!("api={}", site.docs());
    let indexed = site.index(&[&other, "--base-url", "api=https://x.org/api/", "-q"]);
    assert!(indexed.status.success(), "{}", stderr(&indexed));
    let answer = json(&stdout(&nearfind(&["search", &site.bundle(), "channels", "--mode", "words", "--json"])));
    let mut urls: Vec<&str> = answer["hits"].as_array().unwrap().iter().filter_map(|hit| hit["url"].as_str()).collect();
    urls.sort_unstable();
    // The same path in two projects belongs to two documents.
    assert!(
        urls.contains(&"/docs/guide/channels.md") && urls.contains(&"https://x.org/api/guide/channels.md"),
        "{urls:?}"
    );
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn a_beir_corpus_keeps_its_ids_and_is_evaluated() {
    let site = Site::with_docs();
    site.write(
        "corpus.jsonl",
        "{\"_id\":\"d1\",\"title\":\"Tea\",\"text\":\"Steep the leaves.\"}\nnot json\n{\"_id\":\"d2\",\"text\":\"Grind the coffee beans.\"}\n",
    );
    site.write("queries.jsonl", "{\"_id\":\"q1\",\"text\":\"coffee\"}\n{\"_id\":\"q2\",\"text\":\"a hot drink of leaves\",\"metadata\":{\"category\":\"how-to\"}}\n");
    site.write("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td1\t1\n");
    let corpus = format!("drinks={}", site.path("docs/corpus.jsonl"));
    let indexed = nearfind_with_default_model(&["index", &corpus, "-o", &site.bundle()]);
    assert!(indexed.status.success() && stderr(&indexed).contains("corpus.jsonl:2: left out"), "{}", stderr(&indexed));
    let (queries, qrels) = (site.path("docs/queries.jsonl"), site.path("docs/qrels.tsv"));
    let measured =
        nearfind_with_default_model(&["eval", &site.bundle(), "--queries", &queries, "--qrels", &qrels, "--json"]);
    let metrics = json(&stdout(&measured));
    assert_eq!(metrics["hybrid"]["all"]["ndcg_at_10"], 1.0);
    assert_eq!(metrics["meaning"]["how-to"]["queries"], 1);
}

#[test]
fn judgments_of_missing_documents_are_refused() {
    let site = Site::with_docs();
    assert!(site.index(&["-q"]).status.success());
    site.write("queries.jsonl", "{\"_id\":\"q1\",\"text\":\"channels\"}\n");
    let (queries, qrels) = (site.path("docs/queries.jsonl"), site.path("docs/qrels.tsv"));
    let evaluate = |judged: &[&str]| {
        let lines: String = judged.iter().map(|id| format!("q1\t{id}\t1\n")).collect();
        site.write("qrels.tsv", &lines);
        nearfind(&["eval", &site.bundle(), "--queries", &queries, "--qrels", &qrels, "--mode", "words"])
    };
    let refused = evaluate(&["guide/channels.md", "other.md"]);
    let said = stderr(&refused);
    assert!(!refused.status.success() && said.contains("the index contains none of the judged documents"), "{said}");
    assert!(said.contains("documents in the index have names like \"docs/"), "{said}");
    let partly = evaluate(&["docs/guide/channels.md", "other.md"]);
    let said = stderr(&partly);
    assert!(partly.status.success() && said.contains("1 of 2 judged documents are not in the index"), "{said}");
}

#[test]
fn a_shipped_model_is_found_in_the_bundle_and_another_model_is_refused() {
    let site = Site::with_docs();
    assert!(site.index(&["--ship-model", "-q"]).status.success());
    let empty = site.path("no-models");
    let found = nearfind(&["--models", &empty, "search", &site.bundle(), "threads", "--mode", "meaning", "--json"]);
    assert_eq!(json(&stdout(&found))["mode"], "meaning", "{}", stderr(&found));

    let pack = site.file_of("model");
    let mut bytes = std::fs::read(&pack).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&pack, bytes).unwrap();
    let damaged = nearfind(&["--models", &empty, "search", &site.bundle(), "threads", "--json"]);
    assert_eq!(json(&stdout(&damaged))["tier"], 1, "{}", stderr(&damaged));
    assert!(stderr(&damaged).contains("checksum mismatch"), "{}", stderr(&damaged));

    let tiny = crate::support::tiny_onnx_model(&site.path("tiny"));
    let models = site.path("other-models");
    let imported = nearfind(&["--models", &models, "model", "import", &tiny, "--name", "other"]);
    assert!(imported.status.success(), "{}", stderr(&imported));
    assert!(stdout(&nearfind(&["--models", &models, "model", "list"])).starts_with("other "));
    let other =
        nearfind(&["--models", &models, "search", &site.bundle(), "threads", "--mode", "meaning", "--model", "other"]);
    assert!(stderr(&other).contains("made with another model"), "{}", stderr(&other));
}

#[test]
fn an_onnx_encoder_indexes_and_answers() {
    let site = Site::with_docs();
    let tiny = crate::support::tiny_onnx_model(&site.path("tiny"));
    let models = site.path("models");
    assert!(nearfind(&["--models", &models, "model", "import", &tiny, "--name", "tiny"]).status.success());
    let vector = nearfind(&["--models", &models, "model", "embed", "thread", "--model", "tiny"]);
    let vector: Vec<f32> = serde_json::from_str(&stdout(&vector)).unwrap();
    // The mean of the rows of [CLS], `thread` and [SEP] in the model's table, normalized.
    let (row, length) = (crate::support::tiny_row, 3.0f32);
    let sum: Vec<f32> = (0..4).map(|at| (row(1)[at] + row(4)[at] + row(2)[at]) / length).collect();
    let norm = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    for (found, expected) in vector.iter().zip(sum) {
        assert!((found - expected / norm).abs() < 1e-5, "{vector:?}");
    }
    let arguments = ["--models", &models, "index", &site.docs(), "-o", &site.bundle(), "--model", "tiny", "-q"];
    assert!(nearfind(&arguments).status.success());
    let found = nearfind(&["--models", &models, "search", &site.bundle(), "thread", "--mode", "meaning", "--json"]);
    assert_eq!(json(&stdout(&found))["mode"], "meaning", "{}", stderr(&found));
}

#[test]
fn importing_an_incomplete_model_reports_what_is_missing() {
    let site = Site::with_docs();
    let refused = nearfind(&["model", "import", &site.docs()]);
    assert!(stderr(&refused).contains("neither model.safetensors nor model.onnx"), "{}", stderr(&refused));
    let tiny = crate::support::tiny_onnx_model(&site.path("tiny"));
    std::fs::write(site.path("tiny/tokenizer.json"), r#"{"model":{"type":"Unigram"}}"#).unwrap();
    let refused = nearfind(&["model", "import", &tiny]);
    assert!(stderr(&refused).contains("tokenizer.json"), "{}", stderr(&refused));
    // The tiny model has a table with eight rows.
    let vocabulary: Vec<_> = (0..9).map(|number| (format!("p{number}"), -1.0)).collect();
    let unigram = serde_json::json!({ "model": { "type": "Unigram", "unk_id": 0, "vocab": vocabulary } });
    std::fs::write(site.path("tiny/tokenizer.json"), unigram.to_string()).unwrap();
    std::fs::write(site.path("tiny/config.json"), r#"{"vocab_size":8}"#).unwrap();
    let refused = nearfind(&["model", "import", &tiny]);
    assert!(stderr(&refused).contains("they belong to different models"), "{}", stderr(&refused));
}

#[test]
fn bad_files_are_reported_and_the_rest_is_indexed() {
    let site = Site::with_docs();
    site.write("broken.ipynb", "{\"cells\": [");
    site.write("nested.ipynb", &"[".repeat(100_000));
    site.write("deep.html", &format!("<main>{}x", "<div>".repeat(100_000)));
    site.write("unclosed.html", "<!doctype html><main><h1>Penguins<p>They <b>swim <div>and do not fly.");
    site.write("big.md", &"word ".repeat(4_000_000));
    site.write("aliases.md", &format!("---\na: &a [x,x]\n{}title: *a\n---\n# Anchors\n", "b: [*a,*a,*a]\n".repeat(3)));
    let indexed = site.index(&[]);
    assert!(indexed.status.success(), "{}", stderr(&indexed));
    for name in ["broken.ipynb", "nested.ipynb", "deep.html", "big.md"] {
        assert!(stderr(&indexed).contains(&format!("{name}: left out")), "{name}: {}", stderr(&indexed));
    }
    let found = json(&stdout(&nearfind(&["search", &site.bundle(), "penguins", "--json", "--mode", "words"])));
    assert_eq!(found["hits"][0]["path"], "unclosed.html");
}

#[test]
fn unusual_questions_are_answered_or_refused_with_a_reason() {
    let site = Site::indexed();
    let long = "threads ".repeat(1250);
    for question in ["the of and", "?!…", "🦀🦀🦀", "a\u{1}b\u{7}", "索引 über каналы threads", &long, "\"", "-x", "--"]
    {
        let answered = nearfind(&["search", &site.bundle(), "--json", "--", question]);
        assert!(answered.status.success(), "{question}: {}", stderr(&answered));
        assert!(json(&stdout(&answered))["hits"].is_array());
    }
    let words = nearfind(&["search", &site.bundle(), "--mode", "words", "--", "?!"]);
    assert!(stdout(&words).contains("nothing found"), "{}", stdout(&words));
}

/// Only one of the words is on a page, which is not enough for an answer.
const OFF_TOPIC: &str = "which threads knit a warm woollen jumper for grandmother";

#[test]
fn if_no_page_fits_the_nearest_are_shown_as_such() {
    let site = Site::indexed();
    let ask = |more: &[&str]| {
        let bundle = site.bundle();
        let arguments = [&["search", &bundle, OFF_TOPIC, "--mode", "words"], more].concat();
        let answered = nearfind(&arguments);
        assert!(answered.status.success(), "{}", stderr(&answered));
        stdout(&answered)
    };
    let answer = json(&ask(&["--json"]));
    assert_eq!(answer["hits"], Value::Array(Vec::new()), "programs that count hits count none");
    let nearest = answer["nearest"].as_array().unwrap();
    assert!(!nearest.is_empty() && nearest.iter().all(|hit| hit["why"]["fit"].as_f64() < Some(1.0)), "{nearest:?}");
    let text = ask(&[]);
    assert!(
        text.starts_with("nothing found that fits: try different or fewer keywords; these come nearest\n1. "),
        "{text}"
    );
    assert!(text.contains("\n0 documents by words"), "{text}");
    // With the option, weak matches are hits.
    let weak = json(&ask(&["--json", "--unfit"]));
    assert_eq!(weak["hits"].as_array().unwrap().len(), nearest.len());
    assert!(weak.get("nearest").is_none());
    // No page contains any of these words.
    let none = json(&stdout(&nearfind(&["search", &site.bundle(), "penguins", "--mode", "words", "--json"])));
    assert!(none["hits"] == Value::Array(Vec::new()) && none.get("nearest").is_none(), "{none}");
}

#[test]
fn exact_text_is_found_line_by_line() {
    let site = Workplace::new();
    site.write("docs/a.md", "# A\n\nCall `x.add_filter(a, b)` here.\nAnd ADD_FILTER( there.\n\n## Part\n\ntab\there\n");
    site.write("docs/b.md", "# B\n\nNothing.\n");
    assert!(site.run(&["index", "docs", "-o", "search", "--model", "tiny", "-q", "--no-box"]).status.success());
    let found = |arguments: &[&str]| {
        let all: Vec<&str> = ["grep", "search"].into_iter().chain(arguments.iter().copied()).collect();
        let output = site.run(&all);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let lines = found(&["add_filter(", "-F", "-i"]);
    assert!(lines.contains("docs/a.md\n3:Call `x.add_filter(a, b)` here.\n4:And ADD_FILTER( there.\n"), "{lines}");
    assert!(lines.contains("2 lines in 1 document\n"), "{lines}");
    assert!(found(&["ADD_FILTER(", "-F"]).contains("1 line in 1 document"));
    let around = found(&["^## p", "-i", "-C", "1"]);
    assert!(around.contains("5-\n6:## Part\n7-\n"), "{around}");
    assert!(found(&["add_filter[(]", "-i", "-n", "1"]).contains("2 lines in 1 document, 1 shown"));
    assert!(found(&["ad+_filter", "-i", "-n", "1", "--offset", "1"]).contains("4:And ADD_FILTER( there."));
    assert!(found(&["zzz"]).contains("0 lines in 0 documents"));
    assert!(found(&["a", "--path", "b[.]md$"]).contains("0 lines in 0 documents"), "only b.md is looked at");
    let json: serde_json::Value = serde_json::from_str(&found(&["tab\there", "-F", "--json"])).unwrap();
    assert_eq!(json["found"][0]["section"], "Part");
    let refused = site.run(&["grep", "search", "("]);
    assert!(stderr(&refused).contains("not a valid regular expression"), "{}", stderr(&refused));
}
