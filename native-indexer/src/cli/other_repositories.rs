//! Starts servers for the repositories that calls may name with `--allow-root`. Their indexes are in the cache, as that of the
//! repository around the current folder. Their configurations are not read, because these may name other servers.

use super::bundle_arguments::PublishedArguments;
use super::repository_index::{RepositoryIndex, repository_around};
use anyhow::{Result, ensure};
use nearfind_base::location::Location;
use nearfind_bundles::library::{Library, LibraryOptions};
use nearfind_indexing::config::how_to_build;
use nearfind_indexing::source::last_changes;
use nearfind_mcp::{BackgroundIndex, Budget, NamedRepository, Server, ServerOptions, StartRepository, ToolSet};
use nearfind_models::model::ModelStore;
use nearfind_models::provider::ProviderSettings;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The settings that the servers share.
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

impl StartRepository<Server> for CachedRepositories {
    fn top(&self, folder: &Path) -> Result<PathBuf> {
        ensure!(repository_around(folder).is_some(), "`repository` is a folder that is not in a git repository");
        Ok(RepositoryIndex::around(folder, &self.published.cache())?.root)
    }

    fn start(&self, repository: &NamedRepository) -> Result<Server> {
        let cache = self.published.cache();
        let index = match repository {
            NamedRepository::Folder(top) => RepositoryIndex::around(top, &cache)?,
            NamedRepository::Address(address) => RepositoryIndex::at(address, &cache)?,
        };
        index.begin(&cache)?;
        let options = LibraryOptions {
            store: self.store.clone(),
            cache,
            model: None,
            fetch_models: true,
            providers: ProviderSettings::default(),
            how_to_build,
        };
        let library = Library::open(&[Location::Folder(index.bundle.clone())], options)?;
        // A process that was started would not end with an error.
        let command = self.options.iter().cloned().chain(index.command(&self.published)).collect();
        let background = BackgroundIndex::start(self.program.clone().into(), command);
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
