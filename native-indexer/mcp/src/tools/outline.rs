use super::super::Server;
use super::super::arguments::{Aliases, Flag, Texts, Whole};
use super::super::response::{counted, fenced_as, one_line};
use super::narrowing::Narrowing;
use super::tool::{Call, Tool};
use anyhow::Result;
use nearfind_bundles::library::{FileOutline, OutlineEntry, PlaceNames};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub(super) struct Outline;

const LIMITS: RangeInclusive<usize> = 1..=500;
const DEFAULT_LIMIT: usize = 60;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Folder, file or glob; everything if left out
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path: Texts,
    /// Regex for paths
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path_regex: Texts,
    /// Only this project
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    project: Texts,
    /// Also show which commit last changed each symbol
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    blame: Option<Flag>,
    /// Maximum for several files; 60 by default
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    max_results: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// Files, the most used first.
    files: Vec<File>,
    /// Number of files below the path.
    total_files: usize,
    /// Number of symbols in these files.
    total_symbols: usize,
    /// Whether there is more than is shown.
    is_cut: bool,
}

/// A file and its symbols or headings.
#[derive(Clone, Serialize, JsonSchema)]
struct File {
    /// Its path, preceded by its project if there are several projects.
    document: String,
    /// True if it has changed since it was indexed: its lines may have moved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    /// Its class: source, test, example …; absent for a document.
    #[serde(skip_serializing_if = "String::is_empty")]
    class: String,
    /// Its symbols or headings, in the order of the file.
    entries: Vec<Entry>,
}

/// A symbol or a heading.
#[derive(Clone, Serialize, JsonSchema)]
struct Entry {
    /// The symbol's name, or the heading.
    name: String,
    /// Kind of the symbol; absent for a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Number of earlier entries that contain this one.
    depth: usize,
    /// Its first and last line.
    lines: String,
    /// The symbol's code before its body.
    #[serde(skip_serializing_if = "String::is_empty")]
    signature: String,
    /// The last commit that changed it: day, hash, author and subject.
    #[serde(skip_serializing_if = "String::is_empty")]
    last_change: String,
}

impl From<OutlineEntry> for Entry {
    fn from(entry: OutlineEntry) -> Self {
        Self {
            name: entry.name,
            kind: entry.kind.map(|kind| kind.name().to_owned()),
            depth: entry.depth,
            lines: format!("{}-{}", entry.lines.0, entry.lines.1),
            signature: entry.signature,
            last_change: entry.last_change,
        }
    }
}

impl File {
    fn new(file: FileOutline, names: &PlaceNames) -> Self {
        Self {
            document: names.join(&file.project, &file.path),
            stale: file.is_stale,
            class: file.class,
            entries: file.entries.into_iter().map(Entry::from).collect(),
        }
    }
}

impl Tool for Outline {
    const NAME: &'static str = "outline";
    const TITLE: &'static str = "Show what is in a file or folder";
    const DESCRIPTION: &'static str = "Shows the symbols of a source file with lines and signatures, the headings of a \
    document, or the most used symbols of a folder or a whole repository. Use it instead of reading a whole file to \
    find what is in it.";
    const ALIASES: Aliases = &[
        ("file", "path"),
        ("file_path", "path"),
        ("folder", "path"),
        ("directory", "path"),
        ("dir", "path"),
        ("document", "path"),
        ("glob", "path"),
        ("project_name", "project"),
        ("repo", "project"),
        ("repository", "project"),
        ("limit", "max_results"),
        ("count", "max_results"),
    ];
    const NAMES_FILES: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let limit = Whole::within(arguments.max_results, "max_results", &LIMITS, DEFAULT_LIMIT)?;
        server.0.library.read(|view| {
            let narrowing = Narrowing {
                project: &arguments.project.0,
                path: &arguments.path.0,
                path_regex: &arguments.path_regex.0,
                ..Narrowing::default()
            };
            let mut found = view.outline(&narrowing.scope(view)?, limit)?;
            if arguments.blame == Some(Flag(true)) {
                view.note_last_changes_of_outline(&mut found, server.0.options.last_changes);
            }
            let names = view.place_names();
            let mut files: Vec<File> = found.files.into_iter().map(|file| File::new(file, &names)).collect();
            let all = files.len();
            let fitting = server.0.options.budget.fitting(&files);
            files.truncate(fitting);
            let mut is_cut = found.is_cut || fitting < all;
            // A single file may exceed the budget too; then show only its first entries.
            if let [file] = files.as_mut_slice() {
                let fitting = server.0.options.budget.fitting(&file.entries);
                is_cut |= fitting < file.entries.len();
                file.entries.truncate(fitting);
            }
            Ok(Outcome { files, total_files: found.total_files, total_symbols: found.total_symbols, is_cut })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut found = String::new();
        for file in &outcome.files {
            let changed = if file.stale { " (changed since it was indexed: lines may have moved)" } else { "" };
            let titles: Vec<&Entry> =
                file.entries.iter().filter(|entry| entry.kind.is_none() && entry.depth == 0).collect();
            if let ([title], 1) = (&titles[..], file.entries.len()) {
                found += &format!("{}{changed} {}\n", one_line(&file.document), one_line(&title.name));
                continue;
            }
            found += &format!("{}{changed}\n", one_line(&file.document));
            for entry in &file.entries {
                let shown = if entry.signature.is_empty() { &entry.name } else { &entry.signature };
                let blame = match entry.last_change.as_str() {
                    "" => String::new(),
                    change => format!("  [{}]", one_line(change)),
                };
                found += &format!("{}{} {}{blame}\n", "  ".repeat(entry.depth + 1), entry.lines, one_line(shown));
            }
        }
        let rest = if outcome.is_cut { ", the most used" } else { "" };
        let entries = outcome.files.iter().flat_map(|file| &file.entries);
        let what = if entries.clone().any(|entry| entry.kind.is_some()) { "symbol" } else { "heading" };
        let symbols = match outcome.total_symbols {
            0 if outcome.is_cut => format!(", the first {}", outcome.files.len()),
            0 => String::new(),
            symbols => format!(", {}{rest}", counted(symbols, what)),
        };
        format!("{}{symbols}\n", counted(outcome.total_files, "file")) + &fenced_as("", &found)
    }
}
