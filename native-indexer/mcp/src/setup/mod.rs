//! Adds this server to the configuration files of the agents on a machine, and removes it again. Everything else in
//! those files stays as it is, including comments.

mod agents_file;
mod edit_json;
mod edit_toml;
mod owned_file;
mod places;

pub use agents_file::{agents_file, with_block};
pub use owned_file::OwnedFile;
pub use places::{ConfigPlace, Machine};

use super::client_config::{Client, Entry, Reached, entry};
use anyhow::Result;

/// The change to this server's entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The entry is added or updated, so that the client reaches the server in this way.
    Enter(Reached),
    /// The entry is removed.
    Remove,
}

/// Returns the configuration of `client` after `change` to `text`, or `None` if nothing changes. Fails if `text` cannot
/// be parsed.
pub fn changed(client: Client, text: &str, change: &Change) -> Result<Option<String>> {
    let wanted = match change {
        Change::Enter(reached) => Some(entry(client, reached)?),
        Change::Remove => None,
    };
    let Entry { table, .. } = Entry::of(client);
    let value = wanted.map(|entry| entry.value);
    let after = match client {
        Client::Codex => edit_toml::with_entry(text, table, value.as_ref())?,
        _ => edit_json::with_entry(text, table, value.as_ref())?,
    };
    Ok(after.filter(|after| after != text))
}

/// Returns the lines that differ between two texts, as a diff shows them, after one line of context. The change is in
/// one place, so the texts are the same before and after that place.
pub fn differing_lines(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = rest.take_while(|(old, new)| old == new).count();
    let gone = old[start..old.len() - end].iter().map(|line| format!("- {line}\n"));
    let come = new[start..new.len() - end].iter().map(|line| format!("+ {line}\n"));
    let context = start.checked_sub(1).map(|line| format!("  {}\n", old[line]));
    context.into_iter().chain(gone).chain(come).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;
    use serde_json::{Value, json};

    fn reached() -> Change {
        Change::Enter(Reached::Command { program: "/bin/nearfind".into(), arguments: vec!["mcp".into()] })
    }

    #[test]
    fn every_client_takes_an_entry_twice_and_loses_it_again() {
        for &client in Client::value_variants() {
            let empty = if client == Client::Codex { "" } else { "{}\n" };
            let entered = changed(client, empty, &reached()).unwrap().unwrap();
            assert!(entered.contains("/bin/nearfind"), "{client:?}: {entered}");
            assert_eq!(changed(client, &entered, &reached()).unwrap(), None, "{client:?}");
            let removed = changed(client, &entered, &Change::Remove).unwrap().unwrap();
            assert!(!removed.contains("nearfind"), "{client:?}: {removed}");
            assert_eq!(changed(client, &removed, &Change::Remove).unwrap(), None, "{client:?}");
        }
    }

    #[test]
    fn what_else_is_in_a_file_stays_as_it_is() {
        let zed = "// Settings\n{\n  \"theme\": \"One\", // mine\n  \"context_servers\": {\n    \"other\": { \"command\": \"x\" },\n  },\n}\n";
        let entered = changed(Client::Zed, zed, &reached()).unwrap().unwrap();
        assert!(
            entered.starts_with("// Settings\n{\n  \"theme\": \"One\", // mine\n")
                && entered.contains("\"other\": { \"command\": \"x\" }")
        );
        assert_eq!(changed(Client::Zed, &entered, &Change::Remove).unwrap().as_deref(), Some(zed));
        let codex = "# Mine\nmodel = \"o\"  # this one\n\n[mcp_servers.other]\ncommand = 'x'\n";
        let entered = changed(Client::Codex, codex, &reached()).unwrap().unwrap();
        assert!(entered.starts_with(codex) && entered.contains("\n\n[mcp_servers.nearfind]\n"), "{entered}");
        assert!(entered.ends_with("args = [\"mcp\"]\ncommand = \"/bin/nearfind\"\n"), "{entered}");
        assert_eq!(changed(Client::Codex, &entered, &Change::Remove).unwrap().as_deref(), Some(codex));
    }

    #[test]
    fn keys_that_a_user_added_to_the_entry_stay() {
        let cursor = "{\"mcpServers\": {\"nearfind\": {\n  \"command\": \"/old/nearfind\", // mine\n  \"args\": [\"mcp\"],\n  \"env\": {\"A\": \"b\"},\n  \"disabled\": true\n}}}\n";
        let entered = changed(Client::Cursor, cursor, &reached()).unwrap().unwrap();
        assert_eq!(entered, cursor.replace("/old/", "/bin/"));
        assert_eq!(changed(Client::Cursor, &entered, &reached()).unwrap(), None);
        let opencode = changed(Client::Opencode, "{}", &reached()).unwrap().unwrap().replace("true", "false");
        assert!(opencode.contains("\"enabled\": false"), "{opencode}");
        assert_eq!(changed(Client::Opencode, &opencode, &reached()).unwrap(), None);
        let codex = "[mcp_servers.nearfind]\n# Mine\ncommand = '/old/nearfind' # old\nargs = [ 'mcp' ]\nstartup_timeout_sec = 30\n\n\
                     [mcp_servers.nearfind.env]\nA = \"b\"\n";
        let entered = changed(Client::Codex, codex, &reached()).unwrap().unwrap();
        assert_eq!(entered, codex.replace("'/old/nearfind'", "\"/bin/nearfind\""));
        assert_eq!(changed(Client::Codex, &entered, &reached()).unwrap(), None);
    }

    #[test]
    fn keys_of_a_program_and_of_an_address_exclude_each_other() {
        let address = Change::Enter(Reached::Address { url: "http://127.0.0.1:1/mcp".into(), has_token: false });
        let codex = "[mcp_servers.nearfind]\ncommand = \"x\"\nstartup_timeout_sec = 30\n\n[mcp_servers.nearfind.env]\nA = \"b\"\n";
        let entered = changed(Client::Codex, codex, &address).unwrap().unwrap();
        assert!(entered.contains("startup_timeout_sec = 30\n") && entered.contains("url = \"http://127"), "{entered}");
        assert!(!entered.contains("command") && !entered.contains("env"), "{entered}");
        let vscode = json!({ "servers": { "nearfind": { "type": "http", "url": "http://x", "headers": { "A": "b" }, "dev": {} } } });
        let entered = changed(Client::Vscode, &vscode.to_string(), &reached()).unwrap().unwrap();
        let entered: Value = serde_json::from_str(&entered).unwrap();
        let expected = json!({ "type": "stdio", "command": "/bin/nearfind", "args": ["mcp"], "dev": {} });
        assert_eq!(entered, json!({ "servers": { "nearfind": expected } }));
    }

    #[test]
    fn damaged_files_are_refused() {
        for text in ["{ \"mcpServers\": ", "[]", "{ \"mcpServers\": [] }", "{\"a\" 1}"] {
            assert!(changed(Client::Cursor, text, &reached()).is_err(), "{text}");
        }
        for text in ["[mcp_servers", "mcp_servers = 1\n"] {
            assert!(changed(Client::Codex, text, &reached()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_diff_shows_what_differs_and_the_line_before() {
        assert_eq!(differing_lines("a\nb\nc\n", "a\nx\ny\nc\n"), "  a\n- b\n+ x\n+ y\n");
        assert_eq!(differing_lines("", "a\n"), "+ a\n");
        assert_eq!(differing_lines("a\na\n", "a\n"), "  a\n- a\n");
    }
}
