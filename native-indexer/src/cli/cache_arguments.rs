//! Arguments that choose where runs keep their results.

use clap::Args;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::remark;
use std::path::PathBuf;

/// Where vectors and pages are kept.
#[derive(Debug, Args)]
pub(super) struct CacheArguments {
    /// Folder that keeps vectors and pages, so that unchanged text is not embedded again [default: the platform's cache
    /// directory]
    #[arg(long, value_name = "FOLDER", env = "NEARFIND_CACHE")]
    cache: Option<PathBuf>,
    /// Embed everything again, and keep nothing for the next run
    #[arg(long)]
    no_cache: bool,
}

impl CacheArguments {
    pub(super) fn folder(&self) -> CacheFolder {
        if self.no_cache {
            return CacheFolder::none();
        }
        let folder = CacheFolder::at(self.cache.clone());
        if let Err(problem) = folder.check() {
            remark!("warning: {problem:#}: nothing is kept for the next run; choose another folder with --cache");
            return CacheFolder::none();
        }
        folder
    }
}
