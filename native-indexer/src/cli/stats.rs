use super::bundle_arguments::BundleFolderArguments;
use super::cache_arguments::CacheArguments;
use anyhow::Result;
use clap::Args;
use nearfind_base::cache_folder::KINDS;
use nearfind_base::say;
use nearfind_base::terminal::print_pretty_json;
use nearfind_bundles::bundle_folder::{BuildRecord, BundleFiles};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleFolderArguments,
    #[command(flatten)]
    cache: CacheArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Stats {
    bundle: String,
    generation: String,
    model: String,
    dimensions: u32,
    documents: u32,
    chunks: u32,
    tokens: u64,
    /// Maximum number of links of a chunk in the graph, and the number of candidates for them.
    graph: [usize; 2],
    /// Size of the bundle on disk, and of its vectors in the memory of a reader that compares all of them, in bytes.
    bytes: u64,
    vector_memory: u64,
    /// Number of bundles with files on disk: the current one, and those that it replaced.
    generations: usize,
    /// Files that were left out, with the reason, by project.
    left_out: BTreeMap<String, Vec<String>>,
    /// Size of each kind of cache, in bytes.
    caches: BTreeMap<&'static str, u64>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let output = arguments.bundle.folder()?;
    let BundleFiles { manifest, manifest_bytes, files, .. } = BundleFiles::read(&output)?;
    let record = BuildRecord::read(&output, &arguments.cache.folder()).unwrap_or_default();
    let root = manifest.root()?;
    let cache = arguments.cache.folder();
    let stats = Stats {
        bundle: output.display().to_string(),
        generation: manifest.generation,
        model: manifest.model.name,
        dimensions: root.vectors.dimensions,
        documents: root.documents,
        chunks: root.chunks,
        tokens: root.tokens,
        graph: [
            nearfind_indexing::run::GRAPH_LINKS * 2,
            nearfind_indexing::run::graph_candidates(root.chunks as usize),
        ],
        bytes: files.iter().map(|(_, bytes)| bytes).sum::<u64>() + manifest_bytes,
        vector_memory: u64::from(root.chunks) * u64::from(root.vectors.dimensions),
        generations: record.kept.len().max(1),
        left_out: record
            .projects
            .into_iter()
            .filter(|(_, project)| !project.skipped.is_empty())
            .map(|(name, project)| (name, project.skipped))
            .collect(),
        caches: KINDS.iter().filter_map(|kind| Some((*kind, folder_bytes(&cache.of(kind)?)))).collect(),
    };
    if arguments.json {
        print_pretty_json(&stats)?;
    } else {
        print(&stats);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(stats: &Stats) {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    say!("{}, generation {}, {} kept", stats.bundle, stats.generation, stats.generations);
    say!(
        "{} documents, {} passages, {} tokens, {:.2} MB",
        stats.documents,
        stats.chunks,
        stats.tokens,
        megabytes(stats.bytes)
    );
    let [links, candidates] = stats.graph;
    say!(
        "model {}, {} dimensions; vectors take {:.1} MB of memory",
        stats.model,
        stats.dimensions,
        megabytes(stats.vector_memory)
    );
    say!("graph: at most {links} links per passage, from {candidates} candidates");
    for (kind, bytes) in &stats.caches {
        say!("cache of {kind}: {:.1} MB", megabytes(*bytes));
    }
    for (project, lines) in &stats.left_out {
        say!("{project}: {} left out", lines.len());
        lines.iter().for_each(|line| say!("  {line}"));
    }
}

/// Returns the total size of all files in a folder, in bytes.
fn folder_bytes(folder: &Path) -> u64 {
    let files = ignore::WalkBuilder::new(folder).standard_filters(false).build().filter_map(Result::ok);
    files.filter_map(|entry| entry.metadata().ok()).filter(std::fs::Metadata::is_file).map(|file| file.len()).sum()
}
