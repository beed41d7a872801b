//! Arguments that choose the bundles that a command reads.

use super::config_arguments::{ConfigArguments, collection};
use anyhow::{Result, bail};
use clap::Args;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::Location;
use nearfind_bundles::library::{Library, LibraryOptions};
#[cfg(feature = "full")]
use nearfind_indexing::config::CONFIG_FILE;
use nearfind_indexing::config::how_to_build;
use nearfind_models::model::ModelStore;
use nearfind_models::provider::ProviderSettings;
use std::path::{Path, PathBuf};

/// A bundle, wherever it is.
#[derive(Debug, Args)]
pub(super) struct BundleArguments {
    /// The index: its folder, @NAME for the index of a collection, or its address on a web server or in a bucket (s3, gs, az)
    #[arg(value_name = "INDEX", value_parser = location)]
    bundle: Location,
    #[command(flatten)]
    published: PublishedArguments,
}

impl BundleArguments {
    /// Returns the folder of the bundle, if the bundle is on this machine.
    pub(super) fn in_folder(&self) -> Option<&Path> {
        match &self.bundle {
            Location::Folder(folder) => Some(folder),
            Location::Published(_) => None,
        }
    }

    /// Opens the bundle.
    pub(super) fn open(&self, store: &ModelStore) -> Result<Library> {
        self.open_with(&[], None, ProviderSettings::default(), store)
    }

    /// Opens the bundle and `others` to search them as one. Questions are encoded by `model` if it is given, and
    /// otherwise by the provider or by the model of the bundle.
    pub(super) fn open_with(
        &self,
        others: &[Location],
        model: Option<PathBuf>,
        providers: ProviderSettings,
        store: &ModelStore,
    ) -> Result<Library> {
        let locations: Vec<Location> = std::iter::once(&self.bundle).chain(others).cloned().collect();
        open(&locations, self.published.cache(), model, providers, store)
    }
}

/// How published bundles are read.
#[derive(Clone, Debug, Args)]
pub(super) struct PublishedArguments {
    /// Cache folder for data from published indexes [default: the platform's cache directory]
    #[arg(long, value_name = "FOLDER", env = "NEARFIND_CACHE")]
    cache: Option<PathBuf>,
}

impl PublishedArguments {
    pub(super) fn cache(&self) -> CacheFolder {
        CacheFolder::at(self.cache.clone())
    }

    /// Returns the folder, if one is named.
    #[cfg(feature = "full")]
    pub(super) const fn folder(&self) -> Option<&PathBuf> {
        self.cache.as_ref()
    }
}

/// Opens bundles for a single command, which would end before a model could be downloaded.
pub(super) fn open(
    locations: &[Location],
    cache: CacheFolder,
    model: Option<PathBuf>,
    providers: ProviderSettings,
    store: &ModelStore,
) -> Result<Library> {
    Library::open(
        locations,
        LibraryOptions { store: store.clone(), cache, model, fetch_models: false, providers, how_to_build },
    )
}

/// A bundle in a folder: one that is named, else that of a configuration.
#[derive(Debug, Args)]
pub(super) struct BundleFolderArguments {
    /// Folder of the index, or @NAME for the index of a collection [default: the index of nearfind.toml]
    #[arg(value_name = "INDEX", value_parser = folder, conflicts_with_all = ["config", "collection"])]
    bundle: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArguments,
}

impl BundleFolderArguments {
    /// Returns whether there is neither a bundle nor a configuration.
    #[cfg(feature = "full")]
    pub(super) fn is_absent(&self) -> bool {
        self.bundle.is_none() && !self.config.is_named() && !Path::new(CONFIG_FILE).exists()
    }

    /// Returns the folder of the bundle. Fails if the bundle of the configuration is not in a folder.
    pub(super) fn folder(&self) -> Result<PathBuf> {
        match &self.bundle {
            Some(folder) => Ok(folder.clone()),
            None => self.config.config()?.output(),
        }
    }
}

/// Parses a folder, the `@NAME` of a collection, or an address.
pub(super) fn location(argument: &str) -> Result<Location> {
    if let Some(published) = Location::published(argument)? {
        return Ok(published);
    }
    match argument.strip_prefix('@').filter(|_| !Path::new(argument).exists()) {
        Some(name) => collection(name)?.place(),
        None => Ok(Location::Folder(PathBuf::from(argument))),
    }
}

/// Parses the folder of a bundle, given directly or as the `@NAME` of a collection.
fn folder(argument: &str) -> Result<PathBuf> {
    match location(argument)? {
        Location::Folder(folder) => Ok(folder),
        Location::Published(url) => bail!("{url}: this command needs an index in a folder on this machine"),
    }
}
