use super::bundle_arguments::BundleArguments;
use anyhow::Result;
use clap::Args;
use nearfind_base::say;
use nearfind_base::terminal::print_pretty_json;
use nearfind_core::format::Part;
use nearfind_core::format::manifest::{MANIFEST_FILE, ModelReference};
use nearfind_models::model::ModelStore;
use serde::Serialize;
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The description of a bundle, for programs.
#[derive(Serialize)]
struct Inspection<'a> {
    format: u64,
    generation: &'a str,
    model: &'a ModelReference,
    documents: u32,
    chunks: u32,
    tokens: u64,
    dimensions: u32,
    projects: Vec<Project<'a>>,
    parts: Vec<PartRow>,
    bytes: u64,
    files: u32,
}

#[derive(Serialize)]
struct Project<'a> {
    name: &'a str,
    documents: u32,
    chunks: u32,
}

#[derive(Serialize)]
struct PartRow {
    part: &'static str,
    bytes: u64,
    blocks: u32,
    largest_block: u32,
    files: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let library = arguments.bundle.open(store)?;
    let bundle = library.read(|view| {
        let bundle = view.first()?;
        bundle.bring_tables()?;
        Ok(Arc::clone(bundle))
    })?;
    let reader = bundle.reader();
    let (manifest, root) = (bundle.manifest(), reader.root());
    let mut parts = vec![PartRow {
        part: "manifest",
        bytes: bundle.manifest_bytes(),
        blocks: 1,
        largest_block: bundle.manifest_bytes() as u32,
        files: vec![MANIFEST_FILE.to_owned()],
    }];
    for part in Part::ALL {
        let table = reader.table(part)?;
        let sizes = (0..table.len()).filter_map(|block| Some(table.place(block)?.bytes));
        parts.push(PartRow {
            part: part.name(),
            bytes: table.stored_total(),
            blocks: table.len(),
            largest_block: sizes.max().unwrap_or(0),
            files: (0..table.files()).map(|file| root.file_name(part, file)).collect(),
        });
    }
    let projects = root.projects.iter();
    let inspection = Inspection {
        format: manifest.format,
        generation: &manifest.generation,
        model: &manifest.model,
        documents: root.documents,
        chunks: root.chunks,
        tokens: root.tokens,
        dimensions: root.vectors.dimensions,
        projects: projects
            .map(|project| Project { name: &project.name, documents: project.documents, chunks: project.chunks })
            .collect(),
        bytes: parts.iter().map(|part| part.bytes).sum(),
        files: parts.iter().map(|part| part.files.len() as u32).sum(),
        parts,
    };
    if arguments.json {
        print_pretty_json(&inspection)?;
    } else {
        print_table(&inspection);
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the first line of a name. Further lines could pass for other facts.
fn first_line(name: &str) -> &str {
    name.lines().next().unwrap_or_default()
}

fn print_table(bundle: &Inspection<'_>) {
    say!("format {}, generation {}", bundle.format, bundle.generation);
    let shipped = if bundle.model.file.is_some() { ", shipped" } else { "" };
    let model = first_line(&bundle.model.name);
    say!("model {model} ({} dimensions, {}…{shipped})", bundle.dimensions, &bundle.model.hash[..16]);
    say!("{} documents, {} passages, {} tokens", bundle.documents, bundle.chunks, bundle.tokens);
    for project in &bundle.projects {
        say!("  {}: {} documents, {} passages", first_line(project.name), project.documents, project.chunks);
    }
    say!(
        "{:<10} {:>10} {:>7} {:>8} {:>8} {:>8} {:>6}",
        "part",
        "bytes",
        "blocks",
        "mean",
        "largest",
        "/passage",
        "files"
    );
    let share = |bytes: u64| bytes as f64 / f64::from(bundle.chunks.max(1));
    for part in &bundle.parts {
        let mean = part.bytes / u64::from(part.blocks.max(1));
        say!(
            "{:<10} {:>10} {:>7} {mean:>8} {:>8} {:>8.1} {:>6}",
            part.part,
            part.bytes,
            part.blocks,
            part.largest_block,
            share(part.bytes),
            part.files.len()
        );
    }
    say!(
        "{:<10} {:>10} {:>7} {:>8} {:>8} {:>8.1} {:>6}; {:.2} KB per document",
        "all",
        bundle.bytes,
        "",
        "",
        "",
        share(bundle.bytes),
        bundle.files,
        bundle.bytes as f64 / 1e3 / f64::from(bundle.documents.max(1))
    );
}
