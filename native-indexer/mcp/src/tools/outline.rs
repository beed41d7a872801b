use super::super::Server;
use super::super::arguments::{Aliases, Whole};
use super::super::response::{fenced, one_line};
use super::tool::{Call, Tool};
use anyhow::Result;
use nearfind_bundles::library::{FileOutline, OutlineEntry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub(super) struct Outline;

const LIMITS: RangeInclusive<usize> = 1..=500;
const DEFAULT_LIMIT: usize = 60;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// A file or a folder, by its path in its project; everything if it is left out.
    #[serde(default)]
    path: Option<String>,
    /// The project that it is in; may be left out if the path alone tells.
    #[serde(default)]
    project: Option<String>,
    /// Symbols of more than one file to name, at most: those that are used most. A file is shown whole.
    #[serde(default)]
    #[schemars(with = "Option<i64>", range(min = 1, max = 500), extend("default" = 60))]
    max_results: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// Files, the one that is used most first.
    files: Vec<File>,
    /// How many files there are below the path.
    total_files: usize,
    /// How many symbols they have.
    total_symbols: usize,
    /// Whether there is more than is shown.
    is_cut: bool,
}

/// A file with what is in it.
#[derive(Clone, Serialize, JsonSchema)]
struct File {
    /// Project and path, for get_document.
    document: String,
    /// What it is there for: source, test, example …; absent for a document.
    #[serde(skip_serializing_if = "String::is_empty")]
    class: String,
    /// Its symbols or headings, by place.
    entries: Vec<Entry>,
}

/// A symbol or a heading.
#[derive(Clone, Serialize, JsonSchema)]
struct Entry {
    /// The symbol's name, or the heading.
    name: String,
    /// What the symbol is; absent for a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// How many of the entries before it is in.
    depth: usize,
    /// Its first and last line.
    lines: String,
    /// What the symbol says before its body.
    #[serde(skip_serializing_if = "String::is_empty")]
    signature: String,
}

impl From<OutlineEntry> for Entry {
    fn from(entry: OutlineEntry) -> Self {
        Self {
            name: entry.name,
            kind: entry.kind.map(|kind| kind.name().to_owned()),
            depth: entry.depth,
            lines: format!("{}-{}", entry.lines.0, entry.lines.1),
            signature: entry.signature,
        }
    }
}

impl From<FileOutline> for File {
    fn from(file: FileOutline) -> Self {
        Self {
            document: format!("{}/{}", file.project, file.path),
            class: file.class,
            entries: file.entries.into_iter().map(Entry::from).collect(),
        }
    }
}

impl Tool for Outline {
    const NAME: &'static str = "outline";
    const TITLE: &'static str = "Show what is in a file or folder";
    const DESCRIPTION: &'static str = "Shows the symbols of a source file with their lines and signatures, the headings of a \
        document, or of a folder or a whole repository the symbols that others use most. Use it to get to know code before you \
        read it, and in place of reading a whole file to find a function in it.";
    const ALIASES: Aliases = &[
        ("file", "path"),
        ("file_path", "path"),
        ("folder", "path"),
        ("directory", "path"),
        ("dir", "path"),
        ("document", "path"),
        ("project_name", "project"),
        ("repo", "project"),
        ("repository", "project"),
        ("limit", "max_results"),
        ("count", "max_results"),
    ];
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let limit = Whole::within(arguments.max_results, "max_results", &LIMITS, DEFAULT_LIMIT)?;
        server.0.library.read(|view| {
            let found = view.outline(arguments.path.as_deref(), arguments.project.as_deref(), limit)?;
            let mut files: Vec<File> = found.files.into_iter().map(File::from).collect();
            let all = files.len();
            let fitting = server.0.budget.fitting(&files);
            files.truncate(fitting);
            let mut is_cut = found.is_cut || fitting < all;
            // A file that is longer than a response may be has to be read in parts.
            if let [file] = files.as_mut_slice() {
                let fitting = server.0.budget.fitting(&file.entries);
                is_cut |= fitting < file.entries.len();
                file.entries.truncate(fitting);
            }
            Ok(Outcome { files, total_files: found.total_files, total_symbols: found.total_symbols, is_cut })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut found = String::new();
        for file in &outcome.files {
            found += &format!("{}\n", one_line(&file.document));
            for entry in &file.entries {
                let shown = if entry.signature.is_empty() { &entry.name } else { &entry.signature };
                found += &format!("{}{} {}\n", "  ".repeat(entry.depth + 1), entry.lines, one_line(shown));
            }
        }
        let rest = if outcome.is_cut { ", those that are used most" } else { "" };
        let counts = format!("{} files, {} symbols{rest}\n", outcome.total_files, outcome.total_symbols);
        counts + &fenced(&found)
    }
}
