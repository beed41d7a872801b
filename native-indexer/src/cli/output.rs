//! Where a bundle goes: a folder, or a bucket by way of one.

use anyhow::{Result, bail};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::Location;
use nearfind_base::say;
use nearfind_bundles::bucket::{Publication, PublishReport, mirror};
use std::path::{Path, PathBuf};

/// Where a bundle goes.
#[derive(Debug)]
pub(super) enum Output {
    Folder(PathBuf),
    Bucket(Box<Publication>),
}

impl Output {
    /// Looks at `place`: a bucket that cannot be reached is an error before anything is made for it.
    pub(super) fn open(place: &Location, cache: &CacheFolder) -> Result<Self> {
        Ok(match place {
            Location::Folder(folder) => Self::Folder(folder.clone()),
            Location::Published(url) => Self::Bucket(Box::new(Publication::open(url, cache)?)),
        })
    }

    /// The folder in which the bundle is made.
    pub(super) fn folder(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder,
            Self::Bucket(publication) => publication.folder(),
        }
    }

    /// Puts what was made into the bucket, if it goes into one; all of it again with `everything`.
    pub(super) fn publish(&self, everything: bool) -> Result<Option<PublishReport>> {
        match self {
            Self::Folder(_) => Ok(None),
            Self::Bucket(publication) => publication.publish(everything).map(Some),
        }
    }
}

/// The folder in which the bundle of `place` is made, if it stays.
pub(super) fn made_in(place: Location, cache: &CacheFolder) -> Option<PathBuf> {
    match place {
        Location::Folder(folder) => Some(folder),
        Location::Published(url) => mirror(&url, cache),
    }
}

/// A folder or an address in a bucket.
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

/// Says what was put into a bucket, in a line.
pub(super) fn print_published(report: &PublishReport) {
    let PublishReport { address, files, bytes, removed } = report;
    if *files == 0 {
        say!("{address} is up to date");
        return;
    }
    let former = if *removed > 0 { format!(", {removed} files of earlier indexes removed") } else { String::new() };
    say!("published at {address}: {files} files, {:.2} MB{former}", *bytes as f64 / 1e6);
}
