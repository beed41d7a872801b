//! Arguments for an index that several machines build together.

use super::output::place;
use anyhow::{Context as _, Result};
use clap::Args;
use nearfind_base::location::Location;
use nearfind_base::progress::Progress;
use nearfind_base::terminal::print_json;
use nearfind_bundles::bucket::{Bucket, Headers};
use nearfind_indexing::run::{IndexOptions, Share, SharesFolder, is_share_name, make_share};
use std::process::ExitCode;
use tempfile::TempDir;

/// The headers of a share. Its name determines its content, so it never changes, and no page reads it.
const SHARE: Headers = Headers { content_type: "application/octet-stream", cache_control: "private, immutable" };

#[derive(Debug, Args)]
pub(super) struct ShareArguments {
    /// Embed only this share of the passages, such as `3/16`, and write the share to --into. Set all other options as
    /// for the whole index
    #[arg(long, value_name = "K/N", requires = "into", conflicts_with_all = ["watch", "dry_run", "from"])]
    share: Option<Share>,
    /// Folder for shares, or its address in a bucket, such as s3://bucket/shares
    #[arg(long, value_name = "PLACE", requires = "share", value_parser = place)]
    into: Option<Location>,
    /// Read the vectors of all passages from the shares in this folder or bucket
    #[arg(long, value_name = "PLACE", value_parser = place)]
    from: Option<Location>,
}

impl ShareArguments {
    /// Returns whether to build a share instead of an index.
    pub(super) const fn is_one(&self) -> bool {
        self.share.is_some()
    }

    /// Builds the requested share, and prints its description as a line of JSON. Returns `None` if no share is
    /// asked for.
    pub(super) fn run(&self, options: &IndexOptions, progress: Progress) -> Result<Option<ExitCode>> {
        let (Some(share), Some(into)) = (self.share, &self.into) else { return Ok(None) };
        let report = match into {
            Location::Folder(into) => make_share(options, share, into, progress)?,
            Location::Published(url) => {
                let bucket = Bucket::open(url)?;
                // Fails before anything is embedded if the bucket cannot be read.
                let there = bucket.list()?;
                let folder = tempfile::tempdir()?;
                let report = make_share(options, share, folder.path(), progress)?;
                if !there.iter().any(|object| object.name == report.file) {
                    bucket.upload(&report.file, &folder.path().join(&report.file), SHARE)?;
                }
                report
            }
        };
        print_json(&report)?;
        Ok(Some(ExitCode::SUCCESS))
    }

    /// Returns the shares to take vectors from. Those in a bucket are downloaded into a temporary folder, which is
    /// removed when the returned `TempDir` is dropped.
    pub(super) fn taken(&self) -> Result<Option<(SharesFolder, Option<TempDir>)>> {
        match &self.from {
            None => Ok(None),
            Some(Location::Folder(path)) => {
                Ok(Some((SharesFolder { name: path.display().to_string(), path: path.clone() }, None)))
            }
            Some(Location::Published(url)) => {
                let bucket = Bucket::open(url)?;
                let folder = tempfile::tempdir()?;
                for object in bucket.list()?.into_iter().filter(|object| is_share_name(&object.name)) {
                    let read = bucket.read(&object.name, object.bytes)?;
                    let (bytes, _) =
                        read.with_context(|| format!("{url}{}: removed while it was read", object.name))?;
                    std::fs::write(folder.path().join(&object.name), bytes)
                        .context("fetched shares cannot be stored")?;
                }
                let shares = SharesFolder { name: url.to_string(), path: folder.path().to_owned() };
                Ok(Some((shares, Some(folder))))
            }
        }
    }
}
