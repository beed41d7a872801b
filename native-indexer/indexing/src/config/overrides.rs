//! Settings from the command line and the environment, which override those in the file.
//!
//! The command line gives them as `chunk_tokens=192`, or `project.panel.branch=main` for a setting of a project. The
//! environment gives them as `NEARFIND_SET_CHUNK_TOKENS=192` and `NEARFIND_SET_PROJECT__PANEL__BRANCH=main`.

use anyhow::{Context as _, Result, bail, ensure};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Prefix of the environment variables.
const PREFIX: &str = "NEARFIND_SET_";
/// Key of the tables of projects.
const PROJECT: &str = "project";

/// Key of the table of OCR.
const OCR: &str = "ocr";
/// Keys of the tables of providers.
pub(super) const PROVIDER_TABLES: [&str; 3] = ["embedding", "rerank", "language_model"];

/// A setting that is not from the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// The parts of its key. In text, dots join them: `chunk_tokens`, `project.panel.branch`.
    key: Vec<String>,
    value: String,
    /// Where it comes from: `--set`, or the name of the variable.
    origin: String,
}

/// Where settings come from that are not from the file, by dotted key.
pub type Origins = BTreeMap<String, String>;

impl Override {
    /// Parses a `KEY=VALUE` from the command line.
    pub fn of_argument(argument: &str) -> Result<Self> {
        let (key, value) =
            argument.split_once('=').context("a setting is a key and a value, as in chunk_tokens=192")?;
        let key: Vec<String> = key.split('.').map(str::to_owned).collect();
        ensure!(key.iter().all(|part| !part.is_empty()), "{argument:?}: the key is empty");
        Ok(Self { key, value: value.to_owned(), origin: "--set".to_owned() })
    }

    /// Returns the settings in environment variables, sorted by the name of the variable.
    pub fn of_environment(variables: impl Iterator<Item = (String, String)>) -> Vec<Self> {
        let mut found: Vec<Self> = variables
            .filter_map(|(name, value)| {
                let key = name.strip_prefix(PREFIX)?.to_lowercase();
                Some(Self { key: key.split("__").map(str::to_owned).collect(), value, origin: name })
            })
            .collect();
        found.sort_by(|a, b| a.origin.cmp(&b.origin));
        found
    }

    /// Fails unless it is a setting of a provider. Commands that read no nearfind.toml have no other settings.
    pub fn check_provider(&self) -> Result<()> {
        ensure!(
            self.is_of(&PROVIDER_TABLES),
            "--set {}: only embedding.KEY, rerank.KEY and language_model.KEY can be set here; use an option, or a nearfind.toml and `nearfind update`",
            self.key.join(".")
        );
        Ok(())
    }

    /// Whether it is a setting of one of `tables`.
    pub(super) fn is_of(&self, tables: &[&str]) -> bool {
        tables.contains(&self.key[0].as_str())
    }

    /// Puts the setting into `table`, and its origin into `origins`.
    fn apply(&self, table: &mut Table, origins: &mut Origins) -> Result<()> {
        let value = parsed(&self.value);
        match &self.key[..] {
            [key] => {
                ensure!(key != PROJECT, "projects can be set only in the file");
                table.insert(key.clone(), value);
                origins.insert(key.clone(), self.origin.clone());
            }
            [name, key] if name == OCR || PROVIDER_TABLES.contains(&name.as_str()) => {
                let settings = table.entry(name).or_insert_with(|| Table::new().into());
                let settings = settings.as_table_mut().with_context(|| format!("{name} is not a table"))?;
                settings.insert(key.clone(), value);
                origins.insert(format!("{name}.{key}"), self.origin.clone());
            }
            [first, name, key] if first == PROJECT => {
                let projects =
                    table.get_mut(PROJECT).and_then(Value::as_array_mut).map_or(&mut [][..], Vec::as_mut_slice);
                let called = |project: &&mut Value| {
                    project.get("name").and_then(Value::as_str).is_some_and(|known| plain(known) == plain(name))
                };
                let Some(project) = projects.iter_mut().find(called).and_then(Value::as_table_mut) else {
                    bail!("there is no project with `name = {name:?}`");
                };
                let shown = project.get("name").and_then(Value::as_str).unwrap_or(name).to_owned();
                project.insert(key.clone(), value);
                origins.insert(format!("{PROJECT}.{shown}.{key}"), self.origin.clone());
            }
            _ => bail!(
                "{:?} is not a known key: use a key of the file, embedding.KEY or project.NAME.KEY",
                self.key.join(".")
            ),
        }
        Ok(())
    }
}

/// Puts `overrides` into `table`; later ones replace earlier ones. Returns where these settings come from.
pub(super) fn apply(overrides: &[Override], table: &mut Table) -> Result<Origins> {
    let mut origins = Origins::new();
    for setting in overrides {
        setting.apply(table, &mut origins).with_context(|| setting.origin.clone())?;
    }
    Ok(origins)
}

/// Parses a value of TOML. Any other text becomes a string.
fn parsed(text: &str) -> Value {
    let read = format!("value = {text}").parse::<Table>().ok().and_then(|mut table| table.remove("value"));
    read.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Returns `name` in lower case and with underscores for dashes, because names of environment variables have no dashes.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(overrides: &[Override]) -> Result<(Table, Origins)> {
        let text = "chunk_tokens = 128\n[[project]]\nname = \"panel-material-ui\"\npath = \"a\"\n";
        let mut table: Table = text.parse().unwrap();
        apply(overrides, &mut table).map(|origins| (table, origins))
    }

    #[test]
    fn the_command_line_counts_more_than_the_environment_and_that_more_than_the_file() {
        let variables = [
            ("NEARFIND_SET_CHUNK_TOKENS", "192"),
            ("NEARFIND_SET_PROJECT__PANEL_MATERIAL_UI__BRANCH", "next"),
            ("NEARFIND_SET_MODEL", "tiny"),
            ("NEARFIND_HOME", "/x"),
        ];
        let mut overrides =
            Override::of_environment(variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        overrides.push(Override::of_argument("model=all-MiniLM-L6-v2").unwrap());
        overrides.push(Override::of_argument("project.panel-material-ui.docs=[\"doc\", \"more\"]").unwrap());
        let (table, origins) = applied(&overrides).unwrap();
        assert_eq!(table["chunk_tokens"].as_integer(), Some(192));
        assert_eq!(table["model"].as_str(), Some("all-MiniLM-L6-v2"));
        let project = &table["project"].as_array().unwrap()[0];
        assert_eq!((project["branch"].as_str(), project["docs"].as_array().map(Vec::len)), (Some("next"), Some(2)));
        assert_eq!(origins["model"], "--set");
        assert_eq!(origins["chunk_tokens"], "NEARFIND_SET_CHUNK_TOKENS");
        assert_eq!(origins.len(), 4);
    }

    #[test]
    fn what_is_no_setting_is_refused_by_its_name() {
        assert!(Override::of_argument("chunk_tokens").is_err());
        let refused =
            |argument: &str| format!("{:#}", applied(&[Override::of_argument(argument).unwrap()]).unwrap_err());
        assert!(refused("project.other.branch=x").contains("no project"), "{}", refused("project.other.branch=x"));
        assert!(refused("a.b=1").contains("is not a known key") && refused("project=1").contains("in the file"));
    }
}
