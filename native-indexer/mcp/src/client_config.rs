//! What clients are told to start this server.

use clap::ValueEnum;
use serde_json::{Value, json};

/// A client with a form of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Claude Desktop
    ClaudeDesktop,
    /// Claude Code
    ClaudeCode,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Zed
    Zed,
}

impl Client {
    /// Where what is printed belongs.
    pub const fn place(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude_desktop_config.json (Settings, Developer, Edit Config)",
            Self::ClaudeCode => ".mcp.json in the project's folder",
            Self::Cursor => ".cursor/mcp.json in the project's folder, or ~/.cursor/mcp.json",
            Self::Vscode => ".vscode/mcp.json in the project's folder",
            Self::Zed => "settings.json of Zed",
        }
    }
}

/// The configuration of `client` that starts `command` with `arguments`.
pub fn client_config(client: Client, command: &str, arguments: &[String]) -> Value {
    let server = json!({ "command": command, "args": arguments });
    match client {
        Client::ClaudeDesktop | Client::Cursor => json!({ "mcpServers": { "nearfind": server } }),
        Client::ClaudeCode => {
            json!({ "mcpServers": { "nearfind": { "type": "stdio", "command": command, "args": arguments } } })
        }
        Client::Vscode => {
            json!({ "servers": { "nearfind": { "type": "stdio", "command": command, "args": arguments } } })
        }
        Client::Zed => {
            json!({ "context_servers": { "nearfind": { "source": "custom", "command": command, "args": arguments, "env": {} } } })
        }
    }
}
