//! Reads the fields of front matter. Invalid lines do not affect the other fields.

use super::split::{Block, Syntax};
use serde_json::{Map, Value};

pub(super) type Fields = Map<String, Value>;

/// Maximum number of invalid lines to name in a report.
const MAX_NAMED: usize = 5;

/// Reads the fields in `block`, and adds problems to `notes`. Returns `None` if the block turns out to be text.
pub(super) fn read(block: &Block<'_>, notes: &mut Vec<String>) -> Option<Fields> {
    if let Some(value) = parse(block.syntax, block.lines) {
        return match value {
            Value::Object(fields) if block.is_closed => Some(fields),
            Value::Object(fields) => only_draft(&fields),
            Value::Null if block.is_closed => Some(Fields::new()),
            Value::Array(_) if block.is_closed => {
                notes.push("the block between its first two `---` lines has no keys, so it is read as text".to_owned());
                None
            }
            _ => None,
        };
    }
    let entries = entries(block)?;
    let mut fields = Fields::new();
    let mut bad = Vec::new();
    for entry in entries {
        if let Some(Value::Object(entry)) = parse(block.syntax, entry.lines) {
            entry.into_iter().for_each(|(name, value)| insert(&mut fields, name, value));
            continue;
        }
        bad.push(entry.line);
        if !entry.name.is_empty() {
            // The author meant the text literally. The most frequent mistake is a title with a colon.
            let value = entry.value.trim().trim_matches(['"', '\'']);
            insert(&mut fields, entry.name.to_owned(), Value::String(value.to_owned()));
        }
    }
    if !block.is_closed {
        return only_draft(&fields);
    }
    let language = match block.syntax {
        Syntax::Yaml => "YAML",
        Syntax::Toml => "TOML",
        Syntax::Json => "JSON",
    };
    notes.extend(bad.iter().take(MAX_NAMED).map(|line| format!("line {line} of its front matter is not {language}")));
    if bad.len() > MAX_NAMED {
        notes.push(format!("{} more lines of its front matter are not {language}", bad.len() - MAX_NAMED));
    }
    Some(fields)
}

/// Returns only the field `draft` if it is set, and otherwise `None`, because front matter without an end may be text.
fn only_draft(fields: &Fields) -> Option<Fields> {
    let draft = fields.get("draft").filter(|draft| is_yes(draft))?;
    Some(Fields::from_iter([("draft".to_owned(), draft.clone())]))
}

/// Adds a field. If any line marks the page as a draft, later lines cannot change that.
fn insert(fields: &mut Fields, name: String, value: Value) {
    if name != "draft" || !fields.get("draft").is_some_and(is_yes) {
        fields.insert(name, value);
    }
}

fn parse(syntax: Syntax, lines: &str) -> Option<Value> {
    match syntax {
        Syntax::Yaml if lines.trim().is_empty() => Some(Value::Null),
        Syntax::Yaml => serde_saphyr::from_str_with_options(lines, limits()).ok(),
        Syntax::Toml => toml::from_str::<toml::Table>(lines).ok().map(|table| json(toml::Value::Table(table))),
        Syntax::Json => serde_json::from_str(lines).ok(),
    }
}

fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(is) => Value::Bool(is),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(values) => values.into_iter().map(json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(name, value)| (name, json(value))).collect(),
    }
}

/// The lines from a line that begins with a name at the margin to the next such line.
struct Entry<'a> {
    /// Number of the first line in the file, starting at 1.
    line: usize,
    /// The name, or an empty text if the first line has none.
    name: &'a str,
    /// The rest of the first line, after the name.
    value: &'a str,
    lines: &'a str,
}

/// Splits a block that cannot be parsed as a whole into entries. Returns `None` if it does not look like front matter.
fn entries<'a>(block: &Block<'a>) -> Option<Vec<Entry<'a>>> {
    let sign = match block.syntax {
        Syntax::Yaml => ':',
        Syntax::Toml => '=',
        Syntax::Json => return None,
    };
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let (mut at, mut named, mut unnamed) = (0, 0, 0);
    for (number, line) in (block.first_line..).zip(block.lines.split_inclusive('\n')) {
        let start = at;
        at += line.len();
        let begins = !line.starts_with([' ', '\t', '-', ']', '}', '#']) && !line.trim().is_empty();
        match (begins, name(line, sign)) {
            (true, Some((name, value))) => {
                named += 1;
                entries.push(Entry { line: number, name, value, lines: "" });
            }
            (true, None) => {
                unnamed += 1;
                entries.push(Entry { line: number, name: "", value: "", lines: "" });
            }
            // Lines before the first name are a separate entry.
            (false, _) if entries.is_empty() && !line.trim().is_empty() && !line.starts_with('#') => {
                entries.push(Entry { line: number, name: "", value: "", lines: "" });
            }
            (false, _) => {}
        }
        if let Some(entry) = entries.last_mut() {
            let from = start - entry.lines.len();
            entry.lines = &block.lines[from..at];
        }
    }
    // Prose between two rules may also contain colons.
    let looks_like_it = named > unnamed && block.lines.lines().next().is_some_and(|first| !first.trim().is_empty());
    looks_like_it.then_some(entries)
}

/// Splits `name: value`, or `name = value` if `sign` is `=`.
fn name(line: &str, sign: char) -> Option<(&str, &str)> {
    let (name, value) = line.trim_end().split_once(sign)?;
    let name = name.trim_end();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let is_apart = sign != ':' || value.is_empty() || value.starts_with([' ', '\t']);
    (is_name && is_apart).then_some((name, value))
}

/// Returns the limits for the YAML parser. They exceed what front matter needs, and keep parsing fast.
fn limits() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 16,
            flow_nesting_limit: 16,
            max_events: 20_000,
            max_nodes: 10_000,
            max_aliases: 100,
            max_anchors: 100,
            max_recorded_anchor_events: 10_000,
            max_merge_keys: 100,
        },
    }
}

/// Whether a field means yes, in YAML or in common use.
pub(super) fn is_yes(value: &Value) -> bool {
    matches!(text(value).trim().to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1")
}

/// Whether a field means no.
pub(super) fn is_no(value: &Value) -> bool {
    matches!(text(value).trim().to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0")
}

/// Returns a scalar as text, or an empty text for any other value.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => String::new(),
    }
}
