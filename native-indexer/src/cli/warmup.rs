use super::place::BundlePlace;
use super::search::encoder_for;
use crate::bundle_folder::BundleFolder;
use crate::model::ModelStore;
use anyhow::Result;
use clap::Args;
use nearfind_core::search::{Mode, Query, Reach};
use std::process::ExitCode;
use std::time::Instant;

/// Any words do: what a query reads of the bundle is wanted, not its answer.
const QUESTION: &str = "how to get started";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    place: BundlePlace,
}

/// Brings the bundle and the model into the system's memory, so that the first question is not slower than the next.
pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let output = arguments.place.folder()?;
    let mut bundle = BundleFolder::open(&output)?;
    for name in bundle.file_names()? {
        std::io::copy(&mut std::fs::File::open(output.join(name))?, &mut std::io::sink())?;
    }
    let started = Instant::now();
    let (encoder, notice) = encoder_for(&bundle, store, Mode::Hybrid, 2, None)?;
    let model = started.elapsed();
    if let Some(notice) = notice {
        eprintln!("warning: {notice}");
    }
    let mut ask = || -> Result<f64> {
        let started = Instant::now();
        let vector = encoder.as_ref().map(|encoder| encoder.encode_query(QUESTION)).transpose()?;
        let reach = if vector.is_some() { Reach::Full } else { Reach::Near };
        bundle.search(Query { text: QUESTION.into(), limit: 10, vector, reach, ..Query::default() })?;
        Ok(started.elapsed().as_secs_f64() * 1e3)
    };
    let (first, second) = (ask()?, ask()?);
    println!(
        "model ready in {:.0} ms; a question takes {first:.0} ms, the next {second:.0} ms",
        model.as_secs_f64() * 1e3
    );
    Ok(ExitCode::SUCCESS)
}
