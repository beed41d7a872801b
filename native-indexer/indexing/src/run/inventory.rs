//! Lists the files that a run would read, without extracting their text.

use super::options::IndexOptions;
use crate::source::OpenSource;
use anyhow::Result;
use nearfind_bundles::bundle_folder::{COMMIT_HASH, PassedOver};
use nearfind_extract::archive::ArchiveFormat;
use nearfind_extract::code::Language;
use nearfind_extract::kind_of;
use serde::Serialize;
use std::path::Path;

/// The files of a project that would be read.
#[derive(Clone, Debug, Serialize)]
pub struct Inventory {
    /// Name of the project.
    pub project: String,
    /// The files, largest first.
    pub files: Vec<InventoryFile>,
    /// Files left out, with the reason.
    pub skipped: Vec<String>,
    /// Number of files that are passed over, by reason. Files that are ruled out only by their content are not counted.
    pub passed_over: PassedOver,
}

/// A file that would be read.
#[derive(Clone, Debug, Serialize)]
pub struct InventoryFile {
    /// Path in the project.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The kind of file as which it would be read: a document format, a programming language, an archive or a commit.
    pub kind: &'static str,
}

/// Returns the files that [`index`](super::index) would read. Nothing is written.
pub fn inventory(options: &IndexOptions) -> Result<Vec<Inventory>> {
    options.sources.iter().map(|spec| Ok(of_source(&OpenSource::open(spec.clone(), &options.cache)?))).collect()
}

/// Returns the kind as which the file at `path` would be read.
fn kind_name(path: &str) -> &'static str {
    match kind_of(Path::new(path)) {
        Some(kind) => kind.format_name(),
        None if ArchiveFormat::of(path).is_some() => "archive",
        None => Language::of_path(path).map_or("code", |language| language.0),
    }
}

fn of_source(source: &OpenSource) -> Inventory {
    let file = |(path, hash): (&String, &String)| InventoryFile {
        bytes: source.size(path),
        kind: if hash.starts_with(COMMIT_HASH) { "commit" } else { kind_name(path) },
        path: path.clone(),
    };
    let mut files: Vec<InventoryFile> = source.files.iter().map(file).collect();
    files.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)));
    Inventory {
        project: source.spec.name.clone(),
        files,
        skipped: source.skipped.clone(),
        passed_over: source.passed_over.clone(),
    }
}
