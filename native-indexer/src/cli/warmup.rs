use super::bundle_arguments::{BundleFolderArguments, open};
use anyhow::Result;
use clap::Args;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::Location;
use nearfind_base::{remark, say};
use nearfind_bundles::bundle_folder::BundleFiles;
use nearfind_bundles::library::Question;
use nearfind_models::model::ModelStore;
use nearfind_models::provider::ProviderSettings;
use std::process::ExitCode;
use std::time::Instant;

/// Any question will do, because only the parts of the bundle that it reads matter.
const QUESTION: &str = "how to get started";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleFolderArguments,
}

/// Reads the bundle and the model into memory, so that the first question is as fast as later ones.
pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let folder = arguments.bundle.folder()?;
    for name in BundleFiles::read(&folder)?.names() {
        std::io::copy(&mut std::fs::File::open(folder.join(name))?, &mut std::io::sink())?;
    }
    let library = open(&[Location::Folder(folder)], CacheFolder::none(), None, ProviderSettings::default(), store)?;
    let started = Instant::now();
    library.warm_up();
    let model = started.elapsed();
    let question = Question { text: QUESTION.into(), limit: 10, unfit: true, ..Question::default() };
    let ask = || -> Result<(f64, Vec<String>)> {
        let started = Instant::now();
        let reply = library.read(|view| library.ask(view, &question))?;
        Ok((started.elapsed().as_secs_f64() * 1e3, reply.notices))
    };
    let ((first, notices), (second, _)) = (ask()?, ask()?);
    notices.iter().for_each(|notice| remark!("warning: {notice}"));
    say!("model ready in {:.0} ms; a question takes {first:.0} ms, the next {second:.0} ms", model.as_secs_f64() * 1e3);
    Ok(ExitCode::SUCCESS)
}
