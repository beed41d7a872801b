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
    /// Clear the cache too: vectors, pages, query encoders and clones, of every collection
    #[arg(long)]
    caches: bool,
    #[command(flatten)]
    cache: CacheArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let output = arguments.bundle.folder()?;
    let removed = BundleWriter::open(&output, &arguments.cache.folder())?.prune()?;
    say!(
        "{}: {} files of replaced bundles and stopped runs removed, {:.2} MB",
        output.display(),
        removed.files,
        removed.bytes as f64 / 1e6
    );
    for kind in nearfind_base::cache_folder::KINDS.iter().filter(|_| arguments.caches) {
        if let Some(folder) = arguments.cache.folder().of(kind).filter(|folder| folder.exists()) {
            std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
            say!("{} removed", folder.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}
