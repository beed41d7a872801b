//! Edits an entry in a TOML file.

use super::super::client_config::{NAME, is_of_user, stale_keys};
use anyhow::{Context as _, Result};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

/// Returns `text` with the entry `wanted` in the table `table`, or without the entry if `wanted` is `None`. Returns
/// `None` if nothing changes.
pub(super) fn with_entry(text: &str, table: &str, wanted: Option<&Value>) -> Result<Option<String>> {
    let mut document: DocumentMut = text.parse().context("this is not TOML")?;
    let is_new = document.get(table).is_none();
    if let Some(wanted) = wanted {
        let servers = document.entry(table).or_insert_with(|| Item::Table(Table::new()));
        let servers = servers.as_table_mut().with_context(|| format!("{table:?} is not a table"))?;
        // The table gets its own header only if the file already has one.
        servers.set_implicit(servers.is_implicit() || is_new);
        match servers.get_mut(NAME).and_then(Item::as_table_like_mut) {
            Some(entry) => {
                if !adjust(entry, wanted) {
                    return Ok(None);
                }
            }
            None => drop(servers.insert(NAME, Item::Table(table_of(wanted)))),
        }
    } else {
        let Some(servers) = document.get_mut(table) else { return Ok(None) };
        let servers = servers.as_table_mut().with_context(|| format!("{table:?} is not a table"))?;
        if servers.remove(NAME).is_none() {
            return Ok(None);
        }
        if servers.is_empty() && servers.is_implicit() {
            document.remove(table);
        }
    }
    Ok(Some(document.to_string()))
}

/// Sets the keys of `wanted` in an entry, and keeps the user's keys. Returns whether anything changed.
fn adjust(entry: &mut dyn TableLike, wanted: &Value) -> bool {
    let mut is_adjusted = false;
    for (key, item) in wanted.as_object().into_iter().flatten() {
        match entry.get_mut(key) {
            Some(known) => {
                if is_of_user(key) || is_same(known, item) {
                    continue;
                }
                let decor = known.as_value().map(|known| known.decor().clone());
                *known = item_of(item);
                // Keep the comment after the value.
                if let (Some(new), Some(decor)) = (known.as_value_mut(), decor) {
                    *new.decor_mut() = decor;
                }
            }
            None => drop(entry.insert(key, item_of(item))),
        }
        is_adjusted = true;
    }
    let known = entry.iter().map(|(key, _)| key.to_owned()).collect();
    for key in stale_keys(known, wanted) {
        entry.remove(&key);
        is_adjusted = true;
    }
    is_adjusted
}

/// Whether `known` has the same text or list of texts as `wanted`, in any notation.
fn is_same(known: &Item, wanted: &Value) -> bool {
    match wanted {
        Value::Array(texts) => known
            .as_array()
            .is_some_and(|known| known.iter().map(toml_edit::Value::as_str).eq(texts.iter().map(Value::as_str))),
        other => known.as_str().is_some_and(|known| Some(known) == other.as_str()),
    }
}

/// Converts an entry to a table.
fn table_of(entry: &Value) -> Table {
    let mut table = Table::new();
    for (key, item) in entry.as_object().into_iter().flatten() {
        table.insert(key, item_of(item));
    }
    table
}

/// Converts a text or a list of texts.
fn item_of(item: &Value) -> Item {
    match item {
        Value::Array(texts) => value(texts.iter().filter_map(Value::as_str).collect::<Array>()),
        other => value(other.as_str().unwrap_or_default()),
    }
}
