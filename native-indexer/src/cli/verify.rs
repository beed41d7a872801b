use super::bundle_arguments::{location, open};
use anyhow::Result;
use clap::Args;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::Location;
use nearfind_base::say;
use nearfind_models::model::ModelStore;
use nearfind_models::provider::ProviderSettings;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The index: its folder, @NAME for the index of a collection, or its address on a web server
    #[arg(value_name = "INDEX", value_parser = location)]
    bundle: Location,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    // Without a cache, so that the published files are checked, and not copies of them.
    let library =
        open(std::slice::from_ref(&arguments.bundle), CacheFolder::none(), None, ProviderSettings::default(), store)?;
    library.read(|view| {
        let bundle = view.first()?;
        let findings = bundle.verify()?;
        for finding in &findings {
            say!("{}: {}", finding.part, finding.message);
        }
        if !findings.is_empty() {
            return Ok(ExitCode::FAILURE);
        }
        let reader = bundle.reader();
        say!("sound: {} documents, {} passages", reader.root().documents, reader.root().chunks);
        Ok(ExitCode::SUCCESS)
    })
}
