//! What clients are told to start this server, or to reach it.

use anyhow::{Result, bail};
use clap::ValueEnum;
use serde_json::{Value, json};

/// A client with a form of its own.
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
    /// AI Assistant and Junie of JetBrains
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

/// How a client comes to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// It starts a program.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// It asks at an address.
    Address {
        /// The address.
        url: String,
        /// Whether it has to send a token.
        has_token: bool,
    },
}

/// What the server is called in configurations.
pub(crate) const NAME: &str = "nearfind";

/// The server in the configuration of a client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The object or table that servers are in.
    pub(crate) table: &'static str,
    /// The entry.
    pub(crate) value: Value,
}

impl Entry {
    /// An entry of `client` that says nothing.
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

/// Keys of an entry for a program that a client starts. Some clients refuse them beside an address.
const OF_PROGRAM: [&str; 8] = ["args", "command", "cwd", "env", "envFile", "env_vars", "environment", "source"];
/// Keys of an entry for an address.
const OF_ADDRESS: [&str; 7] =
    ["bearer_token_env_var", "env_http_headers", "headers", "httpUrl", "http_headers", "serverUrl", "url"];
/// Keys that are entered with a usual value, and that users change.
const OF_USER: [&str; 3] = ["enabled", "env", "tools"];

/// Whether the value of `key` stays as it is in an existing entry.
pub(crate) fn is_of_user(key: &str) -> bool {
    OF_USER.contains(&key)
}

/// The keys of a `known` entry that have to go if it is to come to the server as `wanted`: those of a program beside an address, and
/// the other way round.
pub(crate) fn stale_keys(known: Vec<String>, wanted: &Value) -> Vec<String> {
    let of_other: &[&str] = if wanted.get("command").is_some() { &OF_ADDRESS } else { &OF_PROGRAM };
    let is_of_other = |key: &String| of_other.contains(&key.as_str());
    if !known.iter().any(is_of_other) {
        return Vec::new();
    }
    let is_stale = |key: &String| is_of_other(key) || (key == "type" && wanted.get("type").is_none());
    known.into_iter().filter(is_stale).collect()
}

/// The entry by which `client` comes to this server.
pub(crate) fn entry(client: Client, reached: &Reached) -> Result<Entry> {
    let value = match reached {
        Reached::Command { program, arguments } => started(client, program, arguments),
        Reached::Address { url, has_token } => asked(client, url, *has_token)?,
    };
    Ok(Entry { value, ..Entry::of(client) })
}

/// The environment variable with the token that clients must send.
pub const TOKEN_VARIABLE: &str = "NEARFIND_MCP_TOKEN";

impl Client {
    /// Where what is printed belongs.
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
            Self::Zed => "settings.json of Zed",
        }
    }

    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Copilot => "GitHub Copilot CLI",
            Self::Cursor => "Cursor",
            Self::Gemini => "Gemini CLI",
            Self::Jetbrains => "Junie of JetBrains",
            Self::Opencode => "opencode",
            Self::Vscode => "Visual Studio Code",
            Self::Windsurf => "Windsurf",
            Self::Zed => "Zed",
        }
    }

    /// What it puts in place of the folder that is open, where it starts servers in another one.
    pub const fn folder_variable(self) -> Option<&'static str> {
        match self {
            Self::Cursor | Self::Vscode => Some("${workspaceFolder}"),
            _ => None,
        }
    }

    /// How the value of an environment variable is written in a configuration.
    fn token(self) -> String {
        match self {
            Self::Cursor | Self::Windsurf => format!("${{env:{TOKEN_VARIABLE}}}"),
            Self::Opencode => format!("{{env:{TOKEN_VARIABLE}}}"),
            Self::Vscode => "${input:nearfind-token}".to_owned(),
            Self::ClaudeCode | Self::Gemini | Self::Copilot => format!("${{{TOKEN_VARIABLE}}}"),
            // These have no such form: the token itself belongs there.
            Self::ClaudeDesktop | Self::Codex | Self::Jetbrains | Self::Zed => "TOKEN".to_owned(),
        }
    }
}

/// The configuration with which `client` comes to this server, as text.
pub fn client_config(client: Client, reached: &Reached) -> Result<String> {
    if client == Client::Codex {
        return Ok(codex(reached));
    }
    let Entry { table, value: server } = entry(client, reached)?;
    let has_token = matches!(reached, Reached::Address { has_token: true, .. });
    let whole = match client {
        Client::Vscode if has_token => json!({
            "servers": { "nearfind": server },
            "inputs": [{ "type": "promptString", "id": "nearfind-token", "description": "Token of nearfind", "password": true }],
        }),
        Client::Opencode => json!({ "$schema": "https://opencode.ai/config.json", table: { NAME: server } }),
        _ => json!({ table: { NAME: server } }),
    };
    Ok(format!("{whole:#}"))
}

/// The server as a program that a client starts.
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

/// The server at an address.
fn asked(client: Client, url: &str, has_token: bool) -> Result<Value> {
    let mut server = match client {
        Client::ClaudeDesktop => {
            bail!("Claude Desktop takes servers over HTTP in its settings: Connectors, Add custom connector, {url}")
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

/// The table of Codex. Strings of JSON are strings of TOML too.
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
