//! `nearfind migrate`: helps you switch from another search tool.

use crate::migrate::scan;
use anyhow::Result;
use clap::Args;
use nearfind_base::say;
use nearfind_base::terminal::print_pretty_json;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folder of the site's sources
    site: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let found = scan(&arguments.site)?;
    if arguments.json {
        print_pretty_json(&found)?;
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        say!("found no use of Pagefind, DocSearch or docusaurus-search-local in {}", arguments.site.display());
    }
    let mut of = "";
    for finding in &found {
        if finding.of != of {
            of = finding.of;
            say!("{}{of}", if finding == &found[0] { "" } else { "\n" });
        }
        say!("  {}:{}: {}", finding.file, finding.line, finding.found);
        say!("    {}", finding.advice);
    }
    Ok(ExitCode::SUCCESS)
}
