//! The entries that make clients start this server, or connect to it.

use anyhow::{Result, bail};
use clap::ValueEnum;
use serde_json::{Value, json};

/// A client with its own configuration format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Claude Desktop
    ClaudeDesktop,
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
    /// GitHub Copilot's command line
    Copilot,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// AI Assistant and JetBrains Junie
    Jetbrains,
    /// opencode
    Opencode,
    /// Visual Studio Code
    Vscode,
    /// Windsurf
    Windsurf,
    /// Zed
    Zed,
}

/// How a client reaches the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The client starts a program.
    Command {
        /// The program.
        program: String,
        /// The program's arguments.
        arguments: Vec<String>,
    },
    /// The client sends requests to an address.
    Address {
        /// The address.
        url: String,
        /// Whether the client must send a token.
        has_token: bool,
    },
}

/// The server's name in configurations.
pub(crate) const NAME: &str = "nearfind";

/// The server in the configuration of a client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The object or table that contains all servers.
    pub(crate) table: &'static str,
    /// The entry.
    pub(crate) value: Value,
}

impl Entry {
    /// Returns an entry for `client` without a value.
    pub(crate) const fn of(client: Client) -> Self {
        let table = match client {
            Client::Codex => "mcp_servers",
            Client::Opencode => "mcp",
            Client::Vscode => "servers",
            Client::Zed => "context_servers",
            _ => "mcpServers",
        };
        Self { table, value: Value::Null }
    }
}

/// Keys of an entry for a program that the client starts. Some clients refuse them next to an address.
const OF_PROGRAM: [&str; 8] = ["args", "command", "cwd", "env", "envFile", "env_vars", "environment", "source"];
/// Keys of an entry for an address.
const OF_ADDRESS: [&str; 7] =
    ["bearer_token_env_var", "env_http_headers", "headers", "httpUrl", "http_headers", "serverUrl", "url"];
/// Keys that are written with a default value and that users may change.
const OF_USER: [&str; 3] = ["enabled", "env", "tools"];

/// Whether an existing entry keeps its value for `key`.
pub(crate) fn is_of_user(key: &str) -> bool {
    OF_USER.contains(&key)
}

/// Returns the keys to remove from an entry with the keys `known`, so that it becomes `wanted`. These are the keys for
/// a program if `wanted` has an address, and vice versa.
pub(crate) fn stale_keys(known: Vec<String>, wanted: &Value) -> Vec<String> {
    let of_other: &[&str] = if wanted.get("command").is_some() { &OF_ADDRESS } else { &OF_PROGRAM };
    let is_of_other = |key: &String| of_other.contains(&key.as_str());
    if !known.iter().any(is_of_other) {
        return Vec::new();
    }
    let is_stale = |key: &String| is_of_other(key) || (key == "type" && wanted.get("type").is_none());
    known.into_iter().filter(is_stale).collect()
}

/// Returns the entry that lets `client` reach this server. Fails if the client's configuration cannot contain an
/// address.
pub(crate) fn entry(client: Client, reached: &Reached) -> Result<Entry> {
    let value = match reached {
        Reached::Command { program, arguments } => started(client, program, arguments),
        Reached::Address { url, has_token } => asked(client, url, *has_token)?,
    };
    Ok(Entry { value, ..Entry::of(client) })
}

/// The environment variable that contains the token that clients must send.
pub const TOKEN_VARIABLE: &str = "NEARFIND_MCP_TOKEN";

impl Client {
    /// Describes where users put the printed configuration.
    pub const fn place(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude_desktop_config.json (Settings, Developer, Edit Config)",
            Self::ClaudeCode => ".mcp.json in the project's folder",
            Self::Codex => "~/.codex/config.toml",
            Self::Copilot => "~/.copilot/mcp-config.json",
            Self::Cursor => ".cursor/mcp.json in the project's folder, or ~/.cursor/mcp.json",
            Self::Gemini => ".gemini/settings.json in the project's folder, or ~/.gemini/settings.json",
            Self::Jetbrains => "Settings, Tools, AI Assistant, Model Context Protocol; or .junie/mcp/mcp.json",
            Self::Opencode => "opencode.json in the project's folder",
            Self::Vscode => ".vscode/mcp.json in the project's folder",
            Self::Windsurf => "~/.codeium/windsurf/mcp_config.json",
            Self::Zed => "Zed's settings.json",
        }
    }

    /// Returns the client's name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Copilot => "GitHub Copilot CLI",
            Self::Cursor => "Cursor",
            Self::Gemini => "Gemini CLI",
            Self::Jetbrains => "JetBrains Junie",
            Self::Opencode => "opencode",
            Self::Vscode => "Visual Studio Code",
            Self::Windsurf => "Windsurf",
            Self::Zed => "Zed",
        }
    }

    /// If the client starts servers in a folder other than the open one, returns the variable that it replaces with the
    /// open folder.
    pub const fn folder_variable(self) -> Option<&'static str> {
        match self {
            Self::Cursor | Self::Vscode => Some("${workspaceFolder}"),
            _ => None,
        }
    }

    /// Returns how the client's configuration refers to the token.
    fn token(self) -> String {
        match self {
            Self::Cursor | Self::Windsurf => format!("${{env:{TOKEN_VARIABLE}}}"),
            Self::Opencode => format!("{{env:{TOKEN_VARIABLE}}}"),
            Self::Vscode => "${input:nearfind-token}".to_owned(),
            Self::ClaudeCode | Self::Gemini | Self::Copilot => format!("${{{TOKEN_VARIABLE}}}"),
            // These clients do not replace variables here, so users enter the token itself.
            Self::ClaudeDesktop | Self::Codex | Self::Jetbrains | Self::Zed => "TOKEN".to_owned(),
        }
    }
}

