//! Generates the catalogue of errors from the code: messages, their meanings, and what to do. The test fails if a
//! message differs from the catalogue. `NEARFIND_ACCEPT=1 cargo test -p nearfind-tests --test error_catalogue` updates
//! the catalogue.

use regex::Regex;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Enums of errors: the subject, and the file.
const ENUMS: [(&str, &str); 4] = [
    ("Questions", "core/src/search/query/query_settings.rs"),
    ("Indexes and model packs", "core/src/format/error.rs"),
    ("Models", "core/src/embed/mod.rs"),
    ("Files that are left out of an index", "native-indexer/extract/src/error.rs"),
];

/// Errors of commands: the subject, and the folder or file.
const COMMANDS: [(&str, &str); 10] = [
    ("Configuration", "indexing/src/config"),
    ("Sources", "indexing/src/source"),
    ("Indexing", "indexing/src/run"),
    ("Models and providers", "models/src"),
    ("Index folders", "bundles/src/bundle_folder"),
    ("Caches and files", "base/src"),
    ("Reading indexes", "bundles/src/library"),
    ("Judged queries", "src/eval"),
    ("Commands", "src/cli"),
    ("The server for agents", "mcp/src"),
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Converts a string literal to its text, with continued lines joined.
fn unescaped(literal: &str) -> String {
    let joined = Regex::new(r"\\\n\s*").unwrap().replace_all(literal, "").into_owned();
    joined.replace("\\\"", "\"").replace("\\n", " ").replace("\\\\", "\\")
}

/// Escapes a text for a table cell, which `|` would end.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Joins the lines of a doc comment.
fn comment(lines: &str, mark: &str) -> String {
    let text: Vec<&str> = lines.lines().map(|line| line.trim().trim_start_matches(mark).trim()).collect();
    text.join(" ").replace("[`", "`").replace("`]", "`")
}

/// Returns the variants of an enum with messages in attributes: the message, and the text of the doc comment.
fn of_enum(path: &str) -> Vec<(String, String)> {
    let variant = Regex::new(r#"((?:[ \t]*///[^\n]*\n)+)[ \t]*#\[error\(\s*"((?:[^"\\]|\\.|\\\n)*)""#).unwrap();
    let source = read(path);
    variant.captures_iter(&source).map(|found| (unescaped(&found[2]), comment(&found[1], "///"))).collect()
}

/// Returns the sorted messages of commands in the files below a folder.
fn of_commands(folder: &str) -> Vec<String> {
    let raised = Regex::new(r"\b(?:bail|ensure|anyhow)!\(").unwrap();
    let literal = Regex::new(r#""((?:[^"\\]|\\.|\\\n)*)""#).unwrap();
    let mut files = Vec::new();
    collect(&workspace().join("native-indexer").join(folder), &mut files);
    files.sort();
    let mut messages = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
        for found in raised.find_iter(code) {
            let call = &code[found.end()..closing(code, found.end())];
            let texts = literal.captures_iter(call).map(|found| unescaped(&found[1]));
            // The condition of `ensure!` may contain strings that are not messages. They have no spaces.
            messages.extend(texts.filter(|text| text.trim_matches(['{', '}', ':', ' ', '#', '?']).contains(' ')));
        }
    }
    messages.sort();
    messages.dedup();
    messages
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| collect(&entry.unwrap().path(), files));
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        files.push(path.to_owned());
    }
}

/// Returns the end of the call whose arguments begin at `start`.
fn closing(code: &str, start: usize) -> usize {
    let (mut depth, mut is_text, mut is_escaped) = (1, false, false);
    for (at, c) in code[start..].char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            '(' if !is_text => depth += 1,
            ')' if !is_text => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return start + at;
        }
    }
    code.len()
}

fn catalogue() -> String {
    let mut out = String::from(
        "# Errors\n\nnearfind's error messages, generated from its code. `{…}` stands for a name or a value. Each message says what to \
         do.\nIf a message does not, or is wrong, please report it.\n",
    );
    let codes = Regex::new(r#"/\*\* ([^\n]*) \*/\n\s*\| "([a-z-]+)""#).unwrap();
    out += "\n## Codes of `NearfindError`\n\n| code | meaning, and what to do |\n|---|---|\n";
    for found in codes.captures_iter(&read("web/src/errors.ts")) {
        writeln!(out, "| `{}` | {} |", &found[2], cell(&found[1])).unwrap();
    }
    for (title, path) in ENUMS {
        write!(out, "\n## {title}\n\n| message | meaning |\n|---|---|\n").unwrap();
        for (message, meaning) in of_enum(path) {
            writeln!(out, "| {} | {} |", cell(&message), cell(&meaning)).unwrap();
        }
    }
    out += "\n## Commands\n";
    for (title, folder) in COMMANDS {
        let messages = of_commands(folder);
        write!(out, "\n### {title}\n\n").unwrap();
        messages.iter().for_each(|message| writeln!(out, "- {message}").unwrap());
    }
    out
}

#[test]
fn the_catalogue_matches_the_code() {
    let path = workspace().join("native-indexer/ERRORS.md");
    let made = catalogue();
    for (title, path) in ENUMS {
        assert!(of_enum(path).len() > 1, "{title}: no messages were found in {path}");
    }
    if std::env::var_os("NEARFIND_ACCEPT").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let differs = written.lines().zip(made.lines()).find(|(written, made)| written != made);
    assert!(
        written == made,
        "native-indexer/ERRORS.md is not that of the code; the first line that differs: {differs:?}"
    );
}
