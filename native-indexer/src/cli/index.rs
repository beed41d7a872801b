use crate::build::{IndexOptions, Report, index};
use crate::model::{self, DEFAULT_MODEL, ModelStore};
use crate::progress::Progress;
use crate::source::parse_sources;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folders of .md and .html files, or corpus.jsonl files, each a project; NAME=PATH names it
    #[arg(required = true, value_name = "[NAME=]SOURCE")]
    sources: Vec<String>,
    /// Folder of the bundle
    #[arg(short, long, value_name = "FOLDER")]
    out: PathBuf,
    /// Model, by name or path of a pack
    #[arg(long, default_value = DEFAULT_MODEL.name)]
    model: String,
    /// URL at which a source is published; with several sources, NAME=URL
    #[arg(long, value_name = "[NAME=]URL")]
    base_url: Vec<String>,
    /// Put the model pack into the bundle, so that browsers and Node find it there
    #[arg(long)]
    ship_model: bool,
    /// No progress, no summary
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let sources = parse_sources(&arguments.sources, &arguments.base_url)?;
    let model = model::load(&store.find(&arguments.model)?)?;
    let options = IndexOptions { sources, out: arguments.out.clone(), ship_model: arguments.ship_model };
    let report = index(&options, &model, &Progress::new(arguments.quiet))?;
    for warning in report.projects.iter().flat_map(|project| &project.warnings) {
        eprintln!("warning: {warning}");
    }
    if !arguments.quiet {
        print_summary(&report, &arguments.out);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_summary(report: &Report, out: &std::path::Path) {
    println!("{:<24} {:>9} {:>8} {:>8} {:>8} {:>8}", "project", "documents", "chunks", "read s", "chunk s", "embed s");
    for project in &report.projects {
        println!(
            "{:<24} {:>9} {:>8} {:>8.1} {:>8.1} {:>8.1}",
            project.name,
            project.documents,
            project.chunks,
            project.read_seconds,
            project.chunk_seconds,
            project.embed_seconds
        );
    }
    let documents: usize = report.projects.iter().map(|project| project.documents).sum();
    let chunks: usize = report.projects.iter().map(|project| project.chunks).sum();
    println!(
        "{} documents, {chunks} chunks, {:.2} MB in {} (graph {:.1} s, writing {:.1} s)",
        documents,
        report.bytes as f64 / 1e6,
        out.display(),
        report.graph_seconds,
        report.write_seconds
    );
}
