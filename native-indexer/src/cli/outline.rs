//! `nearfind outline`: what is in a file or a folder.

use super::bundle_arguments::BundleArguments;
use super::print_hits::plain;
use anyhow::Result;
use clap::Args;
use nearfind_base::say;
use nearfind_base::terminal::print_json;
use nearfind_bundles::library::{FileOutline, Outline};
use nearfind_models::model::ModelStore;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// A file or a folder, by its path in its project [default: everything]
    path: Option<String>,
    /// The project that it is in
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Symbols of more than one file to name, at most
    #[arg(short = 'n', long, default_value_t = 60)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let library = arguments.bundle.open(store)?;
    let outline =
        library.read(|view| view.outline(arguments.path.as_deref(), arguments.project.as_deref(), arguments.limit))?;
    if arguments.json {
        print_json(&outline)?;
    } else {
        print(&outline);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(outline: &Outline) {
    for FileOutline { project, path, entries, .. } in &outline.files {
        say!("{}/{}", plain(project), plain(path));
        for entry in entries {
            let indent = "  ".repeat(entry.depth + 1);
            let shown = if entry.signature.is_empty() { &entry.name } else { &entry.signature };
            say!("{:>6}{indent}{}", entry.lines.0, plain(shown));
        }
    }
    if outline.is_cut {
        let shown: usize = outline.files.iter().map(|file| file.entries.len()).sum();
        say!("{shown} of {} symbols in {} files, those that are used most", outline.total_symbols, outline.total_files);
    }
}
