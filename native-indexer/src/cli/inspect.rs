use crate::bundle_folder::BundleFolder;
use anyhow::Result;
use clap::Args;
use nearfind_core::format::Part;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folder of the bundle
    bundle: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let bundle = BundleFolder::open(&arguments.bundle)?;
    let (manifest, root) = (bundle.searcher().manifest(), bundle.searcher().root());
    let chunks = manifest.chunks.max(1) as f64;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(manifest)?);
        return Ok(ExitCode::SUCCESS);
    }
    println!("format {}, generation {}, analyzer {}", manifest.format, manifest.generation, manifest.analyzer);
    let shipped = if manifest.model.file.is_some() { ", shipped" } else { "" };
    println!(
        "model {} ({} dimensions, {}…{shipped})",
        manifest.model.name,
        manifest.model.dimensions,
        &manifest.model.hash[..16]
    );
    println!("{} documents, {} chunks, {} tokens", manifest.documents, manifest.chunks, root.tokens);
    for project in &manifest.projects {
        println!("  {}: {} documents, {} chunks", project.name, project.documents, project.chunks);
    }
    println!("{:<10} {:>10} {:>10} {:>7} {:>8}", "part", "bytes", "raw bytes", "blocks", "B/chunk");
    let mut total = manifest.part("root")?.bytes;
    println!("{:<10} {total:>10} {total:>10} {:>7} {:>8.1}", "root", 1, total as f64 / chunks);
    for part in Part::ALL {
        let table = root.table(part);
        let stored = table.stored_total();
        total += stored;
        let share = stored as f64 / chunks;
        println!("{:<10} {stored:>10} {:>10} {:>7} {share:>8.1}", part.name(), table.raw_total(), table.len());
    }
    println!("{:<10} {total:>10} {:>10} {:>7} {:>8.1}", "all", "", "", total as f64 / chunks);
    Ok(ExitCode::SUCCESS)
}
