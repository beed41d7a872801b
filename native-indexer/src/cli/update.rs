use super::build::BUILD;
use super::cache_arguments::CacheArguments;
use super::config_arguments::ConfigArguments;
use super::for_server::{self, ForServer};
use super::output::{Output, made_in};
use super::report::{Done, finish, print_changes, print_failures, print_summary};
use super::search_box;
use super::share_arguments::ShareArguments;
use super::watch::{Ran, Watch};
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use nearfind_base::cache_folder::CLONES;
use nearfind_base::progress::Progress;
use nearfind_base::say;
use nearfind_base::terminal::print_json;
use nearfind_indexing::config::Config;
use nearfind_indexing::run::{ChunkSize, IndexMemory, IndexOptions, index_again, plan};
use nearfind_indexing::source::{SourceSpec, fetch};
use nearfind_models::model::{DEFAULT_MODEL, ModelStore};
use nearfind_models::provider::LanguageSettings;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

/// How many repositories are fetched at a time.
const FETCHES: usize = 4;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: ConfigArguments,
    /// Update only this project; can be repeated. Other projects stay as they are
    #[arg(short, long, value_name = "NAME")]
    project: Vec<String>,
    /// Finish in seconds: index words, symbols, exact text, and the meaning of words in general English. A later run without
    /// this option lets the model read everything
    #[arg(long, conflicts_with_all = ["share", "from"])]
    quick: bool,
    /// Read everything and fit the query encoder again, even if nothing has changed
    #[arg(short, long)]
    full: bool,
    /// Print what would change and why, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Maximum time to fetch a repository, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    timeout: u64,
    /// Keep running, and update again whenever a file in a local folder changes
    #[arg(long, conflicts_with = "dry_run")]
    watch: bool,
    #[command(flatten)]
    shares: ShareArguments,
    #[command(flatten)]
    cache: CacheArguments,
    /// Print what was done, or would be done, as JSON
    #[arg(long)]
    json: bool,
    /// Write a draft first, even for a small site
    #[arg(long, hide = true)]
    draft: bool,
    #[command(flatten)]
    server: ForServer,
    /// Show no progress and no summary
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let config = arguments.config.config()?;
    let mut progress = arguments.server.progress(arguments.quiet);
    progress.stop_on_interrupt();
    let mut options = options(&config, arguments, store, progress)?;
    let wanted = |spec: &&SourceSpec| spec.git.is_some() && !options.left_alone.contains(&spec.name);
    let repositories: Vec<SourceSpec> = options.sources.iter().filter(wanted).cloned().collect();
    let repositories = if arguments.server.keeps_repositories() { Vec::new() } else { repositories };
    options.failures = fetch_all(&repositories, &options, Duration::from_secs(arguments.timeout), progress)?;
    if let Some(code) = arguments.shares.run(&options, progress)? {
        return Ok(code);
    }
    if arguments.dry_run {
        let plan = plan(&options, progress)?;
        if arguments.json {
            print_json(&plan)?;
        } else {
            print_changes(&plan.changes);
            match plan.reason {
                Some(reason) => say!("the index would be written: {reason}"),
                None => say!("nothing would be written"),
            }
            plan.embedding.iter().for_each(|estimate| say!("{}", estimate.line()));
            plan.writing.iter().for_each(|estimate| say!("{}", estimate.line()));
        }
        return Ok(print_failures(&plan.failures));
    }
    let output = Output::open(&config.place()?, &options.cache)?;
    output.folder().clone_into(&mut options.out);
    let shares = arguments.shares.taken()?;
    options.shares = shares.as_ref().map(|(shares, _)| shares.clone());
    let mut memory = IndexMemory::default();
    let mut run = |options: &IndexOptions, progress: Progress| {
        let run = index_again(options, progress, &mut memory)?;
        let boxed = config.search_box.unwrap_or(true) && run.written.is_some();
        if boxed {
            search_box::write(&options.out)?;
        }
        let published = output.publish(options.full)?;
        let done = Done { run, published };
        if arguments.server.is_set() {
            return Ok(Ran::of(&done.run, options, ExitCode::SUCCESS));
        }
        if arguments.json {
            print_json(&done)?;
        } else if !arguments.quiet {
            print_changes(&done.run.changes);
            print_summary(&done, &options.out);
            if boxed {
                search_box::explain(&options.out, Some(config.folder()));
            }
        }
        Ok(Ran::of(&done.run, options, finish(&done.run)))
    };
    if arguments.server.is_set() {
        if arguments.server.keeps_repositories() {
            let fetched = options.sources.iter().filter(|spec| spec.git.is_some());
            options.left_alone.extend(fetched.map(|spec| spec.name.clone()));
        }
        return for_server::keep(&options, progress, run);
    }
    // Watch before anything is read, so that changes in the meantime are not missed.
    let watch = arguments.watch.then(|| Watch::begin(&options, progress)).transpose()?;
    let code = run(&options, progress)?.code;
    // Repositories are not watched, and a failure is not reported again after every change.
    options.failures.clear();
    match watch {
        Some(watch) => Ok(watch.follow(&options, None, progress, run)),
        None => Ok(code),
    }
}

