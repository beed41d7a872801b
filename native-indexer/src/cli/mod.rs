//! The command line: one file a subcommand.

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

/// Search for documentation that understands what people mean.
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
    /// Index folders of documentation, or a BEIR corpus, into a bundle
    Index(index::Arguments),
    /// Bring the bundle of a nearfind.toml up to date: fetch its repositories, read what has changed
    Update(update::Arguments),
    /// Show the settings in force, and where each is from
    Config(config::Arguments),
    /// List the projects of a nearfind.toml
    Projects(projects::Arguments),
    /// Show what a nearfind.toml's bundle holds, what was left out and what the caches take
    Stats(stats::Arguments),
    /// Put back the bundle that was there before the last build
    Rollback(rollback::Arguments),
    /// Remove replaced bundles, what stopped runs left behind, and indexes of repositories that are not in use
    Prune(prune::Arguments),
    /// Bring bundle and model into memory
    Warmup(warmup::Arguments),
    /// Ask a bundle
    Search(search::Arguments),
    /// Look into questions that no one passage answers: what there is on them, in clusters, and what to read
    Research(research::Arguments),
    /// Find lines by a regular expression or as they are written, in documents and source code
    Grep(grep::Arguments),
    /// Show where something is defined in source code, who uses it, what it calls or what is in it
    Symbol(symbol::Arguments),
    /// Show the symbols of a file, or of a folder those that are used most
    Outline(outline::Arguments),
    /// Print a document
    Show(show::Arguments),
    /// Show what a bundle holds
    Inspect(inspect::Arguments),
    /// Check every byte of a bundle
    Verify(verify::Arguments),
    /// Print the documents of a bundle with their sections, JSON lines, or as llms.txt
    Export(export::Arguments),
    /// Serve bundles to AI agents, over the Model Context Protocol
    #[cfg(feature = "full")]
    Mcp(mcp::Arguments),
    /// Serve a published bundle to AI agents from an edge runtime
    #[command(subcommand)]
    Edge(edge::Command),
    /// Enter the server into the configuration of the AI agents on this machine, or take it out again
    #[cfg(feature = "full")]
    Setup(setup::Arguments),
    /// Measure a bundle against judged queries
    Eval(eval::Arguments),
    /// Show what the owner of a site may mend: pages that readers hardly find, links that lead nowhere
    Report(site_report::Arguments),
    /// Show what a site uses of Pagefind, DocSearch or docusaurus-search-local, and what takes its place
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
    /// Print what completes commands in a shell, as in `nearfind completions bash > …/bash-completion/completions/nearfind`
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

/// The whole command line, as its reference and completions are made of it.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses the arguments and runs. Exit codes: 0 done, 1 failed or found something wrong, 2 wrong usage.
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
    // A program that reads their output may stop at any line, as `head` does. Others talk to processes of their own, which must
    // not end them.
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
