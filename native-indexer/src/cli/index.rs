use crate::build::{IndexOptions, Report, index};
use crate::config::Config;
use crate::model::{self, DEFAULT_MODEL, ModelStore};
use crate::progress::Progress;
use crate::source::parse_sources;
use anyhow::Result;
use clap::Args;
use etcetera::BaseStrategy as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folders of .md, .rst, .ipynb and .html files, or corpus.jsonl files, each a project; NAME=PATH names it
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
    /// Folder that keeps vectors, so that unchanged text is not embedded again [default: the platform's cache directory]
    #[arg(long, value_name = "FOLDER", env = "NEARFIND_CACHE", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Embed everything again
    #[arg(long)]
    no_cache: bool,
    /// Leave out the query encoder: readers without the model search by words alone
    #[arg(long)]
    no_query_encoder: bool,
    /// Cut the files that pages read in part into files of at most so many bytes, for servers without range requests
    #[arg(long, value_name = "BYTES", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..1 << 30))]
    max_file_bytes: u32,
    /// Tokens of a chunk, at most, with the context in front of it [default: as many as the model reads]
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(32..))]
    chunk_tokens: Option<u32>,
    /// Synonyms and pinned pages: a file with [[synonyms]] and [[pin]] tables
    #[arg(long, value_name = "TOML")]
    config: Option<PathBuf>,
    /// No progress, no summary
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let sources = parse_sources(&arguments.sources, &arguments.base_url)?;
    let config = arguments.config.as_deref().map(Config::read).transpose()?.unwrap_or_default();
    let model = model::load(&store.find(&arguments.model)?)?;
    let cache = if arguments.no_cache { None } else { arguments.cache.clone().or_else(default_cache) };
    let options = IndexOptions {
        sources,
        out: arguments.out.clone(),
        cache,
        ship_model: arguments.ship_model,
        query_encoder: !arguments.no_query_encoder,
        file_limit: arguments.max_file_bytes,
        chunk_tokens: arguments.chunk_tokens,
        config,
    };
    let report = index(&options, &model, &Progress::new(arguments.quiet))?;
    for warning in report.projects.iter().flat_map(|project| &project.warnings) {
        eprintln!("warning: {warning}");
    }
    if !arguments.quiet {
        print_summary(&report, &arguments.out);
    }
    Ok(ExitCode::SUCCESS)
}

/// Where vectors are kept; without a home directory they are not.
fn default_cache() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.cache_dir().join("nearfind").join("embeddings"))
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
        "{} documents, {chunks} chunks, {:.2} MB in {} (query encoder {:.1} s, graph {:.1} s, writing {:.1} s)",
        documents,
        report.bytes as f64 / 1e6,
        out.display(),
        report.encoder_seconds,
        report.graph_seconds,
        report.write_seconds
    );
    if report.encoder_texts > 0 {
        print!("query encoder fitted on {} texts", report.encoder_texts);
    }
    if let Some(closeness) = &report.closeness {
        print!(
            "; on {} texts of other documents: cosine to the model {:.3}, nDCG@10 alone {:.3} (the model's {:.3})",
            closeness.texts, closeness.cosine, closeness.table_ndcg, closeness.model_ndcg
        );
    }
    println!();
}
