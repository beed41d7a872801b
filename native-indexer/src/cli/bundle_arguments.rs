//! Which bundles a command reads.

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
    /// The folder of the bundle, if it is on this machine.
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

    /// Opens the bundle and `others`, to be asked as one. Questions are encoded by `model`, if there is one, or by providers.
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
#[derive(Debug, Args)]
pub(super) struct PublishedArguments {
    /// Folder that keeps what was read of published indexes [default: the platform's cache directory]
    #[arg(long, value_name = "FOLDER", env = "NEARFIND_CACHE")]
    cache: Option<PathBuf>,
}

impl PublishedArguments {
    pub(super) fn cache(&self) -> CacheFolder {
        CacheFolder::at(self.cache.clone())
    }

    /// The folder, if another than usual is named.
    #[cfg(feature = "full")]
    pub(super) const fn folder(&self) -> Option<&PathBuf> {
        self.cache.as_ref()
    }
}

/// Opens bundles for one command, which ends before a model could be fetched.
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
    /// Folder of the index, or @NAME for the index of a collection [default: that of nearfind.toml]
    #[arg(value_name = "INDEX", value_parser = folder, conflicts_with_all = ["config", "collection"])]
    bundle: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArguments,
}

impl BundleFolderArguments {
    /// Whether neither a bundle nor a configuration is meant.
    #[cfg(feature = "full")]
    pub(super) fn is_absent(&self) -> bool {
        self.bundle.is_none() && !self.config.is_named() && !Path::new(CONFIG_FILE).exists()
    }

    /// The folder of the bundle.
    pub(super) fn folder(&self) -> Result<PathBuf> {
        match &self.bundle {
            Some(folder) => Ok(folder.clone()),
            None => self.config.config()?.output(),
        }
    }
}

/// A folder, the `@NAME` of a collection, or an address.
pub(super) fn location(argument: &str) -> Result<Location> {
    if let Some(published) = Location::published(argument)? {
        return Ok(published);
    }
    match argument.strip_prefix('@').filter(|_| !Path::new(argument).exists()) {
        Some(name) => collection(name)?.place(),
        None => Ok(Location::Folder(PathBuf::from(argument))),
    }
}

/// The folder of a bundle, given by itself or as the `@NAME` of a collection.
fn folder(argument: &str) -> Result<PathBuf> {
    match location(argument)? {
        Location::Folder(folder) => Ok(folder),
        Location::Published(url) => bail!("{url}: this command needs an index in a folder of this machine"),
    }
}
