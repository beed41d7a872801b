//! Where agents keep a user's configuration.

use super::super::client_config::Client;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folders on a machine: the user's home directory, and the folders that the environment names.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The home directory.
    pub home: PathBuf,
    /// Environment variables that name folders.
    pub variables: BTreeMap<String, PathBuf>,
}

/// The location of an agent's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigPlace {
    /// The agent's own folder. No link may point outside it.
    pub folder: PathBuf,
    /// The configuration file.
    pub file: PathBuf,
}

impl Machine {
    /// The environment variables that are read.
    pub const VARIABLES: [&str; 6] =
        ["APPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];

    /// Returns the location of the configuration of `client`, if the client is on this machine.
    pub fn find(&self, client: Client) -> Option<ConfigPlace> {
        let home = |path: &str| self.home.join(path);
        let named = |name: &str, usual: &str| self.variables.get(name).cloned().unwrap_or_else(|| home(usual));
        let (folder, file) = match client {
            Client::ClaudeCode => {
                let own = self.variables.get("CLAUDE_CONFIG_DIR");
                let is_there = own.is_some() || home(".claude").is_dir() || home(".claude.json").exists();
                // This client's file is in the home directory itself.
                return is_there.then(|| own.cloned().unwrap_or_else(|| self.home.clone())).map(|folder| {
                    let file = folder.join(".claude.json");
                    ConfigPlace { folder, file }
                });
            }
            Client::ClaudeDesktop => (self.programs().join("Claude"), "claude_desktop_config.json"),
            Client::Codex => (named("CODEX_HOME", ".codex"), "config.toml"),
            Client::Copilot => (named("COPILOT_HOME", ".copilot"), "mcp-config.json"),
            Client::Cursor => (home(".cursor"), "mcp.json"),
            Client::Gemini => (home(".gemini"), "settings.json"),
            Client::Jetbrains => (home(".junie"), "mcp/mcp.json"),
            Client::Opencode => {
                let folder = self.settings().join("opencode");
                let with_comments = folder.join("opencode.jsonc").exists();
                (folder, if with_comments { "opencode.jsonc" } else { "opencode.json" })
            }
            Client::Vscode => (self.programs().join("Code").join("User"), "mcp.json"),
            Client::Windsurf => (home(".codeium/windsurf"), "mcp_config.json"),
            Client::Zed if cfg!(windows) => (self.programs().join("Zed"), "settings.json"),
            Client::Zed => (self.settings().join("zed"), "settings.json"),
        };
        folder.is_dir().then(|| ConfigPlace { file: folder.join(Path::new(file)), folder })
    }

    /// Returns where graphical programs keep their settings.
    fn programs(&self) -> PathBuf {
        if cfg!(target_os = "macos") {
            return self.home.join("Library/Application Support");
        }
        let roaming = self.variables.get("APPDATA").filter(|_| cfg!(windows));
        roaming.cloned().unwrap_or_else(|| self.settings())
    }

    /// Returns where command-line programs keep their settings.
    fn settings(&self) -> PathBuf {
        self.variables.get("XDG_CONFIG_HOME").cloned().unwrap_or_else(|| self.home.join(".config"))
    }
}
