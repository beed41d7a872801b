//! The source of a bundle's bytes.

use super::published::{Decode, Published};
use crate::bundle_folder::{BuildRecord, each_stored_block, manifest_bytes};
use anyhow::Result;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::Location;
use nearfind_core::format::manifest::ModelFile;
use nearfind_core::reader::BlockRequest;
use std::path::PathBuf;

/// A folder, a web server or a bucket.
#[derive(Debug)]
pub(crate) enum Origin {
    /// A folder, and the cache that contains the records of bundles.
    Folder(PathBuf, CacheFolder),
    Published(Box<Published>),
}

impl Origin {
    pub(crate) fn new(location: &Location, cache: &CacheFolder) -> Result<Self> {
        Ok(match location {
            Location::Folder(folder) => Self::Folder(folder.clone(), cache.clone()),
            Location::Published(url) => Self::Published(Box::new(Published::new(url.clone(), cache)?)),
        })
    }

    /// Returns the manifest's bytes, and the reason why they may not be the newest.
    pub(crate) fn manifest(&self) -> Result<(Vec<u8>, Option<String>)> {
        match self {
            Self::Folder(folder, _) => Ok((manifest_bytes(folder)?, None)),
            Self::Published(published) => {
                let answer = published.manifest()?;
                Ok((answer.bytes, answer.problem))
            }
        }
    }

    /// Returns the blocks of `requests` in order, decoded by `decode`. Blocks that `decode` refuses are not kept.
    pub(crate) fn blocks(&self, requests: &[BlockRequest], decode: &Decode<'_>) -> Result<Vec<Vec<u8>>> {
        match self {
            Self::Folder(folder, _) => each_stored_block(folder, requests, decode),
            Self::Published(published) => published.blocks(requests, decode),
        }
    }

    /// Returns the record of the bundle, if the bundle was built on this machine.
    pub(crate) fn record(&self) -> Option<BuildRecord> {
        match self {
            Self::Folder(folder, cache) => BuildRecord::read(folder, cache),
            Self::Published(_) => None,
        }
    }

    /// Returns the path or address of a file, for messages.
    pub(crate) fn name_of(&self, file: &str) -> String {
        match self {
            Self::Folder(folder, _) => folder.join(file).display().to_string(),
            Self::Published(published) => format!("{}{file}", published.base()),
        }
    }

    /// Returns the path of the shipped model's pack on this machine, if the pack is available.
    pub(crate) fn model_path(&self, file: &ModelFile) -> Option<PathBuf> {
        match self {
            Self::Folder(folder, _) => Some(folder.join(&file.file)),
            Self::Published(published) => published.kept_pack(file),
        }
    }

    /// Returns an address that readers can use. If the bundle has an address, relative addresses are resolved against
    /// it.
    pub(crate) fn address(&self, url: &str) -> String {
        match self {
            Self::Folder(..) => url.to_owned(),
            Self::Published(published) => {
                published.base().join(url).map_or_else(|_| url.to_owned(), |whole| whole.to_string())
            }
        }
    }
}
