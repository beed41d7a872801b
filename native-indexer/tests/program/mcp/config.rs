//! Configurations for clients.

use super::client::site;
use crate::support::{stderr, stdout};
use serde_json::Value;

#[test]
fn the_printed_configuration_starts_the_server() {
    let place = site();
    for (client, way) in [
        ("claude-desktop", "/mcpServers/nearfind"),
        ("claude-code", "/mcpServers/nearfind"),
        ("cursor", "/mcpServers/nearfind"),
        ("vscode", "/servers/nearfind"),
        ("zed", "/context_servers/nearfind"),
        ("gemini", "/mcpServers/nearfind"),
        ("windsurf", "/mcpServers/nearfind"),
        ("copilot", "/mcpServers/nearfind"),
        ("jetbrains", "/mcpServers/nearfind"),
    ] {
        let printed = place.run(&["mcp", "--bundle", "search", "--print-config", client]);
        assert!(printed.status.success(), "{}", stderr(&printed));
        let config: Value = serde_json::from_str(&stdout(&printed)).unwrap();
        let entry = config.pointer(way).unwrap();
        let arguments: Vec<&str> =
            entry["args"].as_array().unwrap().iter().map(|argument| argument.as_str().unwrap()).collect();
        // Started from another folder, like clients do.
        let mut command = std::process::Command::new(entry["command"].as_str().unwrap());
        let started = command.args(&arguments).current_dir("/").stdin(std::process::Stdio::null()).output().unwrap();
        assert!(started.status.success() && started.stderr.is_empty(), "{client}: {}", stderr(&started));
    }
}

#[test]
fn the_configuration_for_http_is_an_address() {
    let place = site();
    let printed = |client: &str| place.run(&["mcp", "--bundle", "search", "--http", "--print-config", client]);
    let config: Value = serde_json::from_str(&stdout(&printed("cursor"))).unwrap();
    assert_eq!(config, serde_json::json!({ "mcpServers": { "nearfind": { "url": "http://127.0.0.1:5173/mcp" } } }));
    assert!(stdout(&printed("codex")).contains("url = \"http://127.0.0.1:5173/mcp\""));
    for client in ["gemini", "opencode", "windsurf", "copilot", "jetbrains"] {
        assert!(stdout(&printed(client)).contains("http://127.0.0.1:5173/mcp"), "{client}");
    }
    assert!(stderr(&printed("claude-desktop")).contains("Add custom connector"));
}

#[test]
fn the_configuration_keeps_the_options_of_the_server() {
    let place = site();
    let options = ["--connector", "--structured", "--max-response-tokens", "5000", "--cache", "fetched"];
    let mut all = vec!["mcp", "--bundle", "search", "--print-config", "cursor"];
    all.extend(options);
    let printed = place.run(&all);
    let config: Value = serde_json::from_str(&stdout(&printed)).unwrap();
    let arguments = config.pointer("/mcpServers/nearfind/args").unwrap().to_string();
    for option in ["\"--connector\"", "\"--structured\"", "\"--max-response-tokens\",\"5000\"", "\"--cache\",\"/"] {
        assert!(arguments.contains(option), "{option}: {arguments}");
    }
    let everywhere = place.run(&["mcp", "--bundle", "search", "--http", "0.0.0.0:9000", "--print-config", "cursor"]);
    assert!(stdout(&everywhere).contains("http://127.0.0.1:9000/mcp"), "{}", stdout(&everywhere));
}

#[test]
fn without_a_bundle_it_explains_how_to_name_one() {
    let place = crate::support::Workplace::new();
    let refused = place.run(&["mcp", "--folder", "/"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("name an index with --bundle"), "{}", stderr(&refused));
}

#[test]
fn invalid_addresses_are_refused() {
    let place = site();
    for (bundle, said) in [
        ("ftp://example.org/", "on a web server (https)"),
        ("http://", "is not a valid URL"),
        ("@nobody", "no collection"),
    ] {
        let refused = place.run(&["mcp", "--bundle", bundle]);
        assert_eq!(refused.status.code(), Some(2), "{bundle}");
        assert!(stderr(&refused).contains(said), "{bundle}: {}", stderr(&refused));
    }
}
