//! Settings of a user for all sites: a file of the user with the tables of providers. Tables in a `nearfind.toml` replace them,
//! one by one.

use super::overrides::{self, Override, PROVIDER_TABLES};
use anyhow::{Context as _, Result, anyhow};
use etcetera::BaseStrategy as _;
use nearfind_models::provider::ProviderSettings;
use std::path::PathBuf;
use toml::Table;

/// The environment variable that names the file.
const FILE: &str = "NEARFIND_SETTINGS";
/// Where the file is, if there is a home directory.
fn path() -> Option<PathBuf> {
    let usual = || Some(etcetera::choose_base_strategy().ok()?.config_dir().join("nearfind").join("settings.toml"));
    std::env::var_os(FILE).map(PathBuf::from).or_else(usual)
}

/// Its tables, and its name; none if it is not there.
pub(super) fn everybody() -> Result<(Table, String)> {
    let Some(path) = path().filter(|path| path.exists()) else { return Ok(Default::default()) };
    let name = path.display().to_string();
    let text = std::fs::read_to_string(&path).with_context(|| name.clone())?;
    let table: Table = text.parse().map_err(|error| anyhow!("{name}: {error}"))?;
    read(&table).with_context(|| name.clone())?;
    Ok((table, name))
}

/// The providers that `overrides` set, above the user's own file if it is to be read, where no nearfind.toml is. Overrides of
/// other settings are not for providers.
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
