//! Publishes a bundle, which is built in a local folder, to a bucket. The parts of the new bundle are uploaded first.
//! The manifest follows in one step, and only if it replaces the manifest that was there when the run began. Parts that
//! readers of the old bundle may still need are kept for a day.

use super::{Bucket, Headers, Object, Replaced, Version};
use crate::bundle_folder::{BuildRecord, BundleFiles, is_part_name, manifest_bytes, named_files};
use anyhow::{Context as _, Result, bail};
use nearfind_base::cache_folder::{BUCKETS, CacheFolder};
use nearfind_core::format::manifest::{MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use url::Url;

/// Number of concurrent uploads.
const UPLOADS: usize = 6;
/// How long parts are kept that no bundle lists. Readers may have opened a bundle that listed them, and other
/// publishers may be at work.
const KEPT_TIME: Duration = Duration::from_hours(24);
/// Readers must revalidate a manifest. Part files are named by their content, and never change.
const MANIFEST: Headers = Headers { content_type: "application/json", cache_control: "no-cache" };
const PART: Headers =
    Headers { content_type: "application/octet-stream", cache_control: "public, max-age=31536000, immutable" };
/// A tag that no object has.
const NO_TAG: &str = "\"00000000000000000000000000000000\"";

/// The bundle in a bucket, and the folder where the bundle is built.
#[derive(Debug)]
pub struct Publication {
    bucket: Bucket,
    folder: PathBuf,
    cache: CacheFolder,
    /// Removed at the end, if nothing is cached.
    _temporary: Option<tempfile::TempDir>,
    /// The manifest in the bucket, with its version.
    before: Mutex<Option<(Vec<u8>, Version)>>,
}

/// The changes that were made to a bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PublishReport {
    /// The address of the bundle.
    pub address: String,
    /// Number of files that were written, including the manifest.
    pub files: usize,
    /// Size of these files in bytes.
    pub bytes: u64,
    /// Number of removed files from earlier bundles.
    pub removed: usize,
}

/// Returns the folder where the bundle at `url` is built, if anything is cached.
pub fn mirror(url: &Url, cache: &CacheFolder) -> Option<PathBuf> {
    let name = blake3::hash(url.as_str().as_bytes()).to_hex();
    Some(cache.of(BUCKETS)?.join(&name[..32]))
}

impl Publication {
    /// Reads the manifest at `url`. If the bucket cannot be read, this fails before any work is done.
    pub fn open(url: &Url, cache: &CacheFolder) -> Result<Self> {
        let bucket = Bucket::open(url)?;
        let mut temporary = None;
        let folder = mirror(url, cache).map_or_else(
            || -> Result<PathBuf> {
                let made = tempfile::tempdir().context("there is no folder for temporary files")?;
                Ok(temporary.insert(made).path().join("bundle"))
            },
            Ok,
        )?;
        let before = bucket.read(MANIFEST_FILE, MAX_MANIFEST_BYTES as u64)?;
        if before.is_none() {
            // Distinguishes a bucket without a manifest from a bucket that does not exist.
            bucket.list()?;
        }
        Ok(Self { bucket, folder, cache: cache.clone(), _temporary: temporary, before: Mutex::new(before) })
    }

    /// Returns the folder where the bundle is built.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Uploads the folder's content to the bucket. Files that are already there are uploaded again only if `everything`
    /// is set. After an error, the previous bundle is still complete.
    pub fn publish(&self, everything: bool) -> Result<PublishReport> {
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let manifest = manifest_bytes(&self.folder)?;
        let files = self.files()?;
        let there = self.sizes()?;
        let is_same = before.as_ref().is_some_and(|(bytes, _)| *bytes == manifest);
        let mut report = PublishReport { address: self.bucket.url().to_string(), ..PublishReport::default() };
        let wanted: Vec<&(String, u64)> = files
            .iter()
            .filter(|(name, bytes)| everything || there.get(name) != Some(bytes) || (!is_same && !is_part_name(name)))
            .collect();
        if is_same && wanted.is_empty() {
            return Ok(report);
        }
        self.check_conditions()?;
        self.upload(&wanted, &mut report)?;
        if !is_same || everything {
            let version = before.as_ref().map(|(_, version)| version);
            let version = match self.bucket.replace(MANIFEST_FILE, &manifest, version, MANIFEST)? {
                Replaced::Written(version) => version,
                Replaced::Changed => bail!(
                    "{}: another publisher has written here since this run began; its index is intact and stays. Run this again to replace it",
                    self.bucket.url()
                ),
                Replaced::Unconditional => self.bucket.write(MANIFEST_FILE, &manifest, MANIFEST)?,
            };
            report.files += 1;
            report.bytes += manifest.len() as u64;
            let replaced = before.replace((manifest, version));
            report.removed = self.remove_former(&files, replaced.map(|(bytes, _)| bytes).as_deref())?;
        }
        // Meanwhile, another publisher may have removed files that this one found in the bucket.
        let there = self.sizes()?;
        let lost: Vec<_> = files.iter().filter(|(name, _)| !there.contains_key(name)).collect();
        self.upload(&lost, &mut report)?;
        Ok(report)
    }

