//! The protocol in both of its versions. Standard output contains nothing but messages.

use super::client::{Client, site};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::process::Stdio;

const MODERN: &str = "2026-07-28";

/// Returns the metadata of every request of the stateless protocol.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn the_protocol_with_a_handshake() {
    let place = site();
    let mut client = Client::spawn(&place, &[]);
    let answer = client.initialize("2025-11-25");
    let result = &answer["result"];
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(
        (&result["serverInfo"]["name"], &result["serverInfo"]["version"]),
        (&json!("nearfind"), &json!(env!("CARGO_PKG_VERSION")))
    );
    let instructions = result["instructions"].as_str().unwrap();
    assert!(instructions.contains("\"alpha\" (3)") && instructions.contains("\"beta-docs\" (3)"), "{instructions}");
    assert!(instructions.chars().count() <= 2000);
    client.notify("notifications/initialized", json!({}));
    assert!(client.request("ping", json!({}))["result"].is_object());
    let tools = client.request("tools/list", json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "search",
            "get_document",
            "get_reference_guide",
            "grep",
            "outline",
            "related",
            "research",
            "pages",
            "list_documents",
            "list_projects",
            "index_status"
        ]
    );
    assert_eq!(client.request("tools/list", json!({}))["result"], tools["result"], "the same each time");
    let (rest, status) = client.finish();
    assert_eq!((rest.as_str(), status.code()), ("", Some(0)));
}

#[test]
fn the_protocol_without_a_handshake() {
    let place = site();
    let mut client = Client::spawn(&place, &[]);
    let discovered = client.request("server/discover", json!({ "_meta": meta() }));
    let result = &discovered["result"];
    assert!(result["supportedVersions"].as_array().unwrap().contains(&json!(MODERN)), "{discovered}");
    assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string() && result["resultType"] == "complete");
    let tools = client.request("tools/list", json!({ "_meta": meta() }));
    assert!(tools["result"]["ttlMs"].as_u64() > Some(0), "{tools}");
    let called = client.request(
        "tools/call",
        json!({ "name": "search", "arguments": { "query": "colour map", "mode": "words" }, "_meta": meta() }),
    );
    assert_eq!(called["result"]["resultType"], "complete");
    assert_eq!(called["result"]["structuredContent"]["results"][0]["document"], "alpha/doc/guide.md");
    let read =
        client.request("resources/read", json!({ "uri": "nearfind://documents/alpha/doc/index.md", "_meta": meta() }));
    assert!(read["result"]["ttlMs"].is_u64() && read["result"]["cacheScope"].is_string(), "{read}");
    let missing =
        client.request("resources/read", json!({ "uri": "nearfind://documents/alpha/doc/none.md", "_meta": meta() }));
    assert_eq!(missing["error"]["code"], -32602);
    let unsupported =
        client.request("tools/list", json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "1999-01-01" } }));
    assert_eq!(unsupported["error"]["code"], -32022, "{unsupported}");
    let (rest, status) = client.finish();
    assert_eq!((rest.as_str(), status.code()), ("", Some(0)));
}

#[test]
fn the_server_ends_cleanly_if_the_client_disconnects_at_once() {
    let place = site();
    for sent in ["", "\n", "no message\n"] {
        let mut child = super::client::server(&place, &[]).spawn().unwrap();
        child.stdin.take().unwrap().write_all(sent.as_bytes()).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{sent:?} {:?}", String::from_utf8_lossy(&ended.stderr));
        let messages = String::from_utf8(ended.stdout).unwrap();
        let codes: Vec<i64> = messages
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["error"]["code"].as_i64().unwrap())
            .collect();
        assert_eq!(codes, if sent.trim().is_empty() { &[][..] } else { &[-32700] });
    }
}

#[test]
fn requests_before_the_end_of_input_are_answered() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    for number in 0..20 {
        client.begin("tools/call", json!({ "name": "search", "arguments": { "query": format!("colour {number}") } }));
    }
    let (rest, status) = client.finish();
    let answered = rest
        .lines()
        .filter(|line| serde_json::from_str::<Value>(line).unwrap()["result"]["structuredContent"].is_object());
    assert_eq!((answered.count(), status.code()), (20, Some(0)));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server() {
    let place = site();
    for signal in ["TERM", "INT"] {
        let mut client = Client::start(&place, &[]);
        client.call("index_status", json!({})).unwrap();
        let id = client.process().id().to_string();
        assert!(std::process::Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
        assert!(client.receive().is_none(), "{signal}");
        let status = client.process().wait().unwrap();
        assert_eq!(status.code(), Some(0), "{signal}");
    }
}

#[test]
fn a_cancelled_request_has_no_response() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let id = client.begin("tools/call", json!({ "name": "search", "arguments": { "query": "colour" } }));
    client.notify("notifications/cancelled", json!({ "requestId": id, "reason": "no more" }));
    // The request may have been answered before it was canceled, but the connection continues in both cases.
    assert!(client.call("list_projects", json!({})).is_ok());
}

#[test]
fn a_missing_bundle_is_reported_in_answers() {
    let place = site();
    let mut child = super::client::server(&place, &["--bundle", "nowhere"]).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdin.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("nowhere: there is no index here; build one with `nearfind index`"), "{said}");
    child.wait().unwrap();
    let mut client = Client::start(&place, &["--bundle", "nowhere"]);
    let error = client.call("search", json!({ "query": "a" })).unwrap_err();
    assert!(error.contains("there is no index to read") && error.contains("there is no index here"), "{error}");
    assert!(client.call("index_status", json!({})).unwrap()["bundles"][0]["problem"].is_string());
}

#[test]
fn a_missing_bundle_of_a_configuration_explains_how_to_build_it() {
    let place = site();
    std::fs::remove_dir_all(place.path("search")).unwrap();
    let mut client = Client::start(&place, &["--allow-update"]);
    let error = client.call("search", json!({ "query": "colour" })).unwrap_err();
    assert!(error.contains("build it with `nearfind update --config ") && error.contains("nearfind.toml`"), "{error}");
    client.call("update_index", json!({})).unwrap();
    assert!(client.call("search", json!({ "query": "colour" })).is_ok());
}
