//! Adds the server to the configurations of agents, and removes it again.
#![cfg(all(unix, feature = "full"))]

use crate::support::{command_in, stderr, stdout};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

/// A home directory with the files of agents.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.0.path().join(inside)
    }

    fn write(&self, inside: &str, text: &str) {
        fs::create_dir_all(self.path(inside).parent().unwrap()).unwrap();
        fs::write(self.path(inside), text).unwrap();
    }

    fn read(&self, inside: &str) -> String {
        fs::read_to_string(self.path(inside)).unwrap()
    }

    fn setup(&self, arguments: &[&str]) -> Output {
        self.setup_in(self.0.path(), arguments)
    }

    fn setup_in(&self, folder: &Path, arguments: &[&str]) -> Output {
        let mut command = command_in(folder, &["setup"]);
        command.env_remove("NEARFIND_MODELS").env("HOME", self.0.path());
        for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"] {
            command.env_remove(variable);
        }
        command.args(arguments).output().unwrap()
    }
}

/// Returns the configuration files of agents, with content as the agents write it.
fn files() -> Vec<(&'static str, &'static str)> {
    let programs = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
    let vscode: &str = Box::leak(format!("{programs}/Code/User/mcp.json").into_boxed_str());
    vec![
        (".claude.json", "{\n  \"numStartups\": 3,\n  \"projects\": {\"/a\": {\"history\": []}}\n}\n"),
        (".codex/config.toml", "# mine\nmodel = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\"\n"),
        (
            ".copilot/mcp-config.json",
            "{\n  \"mcpServers\": {\n    \"other\": {\"type\": \"local\", \"command\": \"x\", \"args\": [], \"tools\": [\"*\"]}\n  }\n}\n",
        ),
        (".cursor/mcp.json", "{\n\t\"mcpServers\": {\n\t\t\"other\": { \"url\": \"http://localhost:1\" }\n\t}\n}\n"),
        (
            ".gemini/settings.json",
            "{\n  \"theme\": \"Default\",\n  \"mcpServers\": {\n    \"other\": {\"httpUrl\": \"http://localhost:1\"}\n  }\n}\n",
        ),
        (".junie/mcp/mcp.json", "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n"),
        (
            ".config/opencode/opencode.jsonc",
            "{\n  // which model\n  \"model\": \"a/b\",\n  \"mcp\": {\n    \"other\": {\"type\": \"remote\", \"url\": \"http://localhost:1\"},\n  },\n}\n",
        ),
        (
            vscode,
            "{\n\t\"servers\": {\n\t\t/* the other */\n\t\t\"other\": { \"type\": \"http\", \"url\": \"http://localhost:1\" }\n\t},\n\t\"inputs\": []\n}\n",
        ),
        (
            ".codeium/windsurf/mcp_config.json",
            "{\n  \"mcpServers\": {\n    \"other\": {\"serverUrl\": \"http://localhost:1\"}\n  }\n}\n",
        ),
        (
            ".config/zed/settings.json",
            "// Zed settings\n{\n  \"theme\": \"One Dark\", // mine\n  \"context_servers\": {\n    \"other\": { \"source\": \"custom\", \"command\": \"x\", \"args\": [] }\n  }\n}\n",
        ),
    ]
}

#[test]
fn agents_that_are_there_get_an_entry_and_lose_it_again() {
    let home = Home::new();
    let files = files();
    files.iter().for_each(|(path, text)| home.write(path, text));
    let shown = home.setup(&[]);
    assert!(
        shown.status.success() && stdout(&shown).contains("nothing is written without --yes"),
        "{}",
        stdout(&shown)
    );
    assert!(files.iter().all(|(path, text)| home.read(path) == *text));
    let written = home.setup(&["--yes"]);
    assert!(written.status.success(), "{}", stderr(&written));
    for (path, text) in &files {
        let now = home.read(path);
        assert!(now.contains("nearfind") && now.contains("mcp"), "{path}: {now}");
        assert_eq!(home.read(&format!("{path}.before-nearfind")), *text);
        let comments: Vec<&str> =
            text.lines().filter(|line| ["// ", "/* ", "# "].iter().any(|mark| line.contains(mark))).collect();
        assert!(comments.iter().all(|line| now.contains(line)), "{path}: {now}");
    }
    assert!(home.read(".cursor/mcp.json").contains("${workspaceFolder}"));
    let again = home.setup(&["--yes"]);
    assert_eq!(stdout(&again).matches("is up to date").count(), files.len(), "{}", stdout(&again));
    let removed = home.setup(&["--remove", "--yes"]);
    assert!(removed.status.success(), "{}", stderr(&removed));
    for (path, text) in &files {
        assert_eq!(home.read(path), *text, "{path}");
        assert_eq!(home.read(&format!("{path}.before-nearfind")), *text, "{path}");
        assert!(home.read(&format!("{path}.before-nearfind-2")).contains("nearfind"), "{path}");
    }
}

