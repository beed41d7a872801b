//! Writes a project that serves a published bundle to AI agents from an edge runtime.

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, Subcommand};
use nearfind_base::location::Location;
use nearfind_base::say;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use url::Url;

/// The files of the project. `BUNDLE` and `VERSION` are replaced by the address of the bundle and by the version of the
/// npm package.
const FILES: [(&str, &str); 6] = [
    ("package.json", include_str!("edge_project/package.json")),
    ("worker.js", include_str!("edge_project/worker.js")),
    ("server.js", include_str!("edge_project/server.js")),
    ("settings.js", include_str!("edge_project/settings.js")),
    ("wrangler.toml", include_str!("edge_project/wrangler.toml")),
    ("README.md", include_str!("edge_project/README.md")),
];

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write a project for Cloudflare Workers, Node, Deno and Bun that serves a published index to AI agents
    Init(InitArguments),
}

#[derive(Debug, Args)]
pub(super) struct InitArguments {
    /// Folder of the project
    #[arg(default_value = "nearfind-mcp")]
    folder: PathBuf,
    /// Address of the published index: the folder that contains nearfind.json
    #[arg(long, value_name = "URL", value_parser = published)]
    bundle: Url,
}

pub(super) fn run(command: &Command) -> Result<ExitCode> {
    let Command::Init(InitArguments { folder, bundle }) = command;
    write(folder, bundle)?;
    say!("wrote {} files into {}", FILES.len(), folder.display());
    say!("next: cd {}; npm install; then npx wrangler deploy, or node server.js", folder.display());
    Ok(ExitCode::SUCCESS)
}

/// Parses an address that edge runtimes can read.
fn published(argument: &str) -> Result<Url> {
    match Location::published(argument)? {
        Some(Location::Published(url)) if matches!(url.scheme(), "http" | "https") => Ok(url),
        _ => bail!("{argument}: use the address of the published index, such as https://docs.example.org/search/"),
    }
}

/// Writes the files. Fails before the first one if any of them exists.
fn write(folder: &Path, bundle: &Url) -> Result<()> {
    for (name, _) in FILES {
        let path = folder.join(name);
        ensure!(
            path.symlink_metadata().is_err(),
            "{}: this file already exists; choose another folder, or move the file",
            path.display()
        );
    }
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    for (name, text) in FILES {
        let path = folder.join(name);
        let text = text.replace("BUNDLE", bundle.as_str()).replace("VERSION", env!("CARGO_PKG_VERSION"));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_names_its_bundle_and_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("a/b");
        let bundle = published("https://docs.example.org/a\"b/nearfind.json").unwrap();
        write(&project, &bundle).unwrap();
        let read = |name| fs::read_to_string(project.join(name)).unwrap();
        assert!(read("settings.js").contains("bundle: \"https://docs.example.org/a%22b/\""), "{}", read("settings.js"));
        assert!(read("package.json").contains(&format!("\"nearfind\": \"{}\"", env!("CARGO_PKG_VERSION"))));
        fs::write(project.join("worker.js"), "mine").unwrap();
        fs::remove_file(project.join("package.json")).unwrap();
        assert!(write(&project, &bundle).unwrap_err().to_string().contains("already exists"));
        assert_eq!(read("worker.js"), "mine");
        assert!(!project.join("package.json").exists(), "nothing is written if something is there");
    }

    #[test]
    fn a_bundle_of_this_machine_or_a_bucket_is_refused() {
        for place in ["site/search", "s3://bucket/docs", "file:///tmp/x"] {
            assert!(published(place).is_err(), "{place}");
        }
    }
}
