use super::config_arguments::ConfigArguments;
use anyhow::Result;
use clap::Args;
use nearfind_base::say;
use nearfind_base::terminal::print_pretty_json;
use nearfind_indexing::config::{Config, DEFAULT_OUTPUT};
use nearfind_indexing::source::DOCS_FOLDERS;
use nearfind_models::model::DEFAULT_MODEL;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: ConfigArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A setting in force.
#[derive(Serialize)]
struct Setting {
    key: String,
    /// The value in JSON, or in words.
    value: String,
    /// The file, the environment, the command line, or `default`.
    origin: String,
}

/// Settings that a file need not contain, with their defaults.
const DEFAULTS: [(&str, &str); 9] = [
    ("box", "true"),
    ("chunk_overlap", "0"),
    ("chunk_tokens", "what the model reads"),
    ("default_reference", "[]"),
    ("max_file_bytes", "0"),
    ("query_encoder", "true"),
    ("ship_model", "false"),
    ("small_encoder", "auto"),
    ("trigrams", "with a query encoder, and beyond 32 MB of text"),
];

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let config = arguments.config.config()?;
    let settings = settings(&config);
    if arguments.json {
        print_pretty_json(&settings)?;
    } else {
        for Setting { key, value, origin } in settings {
            say!("{key} = {value}  # {origin}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns all settings, sorted by key. Keys of projects contain the name of the project.
fn settings(config: &Config) -> Vec<Setting> {
    let file = config.path.display().to_string();
    let origin = |key: &str| config.origins.get(key).cloned().unwrap_or_else(|| file.clone());
    let mut found: Vec<Setting> = Vec::new();
    for (key, value) in &config.settings {
        if let Some(table) = value.as_table() {
            let of_table = config.origins.get(key);
            for (inner, value) in table {
                let key = format!("{key}.{inner}");
                let origin = config.origins.get(&key).or(of_table).unwrap_or(&file).clone();
                found.push(Setting { origin, key, value: written(value) });
            }
            continue;
        }
        let Some(tables) = value.as_array().filter(|_| key == "project") else {
            found.push(Setting { origin: origin(key), key: key.clone(), value: written(value) });
            continue;
        };
        for table in tables.iter().filter_map(toml::Value::as_table) {
            let name = table.get("name").and_then(toml::Value::as_str).unwrap_or_default();
            for (inner, value) in table {
                let key = format!("project.{name}.{inner}");
                found.push(Setting { origin: origin(&key), key, value: written(value) });
            }
        }
    }
    let named = [
        ("default_docs", format!("{DOCS_FOLDERS:?}")),
        ("model", format!("{:?}", DEFAULT_MODEL.name)),
        ("output", format!("{DEFAULT_OUTPUT:?}")),
    ];
    let defaults = DEFAULTS.map(|(key, value)| (key, value.to_owned())).into_iter().chain(named);
    for (key, value) in defaults.filter(|(key, _)| !config.settings.contains_key(*key)) {
        found.push(Setting { key: key.to_owned(), value, origin: "default".to_owned() });
    }
    found.sort_by(|a, b| a.key.cmp(&b.key));
    found
}

/// Returns a value on one line. JSON and TOML write all values alike except for tables.
fn written(value: &toml::Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
