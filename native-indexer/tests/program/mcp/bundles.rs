//! Several bundles that answer as one, and bundles of different models side by side.

use super::client::{Client, documents, site};
use crate::support::{stderr, tiny_onnx_model};
use serde_json::{Value, json};

/// Builds a second bundle with `model`.
fn second(place: &crate::support::Workplace, model: &str) {
    place.write("more/zoo.md", "# Zoo\n\nAnimals of the zoo: a zebra and a table of animals.\n");
    let built = place.run(&[
        "index",
        "zoo=more",
        "-o",
        "second",
        "--model",
        model,
        "--quiet",
        "--base-url",
        "zoo=https://zoo.example.org",
    ]);
    assert!(built.status.success(), "{}", stderr(&built));
}

#[test]
fn bundles_of_one_model_answer_as_one() {
    let place = site();
    second(&place, "tiny");
    let mut client = Client::start(&place, &["--bundle", "search", "--bundle", "second"]);
    let found = client.call("search", json!({ "query": "table", "mode": "words" })).unwrap();
    let ids = documents(&found);
    assert!(ids.contains(&"zoo/zoo.md") && ids.contains(&"beta-docs/doc/tables.md"), "{ids:?}");
    assert!(found.get("notices").is_none(), "{found}");
    let scores: Vec<f64> =
        found["results"].as_array().unwrap().iter().map(|hit| hit["relevance_score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "scores compare: {scores:?}");
    let zoo = found["results"].as_array().unwrap().iter().find(|hit| hit["project"] == "zoo").unwrap();
    assert_eq!((&zoo["bundle"], &zoo["url"]), (&json!("second"), &json!("https://zoo.example.org/zoo.md#zoo")));
    let either = client.call("search", json!({ "query": "table", "project": ["zoo", "alpha"] })).unwrap();
    assert!(documents(&either).iter().all(|id| !id.starts_with("beta")));
    let projects = client.call("list_projects", json!({})).unwrap();
    let names: Vec<&Value> = projects["projects"].as_array().unwrap().iter().map(|project| &project["name"]).collect();
    assert_eq!(names, ["alpha", "beta-docs", "zoo"]);
    assert_eq!(client.call("list_documents", json!({})).unwrap()["total"], 7);
}

#[test]
fn bundles_of_different_models_are_searched_separately_and_labelled() {
    let place = site();
    let folder = tempfile::tempdir().unwrap();
    let model = tiny_onnx_model(folder.path().to_str().unwrap());
    let imported = place.run(&["model", "import", &model, "--name", "other"]);
    assert!(imported.status.success(), "{}", stderr(&imported));
    second(&place, "other");
    let mut client = Client::start(&place, &["--bundle", "search", "--bundle", "second"]);
    let found = client.call("search", json!({ "query": "table", "max_results": 4 })).unwrap();
    let notice = found["notices"][0].as_str().unwrap();
    assert!(notice.contains("search (tiny) and second (other) were made with different models"), "{notice}");
    let bundles: Vec<&str> =
        found["results"].as_array().unwrap().iter().map(|hit| hit["bundle"].as_str().unwrap()).collect();
    assert_eq!(bundles[..2], ["search", "second"], "they take turns");
    let narrowed = client.call("search", json!({ "query": "table", "project": "zoo" })).unwrap();
    assert_eq!(documents(&narrowed), ["zoo/zoo.md"]);
    let pages = client.call("pages", json!({ "query": "table", "path": "zoo|tables" })).unwrap();
    assert_eq!(pages["pages"].as_array().unwrap().len(), 2);
}

#[test]
fn a_broken_bundle_does_not_affect_others() {
    let place = site();
    place.write("broken/nearfind.json", "<!doctype html>");
    let mut client = Client::start(&place, &["--bundle", "broken", "--bundle", "search"]);
    let found = client.call("search", json!({ "query": "colour", "mode": "words" })).unwrap();
    assert_eq!(documents(&found)[0], "alpha/doc/guide.md");
    assert!(
        found["notices"][0].as_str().unwrap().contains("broken/nearfind.json: nearfind.json: not a manifest"),
        "{found}"
    );
    // The bundle is used again after its repair.
    second(&place, "tiny");
    std::fs::remove_dir_all(place.path("broken")).unwrap();
    std::fs::rename(place.path("second"), place.path("broken")).unwrap();
    let found = client.call("search", json!({ "query": "zebra", "mode": "words" })).unwrap();
    assert_eq!(documents(&found)[0], "zoo/zoo.md");
}

#[test]
fn a_rewritten_bundle_is_reloaded() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let before = client.call("index_status", json!({})).unwrap()["bundles"][0]["generation"].clone();
    place.write("alpha/doc/new.md", "# New\n\nAbout wombats.\n");
    std::fs::remove_file(place.path("alpha/doc/guide.md")).unwrap();
    super::client::update(&place);
    let found = client.call("search", json!({ "query": "wombats", "mode": "words" })).unwrap();
    assert_eq!(documents(&found)[0], "alpha/doc/new.md");
    assert!(client.call("get_document", json!({ "path": "guide.md" })).is_err());
    assert_ne!(client.call("index_status", json!({})).unwrap()["bundles"][0]["generation"], before);
}

#[test]
fn without_its_model_a_bundle_answers_by_its_query_encoder_and_reports_it() {
    let place = site();
    std::fs::remove_dir_all(place.path("models")).unwrap();
    let mut client = Client::start(&place, &[]);
    let found = client.call("search", json!({ "query": "colour" })).unwrap();
    assert!(documents(&found).contains(&"alpha/doc/guide.md"));
    let notice = found["notices"][0].as_str().unwrap();
    assert!(notice.contains("searching by") && notice.contains("nearfind model fetch"), "{notice}");
}
