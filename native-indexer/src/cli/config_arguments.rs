//! Which configuration a command works on, and where collections are.

use crate::config::{CONFIG_FILE, Config};
use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use etcetera::BaseStrategy as _;
#[cfg(feature = "mcp")]
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The environment variable that names the folder of collections.
const HOME: &str = "NEARFIND_HOME";

/// Which configuration.
#[derive(Debug, Args)]
pub(super) struct ConfigArguments {
    /// Configuration file [default: nearfind.toml]
    #[arg(long, value_name = "TOML", conflicts_with = "collection")]
    config: Option<PathBuf>,
    /// A collection: the folder of this name, with its nearfind.toml, in NEARFIND_HOME or the platform's data directory
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,
    /// Let the configuration name folders outside its own
    #[arg(long)]
    allow_outside: bool,
}

impl ConfigArguments {
    /// Reads the configuration.
    pub(super) fn config(&self) -> Result<Config> {
        if let Some(name) = &self.collection {
            return collection(name);
        }
        let path = self.config.as_deref().unwrap_or(Path::new(CONFIG_FILE));
        if self.config.is_none() && !path.exists() {
            bail!(
                "there is no {CONFIG_FILE} here; write one, name it with --config, or index one folder: `nearfind index docs/ -o search`"
            );
        }
        Config::read(path, self.allow_outside)
    }

    #[cfg(feature = "mcp")]
    /// The options by which another process of this program reads the same configuration.
    pub(super) fn options(&self) -> Vec<OsString> {
        let named = |name: &str, value: &OsStr| [OsString::from(name), value.to_owned()];
        let mut options = Vec::new();
        options.extend(self.config.iter().flat_map(|path| named("--config", path.as_os_str())));
        options.extend(self.collection.iter().flat_map(|name| named("--collection", OsStr::new(name))));
        options.extend(self.allow_outside.then(|| "--allow-outside".into()));
        options
    }
}

/// The configuration of a collection.
pub(super) fn collection(name: &str) -> Result<Config> {
    crate::source::check_name(name).context("a collection")?;
    let home = match std::env::var_os(HOME) {
        Some(home) => PathBuf::from(home),
        None => etcetera::choose_base_strategy()
            .with_context(|| format!("no home directory: say where collections are with {HOME}"))?
            .data_dir()
            .join("nearfind")
            .join("collections"),
    };
    let path = home.join(name).join(CONFIG_FILE);
    ensure!(path.exists(), "there is no collection {name:?}: write {}", path.display());
    // Whoever wrote it wrote into the user's own folders.
    Config::read(&path, true)
}
