//! `nearfind outline`: shows the content of a file or folder.

use super::bundle_arguments::BundleArguments;
use super::print_hits::plain;
use anyhow::Result;
use clap::Args;
use nearfind_base::say;
use nearfind_base::terminal::print_json;
use nearfind_bundles::library::{FileOutline, Outline, Scope};
use nearfind_indexing::source::last_changes;
use nearfind_models::model::ModelStore;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// A file, a folder, or a pattern such as src/**/*.rs [default: everything]
    path: Option<String>,
    /// Show only this project
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Maximum number of symbols to show if there are several files
    #[arg(short = 'n', long, default_value_t = 60)]
    limit: usize,
    /// Show which commit last changed each symbol
    #[arg(long)]
    blame: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let library = arguments.bundle.open(store)?;
    let outline = library.read(|view| {
        let projects = arguments.project.iter().map(|name| view.project(name)).collect::<Result<_>>()?;
        let scope = Scope { projects, paths: arguments.path.iter().cloned().collect(), regexes: Vec::new() };
        let mut outline = view.outline(&scope, arguments.limit)?;
        if arguments.blame {
            view.note_last_changes_of_outline(&mut outline, last_changes);
        }
        Ok(outline)
    })?;
    if arguments.json {
        print_json(&outline)?;
    } else {
        print(&outline);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(outline: &Outline) {
    for FileOutline { project, path, entries, is_stale, .. } in &outline.files {
        let changed = if *is_stale { " (changed since it was indexed)" } else { "" };
        say!("{}/{}{changed}", plain(project), plain(path));
        for entry in entries {
            let indent = "  ".repeat(entry.depth + 1);
            let shown = if entry.signature.is_empty() { &entry.name } else { &entry.signature };
            let blame = if entry.last_change.is_empty() { "" } else { &format!("  [{}]", plain(&entry.last_change)) };
            say!("{:>6}{indent}{}{blame}", entry.lines.0, plain(shown));
        }
    }
    if outline.is_cut && outline.total_symbols == 0 {
        say!("{} of {} documents", outline.files.len(), outline.total_files);
    } else if outline.is_cut {
        let shown: usize = outline.files.iter().map(|file| file.entries.len()).sum();
        say!("the {shown} most used of {} symbols in {} files", outline.total_symbols, outline.total_files);
    }
}
