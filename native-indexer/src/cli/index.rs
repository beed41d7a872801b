use super::build::BUILD;
use super::cache_arguments::CacheArguments;
use super::config_arguments::ProviderArguments;
use super::for_server::{self, ForServer};
use super::ocr_arguments::OcrArguments;
use super::output::{Output, place};
use super::report::{Done, finish, print_inventory, print_summary};
use super::search_box;
use super::share_arguments::ShareArguments;
use super::watch::{Ran, Watch};
use anyhow::{Result, ensure};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use nearfind_base::location::Location;
use nearfind_base::progress::Progress;
use nearfind_base::remark;
use nearfind_base::terminal::print_json;
use nearfind_indexing::config::{Config, LoadSmallEncoder, SearchSettings};
use nearfind_indexing::run::{ChunkSize, IndexMemory, IndexOptions, estimate, index_again, inventory};
use nearfind_indexing::source::parse_sources;
use nearfind_models::model::{DEFAULT_MODEL, ModelStore};
use nearfind_models::provider::LanguageSettings;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folders of pages and documents (Markdown, HTML, PDF, Word and more), or corpus.jsonl files. Each source becomes
    /// a project; NAME=PATH sets the name of the project
    #[arg(required = true, value_name = "[NAME=]SOURCE")]
    sources: Vec<String>,
    /// Folder of the index, or its address in a bucket, such as s3://bucket/docs
    #[arg(short, long, value_name = "PLACE", required_unless_present = "share", value_parser = place)]
    out: Option<Location>,
    #[command(flatten)]
    shares: ShareArguments,
    /// Name of the model, or path of its pack [default: the embedding model in your settings, else all-MiniLM-L6-v2]
    #[arg(long)]
    model: Option<String>,
    #[command(flatten)]
    providers: ProviderArguments,
    /// URL of a published source; with several sources, use NAME=URL. A URL that is relative to the index, such as
    /// `..`, works wherever the site is published [default: relative if the index is inside the source, else `/`]
    #[arg(long, value_name = "[NAME=]URL")]
    base_url: Vec<String>,
    /// Link each page to the address in its rel=canonical, for a copy of a site that is published elsewhere
    #[arg(long)]
    canonical: bool,
    /// Read only files whose path in the source matches this glob; can be repeated. `*` matches within a folder, `**`
    /// across folders
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Leave out files and folders whose path in the source matches this glob, such as `drafts`; can be repeated
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Also index the source code in the folders, except files that their repositories ignore
    #[arg(long)]
    code: bool,
    /// Also index this many of the newest commits in each repository, with messages, authors and changes. The index
    /// then contains lines that these commits removed
    #[arg(long, value_name = "COMMITS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    history: u32,
    #[command(flatten)]
    ocr: OcrArguments,
    /// Put the model pack into the index, where browsers and Node find it
    #[arg(long)]
    ship_model: bool,
    /// When pages load the small encoder: a 3 MB download, published with the site, that works nearly as well as the
    /// model
    #[arg(long, default_value = "auto", value_name = "WHEN", value_parser = PossibleValuesParser::new(LoadSmallEncoder::NAMES).try_map(|name| name.parse::<LoadSmallEncoder>()))]
    small_encoder: LoadSmallEncoder,
    #[command(flatten)]
    cache: CacheArguments,
    /// Leave out the query encoder: readers without the model then search only by words
    #[arg(long)]
    no_query_encoder: bool,
    /// Whether to add a trigram index, which finds exact text without reading everything and takes up a tenth of the
    /// text's size [default: true with a query encoder or more than 32 MB of text]
    #[arg(long, value_name = "true|false")]
    trigrams: Option<bool>,
    /// Maximum size, in bytes, of files that pages read in part. Larger files are split, for servers without range
    /// requests; 0 means no limit
    #[arg(long, value_name = "BYTES", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..1 << 30))]
    max_file_bytes: u32,
    /// Maximum number of tokens in a passage, including the context in front of it [default: as many as the model reads]
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(32..))]
    chunk_tokens: Option<u32>,
    /// Number of tokens of the preceding passage to embed together with each passage, at most half of --chunk-tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 0)]
    chunk_overlap: u32,
    /// File with synonyms, pinned pages and rules, in [[synonyms]], [[pin]] and [[rule]] tables
    #[arg(long, value_name = "TOML")]
    config: Option<PathBuf>,
    /// Leave out the search box (script, worker and module for pages without a bundler)
    #[arg(long)]
    no_box: bool,
    /// List what would be read, the largest files first, and change nothing
    #[arg(long, conflicts_with = "watch")]
    dry_run: bool,
    /// Print what was done as JSON
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    /// Finish in seconds: index words, symbols, exact text, and the meaning of words in general English. A later run without
    /// this option lets the model read everything
    #[arg(long, conflicts_with_all = ["share", "from", "ship_model", "no_query_encoder"])]
    quick: bool,
    /// Read everything and fit the query encoder again, even if nothing has changed
    #[arg(long)]
    full: bool,
    /// Keep running, and index again whenever a file changes
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    server: ForServer,
    /// Show no progress and no summary
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let search = match &arguments.config {
        Some(path) => settings(path)?,
        None => SearchSettings::default(),
    };
    let ocr = arguments.ocr.settings();
    let providers = arguments.providers.providers()?;
    let describes = providers.language_model.as_ref().is_some_and(|model| model.pictures);
    let mut sources = parse_sources(&arguments.sources, &arguments.base_url)?;
    for source in &mut sources {
        if let Some(Location::Folder(out)) = &arguments.out {
            source.link_from(out);
        }
        source.canonical = arguments.canonical;
        source.limit = arguments.server.limit();
        source.wanted.include.clone_from(&arguments.include);
        source.wanted.exclude.clone_from(&arguments.exclude);
        source.wanted.pictures = ocr.is_some() || describes;
        source.wanted.code = if arguments.code { vec![String::new()] } else { Vec::new() };
        source.wanted.commits = arguments.history;
    }
    search.apply_rules(&mut sources);
    // `--model` takes precedence over a provider in the user's own settings. If the command itself names a provider,
    // only the vocabulary of the model is used.
    let embedding = match &arguments.model {
        Some(_) => arguments.providers.providers_of_command()?.embedding,
        None => providers.embedding,
    };
    let cache = arguments.cache.folder();
    let mut progress = arguments.server.progress(arguments.quiet);
    if !arguments.dry_run {
        progress.stop_on_interrupt();
    }
    let reads_alone = arguments.dry_run || arguments.shares.is_one();
    let output =
        arguments.out.as_ref().filter(|_| !reads_alone).map(|place| Output::open(place, &cache)).transpose()?;
    let shares = if reads_alone { None } else { arguments.shares.taken()? };
    let options = IndexOptions {
        is_awaited: arguments.server.is_set(),
        sources,
        out: output.as_ref().map(|output| output.folder().to_owned()).unwrap_or_default(),
        shares: shares.as_ref().map(|(shares, _)| shares.clone()),
        readers: super::readers::readers(ocr.as_ref(), providers.language_model.as_ref(), &cache, progress)?,
        build: BUILD.to_owned(),
        cache,
        model: store.find(arguments.model.as_deref().unwrap_or(DEFAULT_MODEL.name))?,
        embedding,
        writing: providers.language_model.filter(LanguageSettings::writes_for_index),
        ship_model: arguments.ship_model,
        small_encoder: arguments.small_encoder.loading(),
        query_encoder: !arguments.no_query_encoder,
        trigrams: arguments.trigrams,
        file_limit: arguments.max_file_bytes,
        chunk_size: ChunkSize { tokens: arguments.chunk_tokens, overlap: arguments.chunk_overlap },
        search,
        quick: arguments.quick,
        full: arguments.full,
        ..IndexOptions::default()
    };
    if arguments.dry_run {
        let projects = inventory(&options)?;
        let (embedding, writing) = estimate(&options, Progress::new(true))?;
        embedding.iter().for_each(|estimate| remark!("{}", estimate.line()));
        writing.iter().for_each(|estimate| remark!("{}", estimate.line()));
        if arguments.json {
            print_json(&projects)?;
        } else {
            print_inventory(&projects);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(code) = arguments.shares.run(&options, progress)? {
        return Ok(code);
    }
    let mut memory = IndexMemory::default();
    let mut run = |options: &IndexOptions, progress: Progress| {
        let run = index_again(options, progress, &mut memory)?;
        if !arguments.no_box {
            search_box::write(&options.out)?;
        }
        let published = output.as_ref().map(|output| output.publish(options.full)).transpose()?.flatten();
        let done = Done { run, published };
        if arguments.server.is_set() {
            return Ok(Ran::of(&done.run, options, ExitCode::SUCCESS));
        }
        if arguments.json {
            print_json(&done)?;
        } else if !arguments.quiet {
            print_summary(&done, &options.out);
            if !arguments.no_box {
                search_box::explain(&options.out, options.sources.first().map(|source| source.path.as_path()));
            }
        }
        Ok(Ran::of(&done.run, options, finish(&done.run)))
    };
    if arguments.server.is_set() {
        return for_server::keep(&options, progress, run);
    }
    // Watch before anything is read, so that changes in the meantime are not missed.
    let watch = arguments.watch.then(|| Watch::begin(&options, progress)).transpose()?;
    let code = run(&options, progress)?.code;
    match watch {
        Some(watch) => Ok(watch.follow(&options, None, progress, run)),
        None => Ok(code),
    }
}

/// Reads the settings of the search from the file at `path`. Fails if the file names projects.
fn settings(path: &Path) -> Result<SearchSettings> {
    let config = Config::read(path, true)?;
    ensure!(config.projects.is_empty(), "{}: this file lists projects; use `nearfind update --config`", path.display());
    config.search_settings()
}
