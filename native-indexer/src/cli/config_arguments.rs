//! Arguments that choose the configuration of a command. Also finds collections.

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use etcetera::BaseStrategy as _;
use nearfind_base::remark;
use nearfind_indexing::config::{CONFIG_FILE, Config, Override, providers};
use nearfind_models::provider::ProviderSettings;
#[cfg(feature = "full")]
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The environment variable with the folder of collections.
const HOME: &str = "NEARFIND_HOME";

/// The environment variable with the path of a configuration file.
const FILE: &str = "NEARFIND_CONFIG";

/// Which configuration.
#[derive(Debug, Args)]
pub(super) struct ConfigArguments {
    /// Configuration file, in TOML, or in JSON if its name ends in `.json` [default: the file in NEARFIND_CONFIG, else
    /// nearfind.toml]
    #[arg(long, value_name = "FILE", conflicts_with = "collection")]
    config: Option<PathBuf>,
    /// Name of a collection: a folder with its own nearfind.toml, in NEARFIND_HOME or the platform's data directory
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,
    /// Allow the configuration to name folders outside its own folder, programs to run, and servers that receive texts
    /// and keys
    #[arg(long)]
    allow_outside: bool,
    /// A setting that overrides the file, such as `chunk_tokens=192` or `project.panel.branch=main`; can be repeated.
    /// You can also set it in the environment, as NEARFIND_SET_CHUNK_TOKENS or NEARFIND_SET_PROJECT__PANEL__BRANCH
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl ConfigArguments {
    /// Reads the configuration.
    pub(super) fn config(&self) -> Result<Config> {
        self.config_at(None)
    }

    /// Returns whether a configuration is named, by an argument or by the environment.
    #[cfg(feature = "full")]
    pub(super) fn is_named(&self) -> bool {
        self.config.is_some() || self.collection.is_some() || std::env::var_os(FILE).is_some()
    }

    /// Reads the named configuration, or else the one at `found` or in the current folder.
    pub(super) fn config_at(&self, found: Option<&Path>) -> Result<Config> {
        let overrides = overrides(&self.set)?;
        if let Some(name) = &self.collection {
            // Collections are in the user's own folders, so their authors are trusted.
            return Config::read_with(&collection_file(name)?, &overrides, true);
        }
        let named = self.config.clone().or_else(|| std::env::var_os(FILE).map(PathBuf::from));
        let named = named.or_else(|| found.map(Path::to_owned));
        let path = named.as_deref().unwrap_or(Path::new(CONFIG_FILE));
        if named.is_none() && !path.exists() {
            bail!(
                "there is no {CONFIG_FILE} here; write one, name another with --config, or index a folder: `nearfind index docs/ -o search`"
            );
        }
        let config = Config::read_with(path, &overrides, self.allow_outside)?;
        if self.allow_outside {
            for (what, place) in config.let_in() {
                remark!("--allow-outside: {what} leads to {}", place.display());
            }
        }
        Ok(config)
    }

    #[cfg(feature = "full")]
    /// Returns the providers that are set without a configuration file.
    pub(super) fn providers(&self) -> Result<ProviderSettings> {
        providers(&overrides(&self.set)?, true)
    }

    #[cfg(feature = "full")]
    /// Returns options that make another process of this program read the same configuration.
    pub(super) fn options(&self) -> Vec<OsString> {
        let named = |name: &str, value: &OsStr| [OsString::from(name), value.to_owned()];
        let mut options = Vec::new();
        options.extend(self.config.iter().flat_map(|path| named("--config", path.as_os_str())));
        options.extend(self.collection.iter().flat_map(|name| named("--collection", OsStr::new(name))));
        options.extend(self.allow_outside.then(|| "--allow-outside".into()));
        options.extend(self.set.iter().flat_map(|setting| named("--set", OsStr::new(setting))));
        options
    }
}

/// Returns the settings from the environment, followed by those from the command line.
fn overrides(arguments: &[String]) -> Result<Vec<Override>> {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut overrides = Override::of_environment(variables);
    for setting in arguments {
        overrides.push(Override::of_argument(setting)?);
    }
    Ok(overrides)
}

/// Models of others, for commands that read no nearfind.toml.
#[derive(Debug, Args)]
pub(super) struct ProviderArguments {
    /// A provider setting, such as `embedding.provider=ollama`; can be repeated. You can also set it in the
    /// environment, as NEARFIND_SET_EMBEDDING__PROVIDER, or in your own settings file, in tables such as [embedding]
    #[arg(long, value_name = "TABLE.KEY=VALUE")]
    set: Vec<String>,
}

impl ProviderArguments {
    /// Returns the providers, including those of the user's own file.
    pub(super) fn providers(&self) -> Result<ProviderSettings> {
        self.providers_with(true)
    }

    /// Returns the providers without those of the user's own file.
    pub(super) fn providers_of_command(&self) -> Result<ProviderSettings> {
        self.providers_with(false)
    }

    fn providers_with(&self, of_user: bool) -> Result<ProviderSettings> {
        for setting in &self.set {
            Override::of_argument(setting)?.check_provider()?;
        }
        providers(&overrides(&self.set)?, of_user)
    }
}

/// Reads the configuration of a collection.
pub(super) fn collection(name: &str) -> Result<Config> {
    // Collections are in the user's own folders, so their authors are trusted.
    Config::read(&collection_file(name)?, true)
}

fn collection_file(name: &str) -> Result<PathBuf> {
    nearfind_indexing::source::check_name(name).context("a collection")?;
    let home = match std::env::var_os(HOME) {
        Some(home) => PathBuf::from(home),
        None => etcetera::choose_base_strategy()
            .with_context(|| format!("there is no home directory: set the folder of collections in {HOME}"))?
            .data_dir()
            .join("nearfind")
            .join("collections"),
    };
    let path = home.join(name).join(CONFIG_FILE);
    ensure!(path.exists(), "there is no collection {name:?}: create {}", path.display());
    Ok(path)
}
