//! Edits an entry in a JSON file, with or without comments.

use super::super::client_config::{NAME, is_of_user, stale_keys};
use anyhow::{Context as _, Result, anyhow};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

/// The JSON extensions that clients accept. Any other deviation means that the file is damaged.
const FORM: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Returns `text` with the entry `value` in the object `table`, or without an entry if there is no value. Returns
/// `None` if nothing changes.
pub(super) fn with_entry(text: &str, table: &str, value: Option<&Value>) -> Result<Option<String>> {
    let root = CstRootNode::parse(text, &FORM).map_err(|error| anyhow!("this is not JSON: {error}"))?;
    let whole = root.object_value_or_create().context("this is not a JSON object")?;
    if let Some(value) = value {
        let servers = whole.object_value_or_create(table).with_context(|| format!("{table:?} is not an object"))?;
        match servers.get(NAME) {
            Some(known) => {
                if !adjust(&known.object_value_or_set(), value) {
                    return Ok(None);
                }
            }
            None => drop(servers.append(NAME, input(value))),
        }
    } else {
        let Some(servers) = whole.get(table) else { return Ok(None) };
        let object = servers.object_value().with_context(|| format!("{table:?} is not an object"))?;
        let Some(known) = object.get(NAME) else { return Ok(None) };
        if object.properties().len() == 1 { servers.remove() } else { known.remove() }
    }
    Ok(Some(root.to_string()))
}

/// Sets the keys of `wanted` in an entry, and keeps the user's keys. Returns whether anything changed.
fn adjust(entry: &CstObject, wanted: &Value) -> bool {
    let mut is_adjusted = false;
    for (key, value) in wanted.as_object().into_iter().flatten() {
        match entry.get(key) {
            Some(known) if is_of_user(key) || known.to_serde_value().as_ref() == Some(value) => continue,
            Some(known) => known.set_value(input(value)),
            None => drop(entry.append(key, input(value))),
        }
        is_adjusted = true;
    }
    let known = entry.properties().iter().filter_map(CstObjectProp::decoded_name).collect();
    for stale in stale_keys(known, wanted).iter().filter_map(|key| entry.get(key)) {
        stale.remove();
        is_adjusted = true;
    }
    is_adjusted
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(values) => {
            CstInputValue::Object(values.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
