//! Sources of providers' settings, cost estimates, and settings that are not trusted.

use super::embedding::{index, run, site, succeeds};
use super::server::{KEY, Server};
use crate::support::{Workplace, command_in, stderr, stdout};

#[test]
fn costs_are_reported_before_texts_are_sent() {
    let place = site();
    let server = Server::start(&place);
    let told = index(&place, &server, "openai", &["--dry-run"]);
    succeeds(&told);
    assert!(stderr(&told).contains("tiny-openai will embed 3 passages (about "), "{}", stderr(&told));
    let refused = index(&place, &server, "openai", &["--set", "embedding.budget_tokens=5", "--no-query-encoder"]);
    assert!(!refused.status.success() && stderr(&refused).contains("Nothing was sent"), "{}", stderr(&refused));
    // One short text was sent to identify the model.
    let sent: usize = server.requests().iter().map(|request| request.texts().len()).sum();
    assert_eq!(sent, 1);
}

#[test]
fn a_repository_cannot_send_texts_and_keys_elsewhere() {
    let place = site();
    let server = Server::start(&place);
    let table = format!(
        "model = \"tiny\"\nbox = false\n[[project]]\npath = \"docs\"\n[embedding]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"http://{}/v1\"\n",
        server.address
    );
    place.write("nearfind.toml", &table);
    for command in [&["update", "-q"][..], &["config"], &["mcp"]] {
        let refused = run(&place, "openai", command, &[]);
        assert!(!refused.status.success(), "{command:?}");
        assert!(stderr(&refused).contains("--allow-outside"), "{}", stderr(&refused));
    }
    assert_eq!(server.requests().len(), 0);
    succeeds(&run(&place, "openai", &["update", "-q", "--allow-outside"], &[]));
    assert!(server.requests().iter().any(|request| request.authorization.as_deref() == Some(&format!("Bearer {KEY}"))));
    // A collection belongs to the user, so its settings are trusted.
    place.write("home/mine/nearfind.toml", &table.replace("\"docs\"", &format!("{:?}", place.path("docs"))));
    succeeds(&run(&place, "openai", &["update", "-q", "--collection", "mine"], &[]));
}

#[test]
fn settings_come_from_the_user_the_environment_or_the_command_line() {
    let place = site();
    let server = Server::start(&place);
    let base = format!("http://{}/v1", server.address);
    place.write(
        "settings.toml",
        &format!("[embedding]\nprovider = \"ollama\"\nmodel = \"theirs\"\nbase_url = \"{base}\"\n"),
    );
    place.write("nearfind.toml", "[[project]]\npath = \"docs\"\n");
    let shown = |more: &[&str]| {
        let mut command = command_in(place.folder(), &[&["config"], more].concat());
        command.env("NEARFIND_SETTINGS", place.path("settings.toml"));
        let output = command.env("NEARFIND_SET_EMBEDDING__MODEL", "of-variable").output().unwrap();
        succeeds(&output);
        stdout(&output)
    };
    let all = shown(&["--set", "embedding.provider=openai"]);
    for expected in [
        format!("embedding.base_url = \"{base}\"  # {}", place.path("settings.toml").display()),
        "embedding.model = \"of-variable\"  # NEARFIND_SET_EMBEDDING__MODEL".to_owned(),
        "embedding.provider = \"openai\"  # --set".to_owned(),
    ] {
        assert!(all.contains(&expected), "{expected}\n{all}");
    }
    // A site with a local model in its nearfind.toml keeps it.
    place.write("nearfind.toml", "model = \"tiny\"\nbox = false\n[[project]]\npath = \"docs\"\n");
    succeeds(&run(&place, "openai", &["update", "-q"], &[]));
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn mistakes_in_settings_are_reported() {
    let place = site();
    for (setting, expected) in [
        ("embedding.provider=hal", "embedding.provider"),
        ("embedding.key=sk-123", "unknown field `key`"),
        ("embedding.key_variable=NO_SUCH_KEY", "NO_SUCH_KEY, which should contain a key, is not set"),
    ] {
        let settings: Vec<String> = ["embedding.provider=openai", "embedding.model=m", setting]
            .iter()
            .flat_map(|setting| ["--set".to_owned(), (*setting).to_owned()])
            .collect();
        let failed = run(&place, "openai", &["index", "docs", "-o", "none", "--model", "tiny"], &settings);
        assert!(!failed.status.success());
        assert!(stderr(&failed).contains(expected), "{setting}: {}", stderr(&failed));
    }
}

#[test]
fn commands_without_a_configuration_refuse_other_settings() {
    let place = Workplace::new();
    place.write("docs/a.md", "# A\n\nText.\n");
    for setting in ["chunk_token=3", "nonsense.foo=3", "ocr.url=http://127.0.0.1/"] {
        let output = place.run(&["index", "docs", "-o", "bundle", "--model", "tiny", "--set", setting]);
        let said = stderr(&output);
        assert!(!output.status.success() && said.contains("can be set here"), "{said}");
    }
}
