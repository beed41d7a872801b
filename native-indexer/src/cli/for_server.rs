//! Keeps the index of a server on this machine up to date. The server starts `index` or `update` with `--for-server`,
//! and reads each state of the index from its output. Only one process keeps an index, even if there are several
//! servers.

use super::watch::{Ran, Step, Watch};
use anyhow::Result;
use clap::Args;
use nearfind_base::progress::Progress;
use nearfind_base::remark;
use nearfind_base::run_state::RunState;
use nearfind_bundles::bundle_folder::Keeping;
use nearfind_core::format::manifest::MANIFEST_FILE;
use nearfind_indexing::run::IndexOptions;
use nearfind_indexing::source::SourceLimit;
use std::io::Read as _;
use std::process::ExitCode;
use std::time::Duration;

/// How often to check whether another process that keeps the index has ended.
const LOOK: Duration = Duration::from_secs(1);
/// How often to list files if the system cannot watch them.
const UNWATCHED: Duration = Duration::from_mins(1);

/// For whom a run is.
#[derive(Debug, Args)]
pub(super) struct ForServer {
    /// Report the state of the index to a server of this program, as one line of JSON per state, and end with standard
    /// input
    #[arg(long = "for-server", id = "for_server", hide = true, requires = "watch")]
    is_set: bool,
    /// Maximum number of files to index
    #[arg(long, hide = true, requires = "for_server")]
    max_files: Option<usize>,
    /// Fetch the repositories once, at the start
    #[arg(long, hide = true, requires = "for_server")]
    fetch: bool,
    /// Maximum number of bytes to index
    #[arg(long, hide = true, requires = "for_server")]
    max_bytes: Option<u64>,
}

impl ForServer {
    /// Returns the limits of a source.
    pub(super) const fn limit(&self) -> Option<SourceLimit> {
        match (self.max_files, self.max_bytes) {
            (None, None) => None,
            (files, bytes) => Some(SourceLimit {
                files: if let Some(files) = files { files } else { usize::MAX },
                bytes: if let Some(bytes) = bytes { bytes } else { u64::MAX },
            }),
        }
    }

    /// Whether repositories stay as they were fetched last.
    pub(super) const fn keeps_repositories(&self) -> bool {
        self.is_set && !self.fetch
    }

    pub(super) const fn is_set(&self) -> bool {
        self.is_set
    }

    /// Returns how progress is shown.
    pub(super) fn progress(&self, quiet: bool) -> Progress {
        if self.is_set { Progress::as_states() } else { Progress::new(quiet) }
    }
}

/// Brings the index of `options` up to date with `run`, and keeps it so until the server ends.
pub(super) fn keep(
    options: &IndexOptions,
    progress: Progress,
    run: impl FnMut(&IndexOptions, Progress) -> Result<Ran>,
) -> Result<ExitCode> {
    std::thread::spawn(|| {
        let mut input = std::io::stdin().lock();
        while input.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0) {}
        #[expect(clippy::exit, reason = "a bundle is whole at any moment, so the run needs no orderly end")]
        std::process::exit(0);
    });
    let _keeping = loop {
        if let Some(keeping) = Keeping::take(&options.out, &options.cache)? {
            break keeping;
        }
        progress.tell(&RunState::KeptByAnother);
        std::thread::sleep(LOOK);
    };
    // Systems limit the number of watched folders.
    let watch = Watch::begin(options, progress).unwrap_or_else(|error| {
        remark!("warning: {error:#}; files are checked every minute instead");
        Watch::every(UNWATCHED)
    });
    let has_bundle = options.out.join(MANIFEST_FILE).exists();
    Ok(watch.follow(options, Some(if has_bundle { Step::Soon } else { Step::Whole }), progress, run))
}
