//! The command line, with one file for each subcommand.

mod build;
mod bundle_arguments;
mod cache_arguments;
mod config;
mod config_arguments;
mod edge;
mod eval;
mod export;
mod export_pages;
mod for_server;
mod grep;
mod index;
mod inspect;
mod llms_list;
#[cfg(feature = "full")]
mod mcp;
mod migrate;
mod model;
mod ocr_arguments;
#[cfg(feature = "full")]
mod other_repositories;
mod outline;
mod output;
mod print_hits;
mod projects;
mod prune;
mod readers;
mod report;
#[cfg(feature = "full")]
mod repository_index;
mod research;
mod rollback;
mod search;
mod search_box;
#[cfg(feature = "full")]
mod setup;
mod share_arguments;
mod show;
mod site_report;
mod stats;
mod symbol;
mod update;
mod verify;
mod warmup;
mod watch;

use anyhow::Result;
use clap::{CommandFactory as _, Parser, Subcommand};
use nearfind_base::remark;
use nearfind_base::terminal::is_unread;
use nearfind_bundles::bundle_folder::NoBundle;
use nearfind_extract::apart::{READER_COMMAND, serve};
use nearfind_extract::ocr::{LIMITED_COMMAND, become_limited};
use nearfind_indexing::config::how_to_build;
use nearfind_models::model::ModelStore;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Documentation search that understands what people mean.
#[derive(Debug, Parser)]
#[command(name = "nearfind", version, about)]
struct Cli {
    /// Folder of the model packs [default: the platform's data directory]
    #[arg(long, global = true, value_name = "FOLDER", env = "NEARFIND_MODELS")]
    models: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Index folders of documentation, or a BEIR corpus
    Index(index::Arguments),
    /// Update the index of a nearfind.toml: fetch its repositories, and read what has changed
    Update(update::Arguments),
    /// Show the settings in force and where each one comes from
    Config(config::Arguments),
    /// List the projects of a nearfind.toml
    Projects(projects::Arguments),
    /// Show what the index of a nearfind.toml contains, which files were left out, and how much space the caches take
    Stats(stats::Arguments),
    /// Restore the index from before the last build
    Rollback(rollback::Arguments),
    /// Remove files of replaced indexes and stopped runs, and unused repository indexes
    Prune(prune::Arguments),
    /// Load the index and the model into memory
    Warmup(warmup::Arguments),
    /// Search an index
    Search(search::Arguments),
    /// Explore questions that no single passage answers: show the relevant passages in clusters, and what to read next
    Research(research::Arguments),
    /// Find lines of documents and source code that match a regular expression or contain an exact string
    Grep(grep::Arguments),
    /// Show where something is defined in source code, where it is used, what it calls, or what it contains
    Symbol(symbol::Arguments),
    /// Show the symbols of a file, or the most used symbols of a folder
    Outline(outline::Arguments),
    /// Print a document
    Show(show::Arguments),
    /// Show what an index contains
    Inspect(inspect::Arguments),
    /// Check every byte of an index
    Verify(verify::Arguments),
    /// Print the documents of an index with their sections, as JSON lines or as llms.txt
    Export(export::Arguments),
    /// Serve indexes to AI agents over the Model Context Protocol
    #[cfg(feature = "full")]
    Mcp(mcp::Arguments),
    /// Serve a published index to AI agents from an edge runtime
    #[command(subcommand)]
    Edge(edge::Command),
    /// Add the server for agents to the configuration of the AI agents on this machine, or remove the server from it
    #[cfg(feature = "full")]
    Setup(setup::Arguments),
    /// Measure an index against judged queries
    Eval(eval::Arguments),
    /// Show what to improve in a site: pages that are hard to find, and links that lead nowhere
    Report(site_report::Arguments),
    /// Show which features of Pagefind, DocSearch or docusaurus-search-local a site uses, and what to replace them with
    Migrate(migrate::Arguments),
    /// Read files for another process of this program
    #[command(name = READER_COMMAND, hide = true)]
    ReadApart {
        /// Bytes of memory, at most
        memory: u64,
    },
    /// Become another program, within a limit of memory
    #[command(name = LIMITED_COMMAND, hide = true)]
    RunLimited {
        /// Bytes of memory, at most
        memory: u64,
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<std::ffi::OsString>,
    },
    /// Print completions for a shell, for example `nearfind completions bash > …/bash-completion/completions/nearfind`
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
    /// Import, fetch and list models
    #[command(subcommand)]
    Model(model::Command),
}

/// Returns the whole command line. Its reference and completions are generated from it.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses the arguments and runs the command. Exit codes: 0 for success, 1 for a failure or findings, 2 for wrong
/// usage.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(cli) {
        Ok(code) => code,
        Err(error) if is_unread(&error) => ExitCode::FAILURE,
        Err(error) => {
            let hint = NoBundle::hint(&error, how_to_build);
            remark!("error: {}", hint.unwrap_or_else(|| format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}

fn dispatch(cli: Cli) -> Result<ExitCode> {
    // These commands end if the reader of their output stops early, as `head` does. The others exchange data with other
    // processes, which must not end them.
    let only_prints = !matches!(cli.command, Command::Index(_) | Command::Update(_) | Command::ReadApart { .. });
    #[cfg(feature = "full")]
    let only_prints = only_prints && !matches!(cli.command, Command::Mcp(_));
    if only_prints {
        sigpipe::reset();
    }
    let store = ModelStore::open(cli.models.clone())?;
    match cli.command {
        Command::Index(arguments) => index::run(&arguments, &store),
        Command::Update(arguments) => update::run(&arguments, &store),
        Command::Config(arguments) => config::run(&arguments),
        Command::Projects(arguments) => projects::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Rollback(arguments) => rollback::run(&arguments),
        Command::Prune(arguments) => prune::run(&arguments),
        Command::Warmup(arguments) => warmup::run(&arguments, &store),
        Command::Search(arguments) => search::run(&arguments, &store),
        Command::Research(arguments) => research::run(&arguments, &store),
        Command::Grep(arguments) => grep::run(&arguments, &store),
        Command::Symbol(arguments) => symbol::run(&arguments, &store),
        Command::Outline(arguments) => outline::run(&arguments, &store),
        Command::Show(arguments) => show::run(&arguments, &store),
        Command::Inspect(arguments) => inspect::run(&arguments, &store),
        Command::Verify(arguments) => verify::run(&arguments, &store),
        Command::Export(arguments) => export::run(&arguments, &store),
        #[cfg(feature = "full")]
        Command::Mcp(arguments) => mcp::run(&arguments, store, cli.models.as_ref()),
        Command::Edge(command) => edge::run(&command),
        #[cfg(feature = "full")]
        Command::Setup(arguments) => setup::run(&arguments, cli.models.as_ref()),
        Command::Eval(arguments) => eval::run(&arguments, &store),
        Command::Migrate(arguments) => migrate::run(&arguments),
        Command::Report(arguments) => site_report::run(&arguments, &store),
        Command::ReadApart { memory } => serve(memory).map(|()| ExitCode::SUCCESS),
        Command::RunLimited { memory, command } => become_limited(memory, &command).map(|()| ExitCode::SUCCESS),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "nearfind", &mut script);
            std::io::stdout().write_all(&script)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Man => {
            clap_mangen::Man::new(Cli::command()).render(&mut std::io::stdout())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Model(command) => model::run(&command, &store),
    }
}
