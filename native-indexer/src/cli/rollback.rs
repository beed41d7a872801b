use super::bundle_arguments::BundleFolderArguments;
use super::cache_arguments::CacheArguments;
use anyhow::Result;
use clap::Args;
use nearfind_base::say;
use nearfind_bundles::bundle_folder::BundleWriter;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleFolderArguments,
    #[command(flatten)]
    cache: CacheArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let output = arguments.bundle.folder()?;
    let generation = BundleWriter::open(&output, &arguments.cache.folder())?.roll_back()?;
    say!("{}: restored generation {generation}; the next update replaces it", output.display());
    Ok(ExitCode::SUCCESS)
}
