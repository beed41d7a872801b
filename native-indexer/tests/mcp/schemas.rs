//! The contract with clients: names, descriptions and schemas of tools as they were accepted. A change must be meant: run
//! the test with NEARFIND_ACCEPT=1 and read the difference.

use crate::client::{Client, site};
use serde_json::{Value, json};

const ACCEPTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/tools.json");

#[test]
fn tools_are_as_they_were_accepted() {
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
fn tools_are_described_for_those_who_choose_among_them() {
    let place = site();
    let mut client = Client::start(&place, &["--allow-update"]);
    let listed = client.request("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(name.len() <= 64 && name.bytes().all(|c| c.is_ascii_lowercase() || c == b'_'), "{name}");
        assert!(tool["title"].is_string() && tool["annotations"]["title"].is_string());
        let description = tool["description"].as_str().unwrap();
        assert!(description.contains("se it ") || description.contains("Start here"), "{name} says when to use it");
        // Clients cut longer ones.
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
fn outcomes_are_as_their_schemas_say() {
    let place = site();
    let mut client = Client::start(&place, &["--allow-update"]);
    let listed = client.request("tools/list", json!({}));
    for (name, arguments) in [
        ("search", json!({ "query": "button" })),
        ("search", json!({ "query": "xyzzy buton", "content": "none", "mode": "words" })),
        ("get_document", json!({ "path": "guide.md", "lines": 2 })),
        ("get_reference_guide", json!({ "component": "Button" })),
        ("pages", json!({ "query": "button", "max_results": 1, "content": false })),
        ("list_documents", json!({ "limit": 1 })),
        ("list_projects", json!({})),
        ("index_status", json!({})),
        ("update_index", json!({})),
    ] {
        let tool = listed["result"]["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        let outcome = client.call(name, arguments).unwrap();
        conforms(&outcome, &tool["outputSchema"], &tool["outputSchema"], name);
    }
}

/// As much of JSON Schema as the schemas here use.
fn conforms(value: &Value, schema: &Value, root: &Value, at: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        return conforms(value, root.pointer(&reference[1..]).unwrap(), root, at);
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().map(|kind| kind.as_str().unwrap()).collect(),
        _ => {
            let branches = schema["anyOf"].as_array().unwrap_or_else(|| panic!("{at}: no type"));
            assert!(branches.len() > 1);
            return;
        }
    };
    let is = |kind: &&str| match *kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{at}: {other}"),
    };
    assert!(kinds.iter().any(is), "{at}: {value} is not {kinds:?}");
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{at} lacks {name}");
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let of_name = schema["properties"].get(name).or(schema.get("additionalProperties"));
        conforms(
            inner,
            of_name.unwrap_or_else(|| panic!("{at}.{name} is not in the schema")),
            root,
            &format!("{at}.{name}"),
        );
    }
    for inner in value.as_array().into_iter().flatten() {
        conforms(inner, &schema["items"], root, &format!("{at}[]"));
    }
}
