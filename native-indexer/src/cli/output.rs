//! The place that a bundle is written to: a folder, or a bucket by way of a folder.

use anyhow::{Result, bail};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::Location;
use nearfind_base::say;
use nearfind_bundles::bucket::{Publication, PublishReport, mirror};
use std::path::{Path, PathBuf};

/// The place that a bundle is written to.
#[derive(Debug)]
pub(super) enum Output {
    Folder(PathBuf),
    Bucket(Box<Publication>),
}

impl Output {
    /// Opens `place`. Fails if a bucket cannot be reached, before any work is done for it.
    pub(super) fn open(place: &Location, cache: &CacheFolder) -> Result<Self> {
        Ok(match place {
            Location::Folder(folder) => Self::Folder(folder.clone()),
            Location::Published(url) => Self::Bucket(Box::new(Publication::open(url, cache)?)),
        })
    }

    /// Returns the folder where the bundle is built.
    pub(super) fn folder(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder,
            Self::Bucket(publication) => publication.folder(),
        }
    }

    /// Uploads the bundle if it is for a bucket. With `everything`, also uploads the files that already exist there.
    pub(super) fn publish(&self, everything: bool) -> Result<Option<PublishReport>> {
        match self {
            Self::Folder(_) => Ok(None),
            Self::Bucket(publication) => publication.publish(everything).map(Some),
        }
    }
}

/// Returns the folder where the bundle of `place` is built, unless that is a temporary one.
pub(super) fn made_in(place: Location, cache: &CacheFolder) -> Option<PathBuf> {
    match place {
        Location::Folder(folder) => Some(folder),
        Location::Published(url) => mirror(&url, cache),
    }
}

/// Parses a folder, or an address in a bucket.
pub(super) fn place(argument: &str) -> Result<Location> {
    match Location::published(argument)? {
        Some(place) if place.in_bucket().is_none() => {
            bail!(
                "an index can be written only to a folder or a bucket (s3, gs, az); for a web server, write a folder and publish it with the site"
            )
        }
        Some(place) => Ok(place),
        None => Ok(Location::Folder(PathBuf::from(argument))),
    }
}

/// Prints in one line what was uploaded to a bucket.
pub(super) fn print_published(report: &PublishReport) {
    let PublishReport { address, files, bytes, removed } = report;
    if *files == 0 {
        say!("{address} is up to date");
        return;
    }
    let former = if *removed > 0 { format!(", {removed} files of earlier indexes removed") } else { String::new() };
    say!("published at {address}: {files} files, {:.2} MB{former}", *bytes as f64 / 1e6);
}
