use crate::bundle_folder::BundleFolder;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folder of the bundle, or @NAME for that of a collection
    #[arg(value_parser = super::place::bundle)]
    bundle: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut bundle = BundleFolder::open(&arguments.bundle)?;
    let findings = bundle.verify();
    for finding in &findings {
        println!("{}: {}", finding.part, finding.message);
    }
    if findings.is_empty() {
        let root = bundle.searcher().root();
        println!("sound: {} documents, {} chunks", root.documents, root.chunks);
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}
