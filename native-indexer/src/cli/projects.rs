use super::cache_arguments::CacheArguments;
use super::config_arguments::ConfigArguments;
use super::output::made_in;
use anyhow::Result;
use clap::Args;
use nearfind_base::say;
use nearfind_base::terminal::print_pretty_json;
use nearfind_bundles::bundle_folder::{BuildRecord, ProjectRecord};
use nearfind_bundles::library::hours;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: ConfigArguments,
    #[command(flatten)]
    cache: CacheArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A project in the output.
#[derive(Serialize)]
struct Row {
    project: String,
    place: String,
    indexed: bool,
    commit: Option<String>,
    documents: usize,
    chunks: usize,
    skipped: usize,
    /// Hours since its source was last checked.
    age_hours: Option<f64>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let config = arguments.config.config()?;
    let cache = arguments.cache.folder();
    let record =
        made_in(config.place()?, &cache).and_then(|folder| BuildRecord::read(&folder, &cache)).unwrap_or_default();
    let row = |source: nearfind_indexing::source::SourceSpec| {
        let known = record.projects.get(&source.name);
        Row {
            place: source.place(),
            indexed: known.is_some(),
            commit: known.and_then(|known| known.commit.clone()),
            documents: known.map_or(0, |known| known.documents),
            chunks: known.map_or(0, |known| known.chunks),
            skipped: known.map_or(0, |known| known.skipped.len()),
            age_hours: known.and_then(ProjectRecord::age).map(hours),
            project: source.name,
        }
    };
    let rows: Vec<Row> = config.sources()?.into_iter().map(row).collect();
    if arguments.json {
        print_pretty_json(&rows)?;
        return Ok(ExitCode::SUCCESS);
    }
    say!(
        "{:<24} {:>9} {:>8} {:>9} {:>9} {:<9} place",
        "project",
        "documents",
        "passages",
        "left out",
        "hours old",
        "commit"
    );
    for row in rows {
        let commit = row.commit.as_deref().map_or("", |commit| &commit[..8]);
        let age = row.age_hours.map(|hours| format!("{hours:.1}")).unwrap_or_default();
        let state = if row.indexed { "" } else { " (not indexed yet)" };
        say!(
            "{:<24} {:>9} {:>8} {:>9} {age:>9} {commit:<9} {}{state}",
            row.project,
            row.documents,
            row.chunks,
            row.skipped,
            row.place
        );
    }
    Ok(ExitCode::SUCCESS)
}
