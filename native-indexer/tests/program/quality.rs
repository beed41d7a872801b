//! The project's own judged questions about a small manual in all formats. `judged/queries.jsonl` explains why the
//! judged pages are relevant. The tests need the default model, which `tests/run.sh` puts into the store.

use crate::support::{nearfind_with_default_model, stderr, stdout};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::OnceLock;

const JUDGED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/judged");

/// Returns the bundle of the manual, which is built once.
fn bundle() -> &'static str {
    static BUNDLE: OnceLock<String> = OnceLock::new();
    BUNDLE.get_or_init(|| {
        let out = concat!(env!("CARGO_TARGET_TMPDIR"), "/judged-bundle");
        let (docs, config) = (format!("{JUDGED}/docs"), format!("{JUDGED}/nearfind.toml"));
        let indexed = nearfind_with_default_model(&["index", &docs, "-o", out, "--config", &config, "-q"]);
        assert!(indexed.status.success() && stderr(&indexed).is_empty(), "{}", stderr(&indexed));
        out.to_owned()
    })
}

fn evaluated(arguments: &[&str]) -> Value {
    let (queries, qrels) = (format!("{JUDGED}/queries.jsonl"), format!("{JUDGED}/qrels.tsv"));
    let all = [&["eval", bundle(), "--queries", &queries, "--qrels", &qrels, "--json"], arguments].concat();
    let output = nearfind_with_default_model(&all);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn search(question: &str, arguments: &[&str]) -> Value {
    let output =
        nearfind_with_default_model(&[&["search", bundle(), "--json", "-n", "3", question], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn the_judged_questions_are_answered() {
    // The whole ranking is evaluated.
    let measured = evaluated(&["--unfit"]);
    let ndcg = |mode: &str, category: &str| measured[mode][category]["ndcg_at_10"].as_f64().unwrap();
    // Exact matches must come first, and matches by meaning must be near the top.
    for (category, least) in [
        ("identifier", 0.99),
        ("typo", 0.99),
        ("syntax", 0.99),
        ("language", 0.99),
        ("howto", 0.85),
        ("paraphrase", 0.7),
        ("all", 0.92),
    ] {
        assert!(ndcg("hybrid", category) >= least, "{category}: {measured:#}");
    }
    // The hybrid ranking is better than both of its parts.
    assert!(ndcg("hybrid", "all") > ndcg("words", "all").max(ndcg("meaning", "all")), "{measured:#}");
    // Meaning finds pages that words cannot find.
    assert!(ndcg("meaning", "paraphrase") > ndcg("words", "paraphrase") + 0.2, "{measured:#}");
    for mode in ["words", "meaning", "hybrid"] {
        assert_eq!(measured[mode]["all"]["empty"], 0.0, "every question has a ranking");
    }
    let asked = evaluated(&["--mode", "hybrid"]);
    assert_eq!(asked["hybrid"]["all"]["empty"], 0.0, "a reasonable question is never answered by a blank page");
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn the_table_ranks_nearly_as_well() {
    let measured = evaluated(&["--tier", "1", "--mode", "hybrid", "--unfit"]);
    assert!(measured["hybrid"]["all"]["ndcg_at_10"].as_f64().unwrap() >= 0.9, "{measured:#}");
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn the_small_encoder_answers_as_well() {
    let measured = evaluated(&["--small", "--mode", "hybrid"]);
    // About the same quality as with the model, within the change of one question in 24.
    assert!(measured["hybrid"]["all"]["ndcg_at_10"].as_f64().unwrap() >= 0.92, "{measured:#}");
    assert_eq!(measured["hybrid"]["all"]["empty"], 0.0, "{measured:#}");
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn runs_are_compared_with_a_saved_one_and_with_other_engines() {
    let saved = concat!(env!("CARGO_TARGET_TMPDIR"), "/judged-scores.json");
    evaluated(&["--mode", "words", "--save", saved]);
    let ranked = concat!(env!("CARGO_TARGET_TMPDIR"), "/judged-ranked.jsonl");
    std::fs::write(ranked, "{\"_id\": \"i5\", \"documents\": [\"docs/guide/drivers.md\"]}\n").unwrap();
    let other = format!("other={ranked}");
    let measured = evaluated(&["--mode", "words", "--baseline", saved, "--ranked", &other]);
    assert_eq!(measured["words"]["all"]["baseline"]["difference"], 0.0);
    assert_eq!(measured["words"]["all"]["baseline"]["p"], 1.0);
    let found = measured["other"]["all"]["ndcg_at_10"].as_f64().unwrap()
        * measured["other"]["all"]["queries"].as_f64().unwrap();
    assert!((found - 1.0).abs() < 1e-9, "one query answered: {measured:#}");
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn every_format_is_read_without_its_markup() {
    let exported = nearfind_with_default_model(&["export", bundle()]);
    let documents: Vec<Value> = stdout(&exported).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let text = |path: &str| {
        let document = documents.iter().find(|document| document["path"] == path).unwrap();
        document["sections"]
            .as_array()
            .unwrap()
            .iter()
            .map(|section| section["text"].as_str().unwrap())
            .collect::<String>()
    };
    assert!(text("guide/queues.md").contains("**Starvation**") && !text("guide/queues.md").contains(":class:"));
    assert!(text("guide/workers.rst").contains("```sh\nharbor work") && !text("guide/workers.rst").contains("::"));
    assert!(text("guide/tour.ipynb").contains("accepted job 7f3a"));
    // A page that only includes the notebook is an alias of it, and so is the Markdown file of a converted notebook.
    let aliases: BTreeSet<&str> = documents
        .iter()
        .flat_map(|document| document["aliases"].as_array().unwrap())
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(aliases, BTreeSet::from(["guide/tour.md", "guide/tour_page.rst"]));
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn hits_contain_the_requested_amount_of_text() {
    let content = |mode: &str, most: &str| {
        search("verify the checksum", &["--content", mode, "--max-content-chars", most])["hits"][0]["content"].clone()
    };
    assert_eq!(content("none", "100"), Value::Null);
    let full = content("full", "100");
    let full = full.as_str().unwrap();
    assert!(full.starts_with("# Install Harbor") && full.contains("## Uninstall"), "{full}");
    assert_eq!(content("truncated", "10000"), full, "what fits stays whole");
    let short = content("truncated", "300");
    let short = short.as_str().unwrap();
    assert!(short.chars().count() <= 300 && short.contains("checksum") && short.contains("--content full"), "{short}");
    assert!(full.contains(content("chunk", "100").as_str().unwrap()));
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn filters_select_versions_and_errors_list_the_valid_values() {
    let old = search("upgrade", &["--filter", "version=1.9"]);
    assert_eq!(old["hits"][0]["document"], "docs/1.9/upgrading.md");
    assert_eq!(old["hits"].as_array().unwrap().len(), 1);
    let latest = search("upgrade", &[]);
    let versions = latest["hits"][0]["versions"].as_array().unwrap();
    assert_eq!(versions.iter().map(|version| version["version"].as_str().unwrap()).collect::<Vec<_>>(), ["2.0", "1.9"]);
    let refused = nearfind_with_default_model(&["search", bundle(), "upgrade", "--filter", "version=3.0"]);
    assert!(stderr(&refused).contains("use one of 1.9, 2.0"), "{}", stderr(&refused));
    let refused = nearfind_with_default_model(&["search", bundle(), "upgrade", "--project", "harbour"]);
    assert!(stderr(&refused).contains("use one of docs"), "{}", stderr(&refused));
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn explanations_add_up() {
    let answer = search("set the priority of a job", &["--explain"]);
    for hit in answer["hits"].as_array().unwrap() {
        let z = |list: &str| {
            let evidence = &hit["why"][list];
            evidence["z"].as_f64().unwrap() * evidence["weight"].as_f64().unwrap()
        };
        assert!((hit["why"]["fused"].as_f64().unwrap() - z("words") - z("meaning")).abs() < 1e-4, "{hit:#}");
    }
}