/// Returns the configuration that lets `client` reach this server, as text.
///
/// ```
/// use nearfind_mcp::{Client, Reached, client_config};
///
/// let reached = Reached::Address { url: "http://127.0.0.1:7878/mcp".into(), has_token: false };
/// assert!(client_config(Client::Vscode, &reached)?.contains("http://127.0.0.1:7878/mcp"));
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn client_config(client: Client, reached: &Reached) -> Result<String> {
    if client == Client::Codex {
        return Ok(codex(reached));
    }
    let Entry { table, value: server } = entry(client, reached)?;
    let has_token = matches!(reached, Reached::Address { has_token: true, .. });
    let whole = match client {
        Client::Vscode if has_token => json!({
            "servers": { "nearfind": server },
            "inputs": [{ "type": "promptString", "id": "nearfind-token", "description": "Token for nearfind", "password": true }],
        }),
        Client::Opencode => json!({ "$schema": "https://opencode.ai/config.json", table: { NAME: server } }),
        _ => json!({ table: { NAME: server } }),
    };
    Ok(format!("{whole:#}"))
}

/// Returns an entry for the server as a program that a client starts.
fn started(client: Client, program: &str, arguments: &[String]) -> Value {
    match client {
        Client::ClaudeCode | Client::Vscode => json!({ "type": "stdio", "command": program, "args": arguments }),
        Client::Copilot => json!({ "type": "local", "command": program, "args": arguments, "tools": ["*"] }),
        Client::Zed => json!({ "source": "custom", "command": program, "args": arguments, "env": {} }),
        Client::Opencode => {
            let command: Vec<&str> = std::iter::once(program).chain(arguments.iter().map(String::as_str)).collect();
            json!({ "type": "local", "command": command, "enabled": true })
        }
        _ => json!({ "command": program, "args": arguments }),
    }
}

/// Returns an entry for the server at an address. Fails for clients that accept addresses only in their settings.
fn asked(client: Client, url: &str, has_token: bool) -> Result<Value> {
    let mut server = match client {
        Client::ClaudeDesktop => {
            bail!(
                "In Claude Desktop, add HTTP servers in the settings: open Connectors, choose Add custom connector, and enter {url}"
            )
        }
        Client::ClaudeCode | Client::Vscode => json!({ "type": "http", "url": url }),
        Client::Copilot => json!({ "type": "http", "url": url, "tools": ["*"] }),
        Client::Gemini => json!({ "httpUrl": url }),
        Client::Opencode => json!({ "type": "remote", "url": url, "enabled": true }),
        Client::Windsurf => json!({ "serverUrl": url }),
        Client::Codex | Client::Cursor | Client::Jetbrains | Client::Zed => json!({ "url": url }),
    };
    if has_token {
        server["headers"] = json!({ "Authorization": format!("Bearer {}", client.token()) });
    }
    Ok(server)
}

/// Returns the table for Codex. JSON strings are valid in TOML, except that TOML requires DEL to be escaped.
fn codex(reached: &Reached) -> String {
    let quoted = |text: &str| Value::from(text).to_string().replace('\u{7f}', "\\u007f");
    let mut table = "[mcp_servers.nearfind]\n".to_owned();
    match reached {
        Reached::Command { program, arguments } => {
            let arguments: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
            table += &format!("command = {}\nargs = [{}]", quoted(program), arguments.join(", "));
        }
        Reached::Address { url, has_token } => {
            table += &format!("url = {}", quoted(url));
            if *has_token {
                table += &format!("\nbearer_token_env_var = {}", quoted(TOKEN_VARIABLE));
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_written_as_each_client_wants_it() {
        let reached = |has_token| Reached::Address { url: "http://127.0.0.1:5173/mcp".into(), has_token };
        let config = |client| -> Value {
            client_config(client, &reached(true))
                .ok()
                .and_then(|text| serde_json::from_str(&text).ok())
                .unwrap_or_default()
        };
        let authorization = "Bearer ${NEARFIND_MCP_TOKEN}";
        let code = &config(Client::ClaudeCode)["mcpServers"]["nearfind"];
        assert_eq!((&code["type"], &code["headers"]["Authorization"]), (&"http".into(), &authorization.into()));
        assert_eq!(config(Client::Gemini)["mcpServers"]["nearfind"]["httpUrl"], "http://127.0.0.1:5173/mcp");
        assert_eq!(config(Client::Vscode)["inputs"][0]["id"], "nearfind-token");
        let codex = "[mcp_servers.nearfind]\nurl = \"http://127.0.0.1:5173/mcp\"";
        assert_eq!(client_config(Client::Codex, &reached(false)).ok().as_deref(), Some(codex));
        let refused = client_config(Client::ClaudeDesktop, &reached(false)).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|error| error.contains("Add custom connector")));
    }

    #[test]
    fn a_program_with_any_name_is_quoted() {
        let reached = Reached::Command { program: "C:\\a \"b\"".into(), arguments: vec!["mcp".into(), "é\n".into()] };
        let config = client_config(Client::Codex, &reached).unwrap_or_default();
        assert_eq!(config, "[mcp_servers.nearfind]\ncommand = \"C:\\\\a \\\"b\\\"\"\nargs = [\"mcp\", \"é\\n\"]");
    }
}
