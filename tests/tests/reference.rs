//! Generates the references of `nearfind.toml` and of the command line from the code. The tests fail if a key or an
//! option differs from them. `NEARFIND_ACCEPT=1 cargo test -p nearfind-tests --test reference` updates them.

use clap::{Arg, Command};
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const DOCS: &str = "examples/website/docs";

/// Compares `made` with the file `name`, or writes the file with `NEARFIND_ACCEPT`.
fn check(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(DOCS).join(name);
    if std::env::var_os("NEARFIND_ACCEPT").is_some() {
        fs::write(&path, made).expect("it can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let differs = written.lines().zip(made.lines()).find(|(written, made)| written != made);
    assert!(written == made, "{name} is not that of the code; the first line that differs: {differs:?}");
}

/// Escapes a text for a table cell, which `|` would end.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Returns a doc comment as shown on the website, with links to items as code.
fn comment(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    cell(&text.replace("[`", "`").replace("`]", "`"))
}

/// Describes the allowed values in words.
fn kind(schema: &Value, all: &Value) -> String {
    if let Some(target) = schema["$ref"].as_str() {
        return kind(&all["$defs"][target.rsplit('/').next().unwrap_or_default()], all);
    }
    if let Some(choices) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        let kinds: Vec<String> =
            choices.iter().filter(|choice| choice["type"] != "null").map(|choice| kind(choice, all)).collect();
        return either(&kinds);
    }
    if let Some(value) = schema["const"].as_str() {
        return format!("`{value}`");
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().filter_map(Value::as_str).map(|value| format!("`{value}`")).collect();
        return either(&values);
    }
    let types = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    let named = types.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("any");
    match named {
        "array" => format!("list of {}s", kind(&schema["items"], all)),
        "object" if schema.get("additionalProperties").is_some_and(Value::is_object) => "table of strings".to_owned(),
        "object" => "table".to_owned(),
        "boolean" => "`true` or `false`".to_owned(),
        "integer" => "whole number".to_owned(),
        other => other.to_owned(),
    }
}

/// Joins alternatives: `a, b or c`.
fn either(kinds: &[String]) -> String {
    match kinds {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => kinds.concat(),
    }
}

/// Returns the schema of the table that belongs to a key, if it has one.
fn table<'a>(schema: &'a Value, all: &'a Value) -> Option<&'a Value> {
    if let Some(target) = schema["$ref"].as_str() {
        return table(&all["$defs"][target.rsplit('/').next()?], all);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().find_map(|choice| table(choice, all));
    }
    if schema["items"].is_object() {
        return table(&schema["items"], all);
    }
    schema["properties"].is_object().then_some(schema)
}

fn keys(out: &mut String, properties: &Map<String, Value>, all: &Value) -> usize {
    *out += "| key | value | |\n|---|---|---|\n";
    for (key, schema) in properties {
        writeln!(out, "| `{key}` | {} | {} |", cell(&kind(schema, all)), comment(schema)).expect("a text");
    }
    properties.len()
}

#[test]
fn the_reference_of_the_configuration_has_every_key() {
    let all = nearfind_indexing::config::schema();
    let mut out = String::from(
        "# nearfind.toml reference\n\nGenerated from the code. [Many projects](projects.md) shows how to use the file, and the \
         [JSON schema](nearfind.schema.json) tells\neditors which keys and values are allowed.\n\n## Top-level keys\n\n",
    );
    let properties = all["properties"].as_object().expect("keys");
    let mut count = keys(&mut out, properties, &all);
    for (key, schema) in properties {
        let Some(of_table) = table(schema, &all) else { continue };
        let is_list = schema["type"] == "array";
        let name = if is_list { format!("[[{key}]]") } else { format!("[{key}]") };
        write!(out, "\n## {name}\n\n{}\n\n", comment(schema)).expect("a text");
        count += keys(&mut out, of_table["properties"].as_object().expect("keys"), &all);
    }
    assert!(count > 70, "{count} keys: some table is missing");
    let undocumented: Vec<&str> =
        out.lines().filter(|line| line.starts_with("| `") && line.ends_with("|  |")).collect();
    assert!(undocumented.is_empty(), "{undocumented:?}");
    check("configuration.md", &out);
    let mut schema = serde_json::to_string_pretty(&all).expect("JSON");
    schema.push('\n');
    check("nearfind.schema.json", &schema);
}

fn usage(argument: &Arg) -> String {
    let values: Vec<String> =
        argument.get_value_names().into_iter().flatten().map(|name| format!("<{name}>")).collect();
    let takes_value = argument.get_action().takes_values();
    let value = if takes_value && !values.is_empty() { format!(" {}", values.join(" ")) } else { String::new() };
    match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}{value}"),
        (None, Some(long)) => format!("--{long}{value}"),
        (Some(short), None) => format!("-{short}{value}"),
        (None, None) => values.first().cloned().unwrap_or_else(|| format!("<{}>", argument.get_id())),
    }
}

fn describe(out: &mut String, command: &Command, name: &str, depth: usize) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    write!(out, "\n{} {name}\n\n{}\n", "#".repeat(depth), cell(&about)).expect("a text");
    let is_shown = |argument: &&Arg| {
        !argument.is_hide_set()
            && !matches!(argument.get_id().as_str(), "help" | "version")
            && !argument.is_global_set()
    };
    let arguments: Vec<&Arg> = command.get_arguments().filter(is_shown).collect();
    if !arguments.is_empty() {
        *out += "\n| argument | |\n|---|---|\n";
    }
    for argument in arguments {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let defaults: Vec<String> =
            argument.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
        let default = if defaults.is_empty() || !argument.get_action().takes_values() {
            String::new()
        } else {
            format!(" [default: {}]", defaults.join(" "))
        };
        let variable = argument.get_env().map(|name| format!(" [environment: `{}`]", name.to_string_lossy()));
        let variable = variable.unwrap_or_default();
        writeln!(out, "| `{}` | {}{default}{variable} |", cell(&usage(argument)), cell(&help)).expect("a text");
    }
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help") {
        describe(out, inner, &format!("{name} {}", inner.get_name()), depth + 1);
    }
}

#[test]
fn the_reference_of_the_command_line_has_every_option() {
    let mut command = nearfind::cli::command();
    command.build();
    let mut out = String::from(
        "# Command line reference\n\nGenerated from the code, like `--help`. Every command accepts `--models FOLDER`, the folder of \
         model packs (environment\nvariable `NEARFIND_MODELS`).\n",
    );
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help") {
        describe(&mut out, inner, &format!("nearfind {}", inner.get_name()), 2);
    }
    assert!(out.contains("--max-file-bytes") && out.contains("nearfind model fetch"), "{out}");
    check("command_line.md", &out);
}