fn options(config: &Config, arguments: &Arguments, store: &ModelStore, progress: Progress) -> Result<IndexOptions> {
    let sources = config.sources()?;
    ensure!(!sources.is_empty(), "{}: this file contains no [[project]]", config.path.display());
    let names: BTreeSet<String> = sources.iter().map(|source| source.name.clone()).collect();
    let chosen: BTreeSet<String> = arguments.project.iter().cloned().collect();
    let unknown: Vec<&str> = chosen.difference(&names).map(String::as_str).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    ensure!(unknown.is_empty(), "unknown projects: {}; available projects: {}", unknown.join(", "), known.join(", "));
    let left_alone = if chosen.is_empty() { BTreeSet::new() } else { names.difference(&chosen).cloned().collect() };
    let model = config.model.as_deref().unwrap_or(DEFAULT_MODEL.name);
    let beside = config.folder().join(model);
    let cache = arguments.cache.folder();
    // Without a cache, there is no lasting folder for the bundle of a bucket.
    let out = made_in(config.place()?, &cache).unwrap_or_default();
    Ok(IndexOptions {
        is_awaited: arguments.server.is_set() || arguments.draft,
        sources,
        left_alone,
        out,
        readers: super::readers::readers(config.ocr().as_ref(), config.language_model.as_ref(), &cache, progress)?,
        build: BUILD.to_owned(),
        cache,
        model: store.find(beside.to_str().filter(|_| beside.exists()).unwrap_or(model))?,
        embedding: config.embedding().cloned(),
        writing: config.language_model.clone().filter(LanguageSettings::writes_for_index),
        ship_model: config.ship_model,
        small_encoder: config.small_encoder.loading(),
        query_encoder: config.query_encoder.unwrap_or(true),
        trigrams: config.trigrams,
        file_limit: config.max_file_bytes.unwrap_or(0),
        chunk_size: ChunkSize { tokens: config.chunk_tokens, overlap: config.chunk_overlap.unwrap_or(0) },
        search: config.search_settings()?,
        quick: arguments.quick,
        full: arguments.full,
        ..IndexOptions::default()
    })
}

/// Fetches `repositories`, several at a time. Returns those that failed, with the reason.
fn fetch_all(
    repositories: &[SourceSpec],
    options: &IndexOptions,
    timeout: Duration,
    progress: Progress,
) -> Result<Vec<(String, String)>> {
    if repositories.is_empty() {
        return Ok(Vec::new());
    }
    let clones = options.cache.of(CLONES).context("repositories are kept in the cache: run without --no-cache")?;
    let bar = progress.bar("fetching", repositories.len() as u64);
    let fetch_one = |spec: &SourceSpec| {
        let failed = spec.git.as_ref().and_then(|place| fetch(place, &clones, timeout, progress).err());
        bar.advance(1);
        failed.map(|error| (spec.name.clone(), format!("{error:#}")))
    };
    let threads = rayon::ThreadPoolBuilder::new().num_threads(FETCHES).build()?;
    let failures = threads.install(|| repositories.par_iter().with_max_len(1).filter_map(fetch_one).collect());
    bar.finish();
    progress.check()?;
    Ok(failures)
}