    /// Returns all files of the current bundle except its manifest, including the search box, with their lengths.
    fn files(&self) -> Result<Vec<(String, u64)>> {
        let mut files = BundleFiles::read(&self.folder)?.files;
        let mut folders = vec![PathBuf::new()];
        while let Some(below) = folders.pop() {
            for entry in fs::read_dir(self.folder.join(&below))? {
                let entry = entry?;
                let (path, kind) = (below.join(entry.file_name()), entry.file_type()?);
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() && !below.as_os_str().is_empty() {
                    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
                    files.push((parts.join("/"), entry.metadata()?.len()));
                }
            }
        }
        Ok(files)
    }

    /// Returns the names of the objects in the bucket, with their lengths.
    fn sizes(&self) -> Result<BTreeMap<String, u64>> {
        Ok(self.bucket.list()?.into_iter().map(|object| (object.name, object.bytes)).collect())
    }

    fn upload(&self, files: &[&(String, u64)], report: &mut PublishReport) -> Result<()> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(UPLOADS).build()?;
        let upload = |(name, _): &&(String, u64)| self.bucket.upload(name, &self.folder.join(name), headers(name));
        let bytes: Vec<u64> =
            threads.install(|| files.par_iter().with_max_len(1).map(upload).collect::<Result<_>>())?;
        report.files += bytes.len();
        report.bytes += bytes.iter().sum::<u64>();
        Ok(())
    }

    /// Returns an error if the storage performs a write although its condition does not hold, because publishers could
    /// then overwrite each other's bundles.
    fn check_conditions(&self) -> Result<()> {
        let probe = format!(".nearfind-probe-{:016x}", fastrand::u64(..));
        let other = Version { etag: Some(NO_TAG.to_owned()), number: None };
        let first = self.bucket.replace(&probe, b"", None, MANIFEST)?;
        if first == Replaced::Unconditional {
            return Ok(());
        }
        let again = self.bucket.replace(&probe, b"", None, MANIFEST);
        let unknown = self.bucket.replace(&probe, b"", Some(&other), MANIFEST);
        self.bucket.remove(&[probe])?;
        if again? != Replaced::Changed || unknown? != Replaced::Changed {
            bail!(
                "{}: this storage overwrites objects even if a request forbids it (If-None-Match, If-Match), so \
                publishers could overwrite each other's files. If you are the only publisher, set \
                AWS_CONDITIONAL_PUT=disabled and run this again",
                self.bucket.url()
            );
        }
        Ok(())
    }

    /// Removes parts that belong to none of these: the new bundle, the bundle with the manifest `replaced`, and the
    /// bundles that are kept. Returns the number of removed parts.
    fn remove_former(&self, files: &[(String, u64)], replaced: Option<&[u8]>) -> Result<usize> {
        let mut kept: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
        if let Some(record) = BuildRecord::read(&self.folder, &self.cache) {
            kept.extend(record.kept.into_iter().flat_map(|kept| kept.files));
        }
        if let Some(replaced) = replaced {
            let read = |request: &nearfind_core::reader::BlockRequest| {
                let range = request.start..request.start + u64::from(request.bytes);
                self.bucket.range(&request.file, range, request.file_bytes)
            };
            let named = Manifest::parse(replaced).map_err(Into::into).and_then(|manifest| named_files(&manifest, read));
            // If the replaced bundle cannot be read, no part is known to be unused.
            let Ok((_, named)) = named else { return Ok(0) };
            kept.extend(named.into_iter().map(|(name, _)| name));
        }
        let now = SystemTime::now();
        let is_old = |object: &Object| now.duration_since(object.written).is_ok_and(|age| age > KEPT_TIME);
        let mut former = self.bucket.list()?;
        former.retain(|object| is_part_name(&object.name) && !kept.contains(&object.name) && is_old(object));
        let names: Vec<String> = former.into_iter().map(|object| object.name).collect();
        self.bucket.remove(&names)?;
        Ok(names.len())
    }
}

fn headers(name: &str) -> Headers {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    match extension {
        Some("js") => Headers { content_type: "text/javascript; charset=utf-8", ..MANIFEST },
        Some("wasm") => Headers { content_type: "application/wasm", ..MANIFEST },
        _ => PART,
    }
}
