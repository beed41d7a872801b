//! The tool that updates the index.

use super::client::{Client, documents, outcome, site};
use crate::support::Workplace;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[test]
fn an_update_reports_progress_and_its_result() {
    let place = site();
    let mut client = Client::start(&place, &["--allow-update"]);
    let tools = client.request("tools/list", json!({}));
    let tool = tools["result"]["tools"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&tool["name"], &tool["annotations"]["readOnlyHint"]), (&json!("update_index"), &json!(false)));
    let same = client.call("update_index", json!({})).unwrap();
    assert!(same.get("reason").is_none() && same["failures"] == json!([]), "{same}");

    place.write("alpha/doc/new.md", "# New\n\nAbout wombats.\n");
    let id = client
        .begin("tools/call", json!({ "name": "update_index", "arguments": {}, "_meta": { "progressToken": "p" } }));
    let response = client.response(id);
    let updated = outcome(&response).unwrap();
    assert_eq!(updated["changes"], json!([{ "project": "alpha", "added": 1, "changed": 0, "removed": 0, "moved": 0 }]));
    let notes: Vec<f64> = client
        .notifications
        .iter()
        .filter(|note| note["method"] == "notifications/progress")
        .map(|note| {
            assert_eq!(note["params"]["progressToken"], "p");
            note["params"]["progress"].as_f64().unwrap()
        })
        .collect();
    assert!(!notes.is_empty() && notes.is_sorted_by(|a, b| a < b), "{:?}", client.notifications);
    let found = client.call("search", json!({ "query": "wombats", "mode": "words" })).unwrap();
    assert_eq!(documents(&found)[0], "alpha/doc/new.md");

    let unknown = client.call("update_index", json!({ "project": "zzz" })).unwrap_err();
    assert!(unknown.contains("unknown projects: zzz; available projects: alpha, beta-docs"), "{unknown}");
    let option = client.call("update_index", json!({ "project": "--help" })).unwrap_err();
    assert!(option.contains("unknown projects: --help"), "{option}");
}

#[test]
fn an_update_has_the_cache_of_the_server() {
    let place = site();
    let mut client = Client::start(&place, &["--allow-update", "--cache", "other"]);
    client.call("update_index", json!({})).unwrap();
    // The record of the build is in that cache.
    assert!(place.path("other/builds").exists());
}

/// Returns a site with an update that takes seconds.
pub(crate) fn site_with_much_to_do() -> Workplace {
    let place = site();
    for number in 0..3000 {
        place.write(
            &format!("alpha/doc/many/{number}.md"),
            &format!("# Page {number}\n\n{}\n", format!("word{number} ").repeat(300)),
        );
    }
    place
}

#[test]
fn an_update_can_be_cancelled_and_only_one_runs() {
    let place = site_with_much_to_do();
    let mut client = Client::start(&place, &["--allow-update"]);
    let generation =
        |client: &mut Client| client.call("index_status", json!({})).unwrap()["bundles"][0]["generation"].clone();
    let before = generation(&mut client);
    let begun = Instant::now();
    let id =
        client.begin("tools/call", json!({ "name": "update_index", "arguments": {}, "_meta": { "progressToken": 1 } }));
    assert_eq!(client.receive().unwrap()["method"], "notifications/progress", "it has begun");
    // Other requests are served meanwhile.
    assert!(client.call("search", json!({ "query": "colour" })).is_ok());
    let second = client.call("update_index", json!({})).unwrap_err();
    assert!(second.contains("an update is under way"), "{second}");
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    // Until it has ended, no other update can begin.
    while client.call("update_index", json!({ "project": "zzz" })).unwrap_err().contains("under way") {
        assert!(begun.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(generation(&mut client), before);
    assert!(
        client.notifications.iter().all(|message: &Value| message["id"] != id),
        "no response to what was cancelled"
    );
}

#[test]
fn updates_are_not_offered_without_a_configuration() {
    let place = site();
    let refused = place.run(&["mcp", "--bundle", "search", "--allow-update", "--config", "none.toml"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(crate::support::stderr(&refused).contains("none.toml"));
}

#[test]
fn a_server_updates_its_index_automatically() {
    let place = site();
    let mut client = Client::start(&place, &["--update-every", "0.0001"]);
    place.write("alpha/doc/new.md", "# Novelty\n\nA wombat, which nobody had written about.\n");
    let begun = Instant::now();
    loop {
        let found = client.call("grep", json!({ "pattern": "wombat" })).unwrap();
        if found["total_lines"] == 1 {
            break;
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "{found}");
        std::thread::sleep(Duration::from_millis(50));
    }
    // The time of the check is recorded after the bundle is written.
    let status = loop {
        let status = client.call("index_status", json!({})).unwrap();
        if status["bundles"][0]["project_age_hours"]["alpha"].is_number() {
            break status;
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "{status}");
    };
    for age in [&status["bundles"][0]["age_hours"], &status["bundles"][0]["project_age_hours"]["alpha"]] {
        assert!(age.as_f64().unwrap() < 1.0, "{status}");
    }
    // Agents cannot request an update.
    let tools = client.request("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["name"] != "update_index"));
}
