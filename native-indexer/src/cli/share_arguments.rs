//! What several machines index together.

use crate::indexing::{IndexOptions, Share, make_share};
use crate::progress::Progress;
use crate::terminal::print_json;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct ShareArguments {
    /// Embed this share of the passages alone, as in `3/16`, into the folder of --into; all else as for the whole
    #[arg(long, value_name = "K/N", requires = "into", conflicts_with_all = ["watch", "dry_run", "from"])]
    share: Option<Share>,
    /// The folder of shares
    #[arg(long, value_name = "FOLDER", requires = "share")]
    into: Option<PathBuf>,
    /// Take the vectors of all passages from the shares in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(super) from: Option<PathBuf>,
}

impl ShareArguments {
    /// Makes the share that is asked for, and prints what it is as a line of JSON; `None` if none is.
    pub(super) fn run(&self, options: &IndexOptions, progress: Progress) -> Result<Option<ExitCode>> {
        let (Some(share), Some(into)) = (self.share, &self.into) else { return Ok(None) };
        print_json(&make_share(options, share, into, progress)?)?;
        Ok(Some(ExitCode::SUCCESS))
    }
}
