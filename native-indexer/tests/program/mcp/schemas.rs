//! The contract with clients: accepted names, descriptions and schemas of tools. If a change is intended, run the test
//! with NEARFIND_ACCEPT=1, and review the difference.

use super::client::{Client, shared_site, site};
use boon::{Compiler, Schemas};
use serde_json::{Value, json};

const ACCEPTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/mcp/tools.json");

#[test]
fn tools_are_equal_to_the_accepted_ones() {
    let place = site();
    let mut client = Client::start(&place, &["--allow-update"]);
    let mut listed = client.request("tools/list", json!({}));
    let text = serde_json::to_string_pretty(&listed["result"]["tools"].take()).unwrap() + "\n";
    if std::env::var_os("NEARFIND_ACCEPT").is_some() {
        std::fs::write(ACCEPTED, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(ACCEPTED).is_ok_and(|accepted| accepted == text),
        "the tools are not those of {ACCEPTED}: read what changed, and accept it with NEARFIND_ACCEPT=1"
    );
}

#[test]
fn descriptions_of_tools_say_when_to_use_them() {
    let place = shared_site();
    let mut client = Client::start(&place, &["--allow-update"]);
    let listed = client.request("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(name.len() <= 64 && name.bytes().all(|c| c.is_ascii_lowercase() || c == b'_'), "{name}");
        assert!(tool["title"].is_string() && tool["annotations"]["readOnlyHint"].is_boolean());
        let description = tool["description"].as_str().unwrap();
        assert!(description.contains("se it ") || description.contains("Start here"), "{name} says when to use it");
        // Clients truncate longer descriptions.
        assert!(description.len() < 2000);
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{name}");
        }
        let properties = tool["inputSchema"]["properties"].as_object().into_iter().flatten();
        for (argument, schema) in properties {
            assert!(schema["description"].is_string(), "{name} {argument}");
        }
    }
}

#[test]
fn agents_receive_only_text() {
    let place = shared_site();
    let mut client = Client::plain(&place, &["--allow-update"]);
    let listed = client.request("tools/list", json!({}));
    let tools = &listed["result"]["tools"];
    assert!(tools.as_array().unwrap().iter().all(|tool| tool.get("outputSchema").is_none()));
    let chars = tools.to_string().chars().count();
    assert!(chars <= 12_000, "{chars} characters");
    let text = client.text("search", json!({ "query": "button" })).unwrap();
    assert!(text.contains("document: alpha/examples/reference/widgets/Button.ipynb"), "{text}");
    let long = client.text("search", json!({ "query": "x".repeat(100_000) })).unwrap_err();
    assert!(long.chars().count() < 200, "{long}");
}

#[test]
fn connectors_get_the_two_tools_that_they_support() {
    let place = shared_site();
    let mut client = Client::plain(&place, &["--connector"]);
    let listed = client.request("tools/list", json!({}));
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["search", "fetch"]);
    let mut json = |tool: &str, arguments: Value| -> Value {
        serde_json::from_str(&client.text(tool, arguments).unwrap()).unwrap()
    };
    let found = json("search", json!({ "query": "colour map" }));
    let row = found["results"].as_array().unwrap().iter().find(|row| row["id"] == "alpha/doc/guide.md").unwrap();
    assert_eq!((&row["title"], &row["url"]), (&json!("Guide"), &json!("https://alpha.example.org/guide.html")));
    let fetched = json("fetch", json!({ "id": row["id"] }));
    assert_eq!((&fetched["id"], &fetched["url"], &fetched["title"]), (&row["id"], &row["url"], &row["title"]));
    assert!(fetched["text"].as_str().unwrap().starts_with("# Guide\n") && fetched["metadata"]["project"] == "alpha");
}

#[test]
fn a_lean_list_is_short_and_the_other_tools_can_be_called() {
    let place = shared_site();
    let mut client = Client::plain(&place, &["--lean"]);
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["search", "get_document", "grep"], "without source code, there are no symbols");
    let chars = serde_json::to_string(tools).unwrap().chars().count();
    assert!(chars <= 5_000, "{chars} characters");
    assert!(client.text("index_status", json!({})).unwrap().contains("documents"));
}

#[test]
fn every_tool_lists_its_properties() {
    let place = shared_site();
    let mut client = Client::plain(&place, &["--allow-update"]);
    let listed = client.request("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert!(tool["inputSchema"]["properties"].is_object(), "some clients refuse this: {tool}");
    }
}

#[test]
fn outcomes_match_their_schemas() {
    let place = shared_site();
    let mut client = Client::start(&place, &["--allow-update"]);
    let listed = client.request("tools/list", json!({}));
    for (name, arguments) in [
        ("search", json!({ "query": "button" })),
        ("search", json!({ "query": "xyzzy buton", "content": "none", "mode": "words" })),
        ("get_document", json!({ "path": "guide.md", "lines": 2 })),
        ("get_reference_guide", json!({ "component": "Button" })),
        ("pages", json!({ "query": "button", "max_results": 1, "content": false })),
        ("list_documents", json!({ "limit": 1 })),
        ("research", json!({ "questions": ["button", "xyzzy"] })),
        ("research", json!({ "questions": "button", "cluster": 1 })),
        ("list_projects", json!({})),
        ("index_status", json!({})),
        ("update_index", json!({})),
    ] {
        let tool = listed["result"]["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        let outcome = client.call(name, arguments).unwrap();
        let mut schema = tool["outputSchema"].clone();
        close(&mut schema);
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("outcome.json", schema).unwrap();
        let compiled = compiler.compile("outcome.json", &mut schemas).unwrap();
        schemas.validate(&outcome, compiled).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    }
}

/// Forbids properties of objects in `schema` that it does not declare.
fn close(schema: &mut Value) {
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema["additionalProperties"] = Value::Bool(false);
    }
    match schema {
        Value::Object(entries) => entries.values_mut().for_each(close),
        Value::Array(entries) => entries.iter_mut().for_each(close),
        _ => {}
    }
}
