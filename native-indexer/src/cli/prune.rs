use super::bundle_arguments::BundleFolderArguments;
use super::cache_arguments::CacheArguments;
use anyhow::{Context as _, Result};
use clap::Args;
use nearfind_base::say;
use nearfind_bundles::bundle_folder::BundleWriter;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleFolderArguments,
    /// Also clear the cache: the vectors, pages, query encoders, clones and repository indexes of every collection
    #[arg(long)]
    caches: bool,
    #[command(flatten)]
    cache: CacheArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let cache = arguments.cache.folder();
    if !is_for_indexes_alone(arguments) {
        let output = arguments.bundle.folder()?;
        let removed = BundleWriter::open(&output, &cache)?.prune()?;
        say!(
            "{}: removed {} files of replaced indexes and stopped runs ({:.2} MB)",
            output.display(),
            removed.files,
            removed.bytes as f64 / 1e6
        );
    }
    #[cfg(feature = "full")]
    match super::repository_index::remove_unused(&cache, None) {
        0 if !is_for_indexes_alone(arguments) => {}
        removed => {
            say!("removed {removed} indexes of repositories that no longer exist or were not used for a month");
        }
    }
    for kind in nearfind_base::cache_folder::KINDS.iter().filter(|_| arguments.caches) {
        if let Some(folder) = cache.of(kind).filter(|folder| folder.exists()) {
            std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
            say!("{} removed", folder.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns whether there is no bundle to prune, only the indexes of repositories that servers have made.
#[cfg(feature = "full")]
fn is_for_indexes_alone(arguments: &Arguments) -> bool {
    arguments.bundle.is_absent()
}

/// Without the server, there are no such indexes.
#[cfg(not(feature = "full"))]
const fn is_for_indexes_alone(_: &Arguments) -> bool {
    false
}