#[test]
fn one_agent_is_named_and_an_address_is_given() {
    let home = Home::new();
    home.write(".cursor/x", "");
    home.write(".codex/config.toml", "");
    let written = home.setup(&["codex", "--yes", "--http", "http://127.0.0.1:5173/mcp"]);
    assert!(written.status.success(), "{}", stderr(&written));
    assert_eq!(home.read(".codex/config.toml"), "[mcp_servers.nearfind]\nurl = \"http://127.0.0.1:5173/mcp\"\n");
    assert!(!home.path(".cursor/mcp.json").exists());
    let written = home.setup(&["cursor", "--yes"]);
    assert!(written.status.success() && home.read(".cursor/mcp.json").contains("mcpServers"));
    let absent = home.setup(&["zed", "--yes"]);
    assert_eq!(absent.status.code(), Some(1));
    assert!(stderr(&absent).contains("Zed is not on this machine"), "{}", stderr(&absent));
}

#[test]
fn files_that_are_damaged_locked_or_elsewhere_stay_as_they_are() {
    let home = Home::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let (other, whole) = (elsewhere.path().join("mcp.json"), "{\"mcpServers\": {}}\n");
    fs::write(&other, whole).unwrap();
    home.write(".codex/config.toml", "[mcp_servers\n");
    home.write(".gemini/settings.json", "{\"theme\": ");
    home.write(".copilot/mcp-config.json", whole);
    fs::set_permissions(home.path(".copilot/mcp-config.json"), fs::Permissions::from_mode(0o444)).unwrap();
    home.write(".cursor/x", "");
    symlink(&other, home.path(".cursor/mcp.json")).unwrap();
    // A link inside the folder is followed, and stays a link.
    home.write(".junie/mcp/real.json", whole);
    symlink("real.json", home.path(".junie/mcp/mcp.json")).unwrap();
    let output = home.setup(&["--yes"]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    for expected in
        ["Codex: this is not TOML", "Gemini CLI: this is not JSON", "nearfind has no permission", "it is a link to"]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert_eq!(home.read(".codex/config.toml"), "[mcp_servers\n");
    assert_eq!(home.read(".gemini/settings.json"), "{\"theme\": ");
    assert_eq!(
        (home.read(".copilot/mcp-config.json").as_str(), fs::read_to_string(&other).unwrap().as_str()),
        (whole, whole)
    );
    assert!(home.read(".junie/mcp/real.json").contains("nearfind"));
    assert!(home.path(".junie/mcp/mcp.json").is_symlink());
}

#[test]
fn a_repository_tells_its_agents() {
    let home = Home::new();
    let repository = home.path("repo");
    fs::create_dir_all(repository.join(".git")).unwrap();
    fs::create_dir_all(repository.join("src")).unwrap();
    home.write("repo/CLAUDE.md", "# Rules\n");
    let written = home.setup_in(&repository.join("src"), &["--agents-md", "--yes"]);
    assert!(written.status.success(), "{}", stderr(&written));
    assert!(home.read("repo/CLAUDE.md").starts_with("# Rules\n\n<!-- nearfind: begin -->\n"));
    let removed = home.setup_in(&repository, &["--agents-md", "--remove", "--yes"]);
    assert!(removed.status.success(), "{}", stderr(&removed));
    assert_eq!(home.read("repo/CLAUDE.md"), "# Rules\n");
}
