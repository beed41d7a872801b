//! Starts servers for the repositories that calls may name with `--allow-root`. Their indexes are in the cache, as that of the
//! repository around the current folder. Their configurations are not read, because these may name other servers.

use super::bundle_arguments::PublishedArguments;
use super::repository_index::RepositoryIndex;
use anyhow::Result;
use nearfind_base::location::Location;
use nearfind_bundles::library::{Library, LibraryOptions};
use nearfind_indexing::config::how_to_build;
use nearfind_indexing::source::last_changes;
use nearfind_mcp::{BackgroundIndex, Budget, Server, ServerOptions, StartRepository, ToolSet};
use nearfind_models::model::ModelStore;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What the servers have in common.
pub(super) struct CachedRepositories {
    pub(super) program: PathBuf,
    /// The first arguments of the program, such as the folder of models.
    pub(super) options: Vec<OsString>,
    pub(super) store: ModelStore,
    pub(super) published: PublishedArguments,
    pub(super) budget: Budget,
    pub(super) structured: bool,
    /// Whether clients are on this machine and may be told the folders of projects.
    pub(super) shows_roots: bool,
}

impl StartRepository for CachedRepositories {
    fn top(&self, folder: &Path) -> Result<PathBuf> {
        Ok(RepositoryIndex::around(folder, &self.published.cache())?.root)
    }

    fn start(&self, top: &Path) -> Result<Server> {
        let index = RepositoryIndex::around(top, &self.published.cache())?;
        index.begin(&self.published.cache())?;
        let command = self.options.iter().cloned().chain(index.command(&self.published)).collect();
        let background = BackgroundIndex::start(self.program.clone().into(), command);
        let options = LibraryOptions {
            store: self.store.clone(),
            cache: self.published.cache(),
            model: None,
            fetch_models: true,
            providers: Default::default(),
            how_to_build,
        };
        let library = Library::open(&[Location::Folder(index.bundle)], options)?;
        let options = ServerOptions {
            budget: self.budget,
            update: None,
            background: Some(background),
            structured: self.structured,
            tools: ToolSet::All,
            others: None,
            shows_roots: self.shows_roots,
            last_changes,
        };
        Ok(Server::new(library, options))
    }
}
