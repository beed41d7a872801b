//! The user's settings for all sites: a file with the tables of providers. A table in a `nearfind.toml` replaces the
//! table of the same name.

use super::overrides::{self, Override, PROVIDER_TABLES};
use anyhow::{Context as _, Result, anyhow};
use etcetera::BaseStrategy as _;
use nearfind_models::provider::ProviderSettings;
use std::path::PathBuf;
use toml::Table;

/// Environment variable with the path of the file.
const FILE: &str = "NEARFIND_SETTINGS";
/// Returns the path of the file: the one in the variable, else the usual one in the home directory, if there is one.
fn path() -> Option<PathBuf> {
    let usual = || Some(etcetera::choose_base_strategy().ok()?.config_dir().join("nearfind").join("settings.toml"));
    std::env::var_os(FILE).map(PathBuf::from).or_else(usual)
}

/// Returns the tables of the file and its name, both empty if the file does not exist.
pub(super) fn everybody() -> Result<(Table, String)> {
    let Some(path) = path().filter(|path| path.exists()) else { return Ok(Default::default()) };
    let name = path.display().to_string();
    let text = std::fs::read_to_string(&path).with_context(|| name.clone())?;
    let table: Table = text.parse().map_err(|error| anyhow!("{name}: {error}"))?;
    read(&table).with_context(|| name.clone())?;
    Ok((table, name))
}

/// Returns the settings of providers for a command without a `nearfind.toml`: those in `overrides`, and below them
/// those in the user's file if `of_user` is set. Overrides of other settings are ignored.
pub fn providers(overrides: &[Override], of_user: bool) -> Result<ProviderSettings> {
    let mut table = if of_user { everybody()?.0 } else { Table::new() };
    let of_providers: Vec<Override> = overrides.iter().filter(|one| one.is_of(&PROVIDER_TABLES)).cloned().collect();
    overrides::apply(&of_providers, &mut table)?;
    read(&table)
}

fn read(table: &Table) -> Result<ProviderSettings> {
    serde_path_to_error::deserialize(table.clone()).map_err(|error| {
        let key = error.path().to_string();
        anyhow!("{key}: {}", error.into_inner())
    })
}
