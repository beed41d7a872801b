//! An entry in a file of TOML.

use super::super::client_config::NAME;
use anyhow::{Context as _, Result};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// `text` with the entry `wanted` in the table `table`, or without any; `None` if it is so already.
pub(super) fn with_entry(text: &str, table: &str, wanted: Option<&Value>) -> Result<Option<String>> {
    let mut document: DocumentMut = text.parse().context("this is no TOML")?;
    let is_new = document.get(table).is_none();
    if let Some(wanted) = wanted {
        let servers = document.entry(table).or_insert_with(|| Item::Table(Table::new()));
        let servers = servers.as_table_mut().with_context(|| format!("{table:?} is no table"))?;
        // It has a line of its own only where somebody wrote one.
        servers.set_implicit(servers.is_implicit() || is_new);
        let entry = table_of(wanted);
        let is_same = |known: &Table| {
            known.len() == entry.len()
                && entry.iter().all(|(key, item)| {
                    known.get(key).is_some_and(|known| known.to_string().trim() == item.to_string().trim())
                })
        };
        if servers.get(NAME).and_then(Item::as_table).is_some_and(is_same) {
            return Ok(None);
        }
        servers.insert(NAME, Item::Table(entry));
    } else {
        let Some(servers) = document.get_mut(table) else { return Ok(None) };
        let servers = servers.as_table_mut().with_context(|| format!("{table:?} is no table"))?;
        if servers.remove(NAME).is_none() {
            return Ok(None);
        }
        if servers.is_empty() && servers.is_implicit() {
            document.remove(table);
        }
    }
    Ok(Some(document.to_string()))
}

/// An entry as a table: texts, and lists of texts.
fn table_of(entry: &Value) -> Table {
    let mut table = Table::new();
    for (key, item) in entry.as_object().into_iter().flatten() {
        let item = match item {
            Value::Array(texts) => value(texts.iter().filter_map(Value::as_str).collect::<Array>()),
            other => value(other.as_str().unwrap_or_default()),
        };
        table.insert(key, item);
    }
    table
}
