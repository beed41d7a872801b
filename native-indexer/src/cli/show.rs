use crate::bundle_folder::{BundleFolder, FoundDocument};
use anyhow::{Context as _, Result};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folder of the bundle, or @NAME for that of a collection
    #[arg(value_parser = super::place::bundle)]
    bundle: PathBuf,
    /// The document: its id, its path, or the path of a page that leads to it
    document: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut bundle = BundleFolder::open(&arguments.bundle)?;
    let found = bundle.ask(|bundle| bundle.document(&arguments.document))?;
    let unknown = || {
        let name = &arguments.document;
        format!(
            "no document, or more than one, is called {name:?}: give its whole id, as `nearfind search --json` shows it"
        )
    };
    let FoundDocument { record, chunks, source_url, date } = found.with_context(unknown)?;
    if arguments.json {
        super::export::print(&record, &chunks)?;
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}\n{}", super::search::plain(&record.title), record.id);
    let date = date.map(|date| date.to_string());
    for line in [Some(record.url), source_url, date].into_iter().flatten().filter(|line| !line.is_empty()) {
        println!("{}", super::search::plain(&line));
    }
    println!();
    for line in chunks.iter().flat_map(|chunk| chunk.text.split_inclusive('\n')) {
        print!("{}{}", super::search::plain(line), if line.ends_with('\n') { "\n" } else { "" });
    }
    println!();
    Ok(ExitCode::SUCCESS)
}
