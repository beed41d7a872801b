//! A bundle on a web server or in a bucket. Blocks are read as they are needed, with one request for adjacent ones, and
//! kept on disk.

use super::meter::Meter;
use crate::bucket::Bucket;
use crate::library::open::web_server::WebServer;
use crate::library::{FetchedManifest, PublishedCache};
use anyhow::{Context as _, Result, ensure};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::is_in_bucket;
use nearfind_base::remark;
use nearfind_core::format::manifest::{MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest, ModelFile};
use nearfind_core::reader::BlockRequest;
use nearfind_models::model::MAX_PACK_BYTES;
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

/// A function that checks and decompresses the stored bytes of a block.
pub(crate) type Decode<'a> = dyn Fn(&BlockRequest, &[u8]) -> Result<Vec<u8>> + Sync + 'a;

/// Largest gap in bytes between two blocks that are read with one request. Reading the gap costs less than another
/// request.
const GAP_BYTES: u64 = 2048;
/// Number of concurrent requests.
const CONNECTIONS: usize = 6;

/// The amount of data that was read over the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Number of bytes in response bodies.
    pub bytes: u64,
    /// Number of requests.
    pub requests: u64,
}

/// A published bundle.
#[derive(Debug)]
pub struct Published {
    base: Url,
    host: Host,
    cache: Mutex<PublishedCache>,
    meter: Arc<Meter>,
}

/// The host of the files.
#[derive(Debug)]
enum Host {
    Web(Box<WebServer>),
    Bucket(Bucket),
}

/// A publisher's manifest.
#[derive(Debug)]
pub(crate) struct ManifestAnswer {
    pub(crate) bytes: Vec<u8>,
    /// The reason why the manifest may not be the newest, if there is one.
    pub(crate) problem: Option<String>,
}

/// The stored bytes of a fetched block, and its content.
struct Fetched {
    stored: Vec<u8>,
    raw: Vec<u8>,
}

/// Blocks that one request reads, in the order of their positions in a file.
type Run<'a> = Vec<&'a BlockRequest>;

impl Published {
    /// Opens the bundle at `base`, which must end with a slash.
    pub fn new(base: Url, cache: &CacheFolder) -> Result<Self> {
        let cache = Mutex::new(PublishedCache::open(cache, base.as_str())?);
        let meter = Arc::<Meter>::default();
        let host = if is_in_bucket(&base) {
            Host::Bucket(Bucket::open(&base)?)
        } else {
            Host::Web(Box::new(WebServer::new(base.clone(), Arc::clone(&meter))?))
        };
        Ok(Self { base, host, cache, meter })
    }

    /// Returns the address of the bundle's folder.
    pub const fn base(&self) -> &Url {
        &self.base
    }

    /// Returns the amount of data read since the bundle was opened.
    pub fn traffic(&self) -> Traffic {
        Traffic {
            bytes: self.meter.bytes.load(Ordering::Relaxed),
            requests: self.meter.requests.load(Ordering::Relaxed),
        }
    }

    /// Returns the publisher's current manifest, or the last known one if the publisher cannot be reached.
    pub(crate) fn manifest(&self) -> Result<ManifestAnswer> {
        let is_sound =
            |known: &FetchedManifest| Manifest::parse(known.text.as_bytes()).is_ok_and(|it| it.root().is_ok());
        let known = lock(&self.cache).manifest().filter(is_sound);
        match (self.fetch_manifest(known.as_ref()), known) {
            (Ok(bytes), _) => Ok(ManifestAnswer { bytes, problem: None }),
            (Err(error), Some(known)) => Ok(ManifestAnswer {
                bytes: known.text.into_bytes(),
                problem: Some(format!("{error:#}; answering with what was fetched before")),
            }),
            (Err(error), None) => Err(error),
        }
    }

    fn fetch_manifest(&self, known: Option<&FetchedManifest>) -> Result<Vec<u8>> {
        let fetched = match &self.host {
            Host::Web(server) => server.manifest(known)?,
            Host::Bucket(bucket) => self.manifest_in(bucket, known)?,
        };
        let Some(fetched) = fetched else {
            return Ok(known.map(|known| known.text.clone().into_bytes()).unwrap_or_default());
        };
        // Without a cache, the next start takes a little longer.
        if let Err(error) = lock(&self.cache).keep_manifest(&fetched) {
            remark!("warning: {error:#}");
        }
        Ok(fetched.text.into_bytes())
    }

    /// Returns the current manifest in `bucket`, or `None` if it is the known one.
    fn manifest_in(&self, bucket: &Bucket, known: Option<&FetchedManifest>) -> Result<Option<FetchedManifest>> {
        self.meter.count_request();
        let most = MAX_MANIFEST_BYTES as u64;
        let etag = known.and_then(|known| known.etag.as_deref());
        let read = if let Some(etag) = etag {
            bucket.read_unless(MANIFEST_FILE, etag, most)?
        } else {
            let read = bucket.read(MANIFEST_FILE, most)?;
            Some(read.with_context(|| {
                format!("{}: there is no index here; publish one with `nearfind index -o`", self.base)
            })?)
        };
        let Some((bytes, version)) = read else { return Ok(None) };
        self.meter.count_bytes(bytes.len());
        let sound = Manifest::parse(&bytes).and_then(|manifest| manifest.root());
        sound.with_context(|| format!("{}{MANIFEST_FILE} is not an index that this program can read", self.base))?;
        Ok(Some(FetchedManifest { etag: version.etag, modified: None, text: String::from_utf8(bytes)? }))
    }

    /// Returns blocks in order, from the cache or from the publisher, decoded by `decode`. Bytes that `decode` refuses
    /// are not kept.
    pub(crate) fn blocks(&self, requests: &[BlockRequest], decode: &Decode<'_>) -> Result<Vec<Vec<u8>>> {
        let mut found: HashMap<(&str, u64), Vec<u8>> = HashMap::new();
        let cached = |request: &BlockRequest| {
            let stored = lock(&self.cache).block(&request.file, request.start)?;
            (stored.len() as u64 == u64::from(request.bytes)).then(|| decode(request, &stored).ok())?
        };
        let mut missing = Vec::new();
        for request in requests {
            match cached(request) {
                Some(raw) => drop(found.insert((&request.file, request.start), raw)),
                None => missing.push(request),
            }
        }
        let runs = runs(missing);
        let next = AtomicUsize::new(0);
        let fetched = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..CONNECTIONS.min(runs.len()) {
                scope.spawn(|| {
                    while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let blocks = self.run(run, decode);
                        let failed = blocks.is_err();
                        lock(&fetched).push(blocks.map(|blocks| (run, blocks)));
                        if failed {
                            return;
                        }
                    }
                });
            }
        });
        for result in fetched.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let (run, blocks) = result?;
            for (request, Fetched { stored, raw }) in run.iter().zip(blocks) {
                lock(&self.cache).keep_block(&request.file, request.start, stored);
                found.insert((&request.file, request.start), raw);
            }
        }
        // A cache that cannot be written only costs time.
        if let Err(error) = lock(&self.cache).save() {
            remark!("warning: {error:#}");
        }
        let taken = |request: &BlockRequest| {
            let raw = found.get(&(request.file.as_str(), request.start)).cloned();
            raw.with_context(|| format!("{}{} was not fetched", self.base, request.file))
        };
        requests.iter().map(taken).collect()
    }

    /// Returns the blocks of a run.
    fn run(&self, run: &Run<'_>, decode: &Decode<'_>) -> Result<Vec<Fetched>> {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return Ok(Vec::new()) };
        let (start, end) = (first.start, last.start + u64::from(last.bytes));
        let (bytes, offset) = self.range(first, start..end)?;
        let mut all = Vec::with_capacity(run.len());
        for request in run {
            let from = (request.start - offset) as usize;
            let stored = bytes.get(from..from + request.bytes as usize);
            let stored =
                stored.with_context(|| format!("{}{} is shorter than it declares", self.base, request.file))?;
            let raw = decode(request, stored).with_context(|| {
                format!("{}{}: these bytes are not the ones that the index lists", self.base, request.file)
            })?;
            all.push(Fetched { stored: stored.to_vec(), raw });
        }
        Ok(all)
    }

    /// Returns at least the bytes `range` of the file of `request`, and the position in the file where they begin.
    fn range(&self, request: &BlockRequest, range: Range<u64>) -> Result<(Arc<Vec<u8>>, u64)> {
        match &self.host {
            Host::Web(server) => server.range(request, range),
            Host::Bucket(bucket) => {
                self.meter.count_request();
                let start = range.start;
                let bytes = bucket.range(&request.file, range, request.file_bytes)?;
                self.meter.count_bytes(bytes.len());
                Ok((Arc::new(bytes), start))
            }
        }
    }

    /// Returns the path of the model pack, if it was fetched.
    pub(crate) fn kept_pack(&self, file: &ModelFile) -> Option<PathBuf> {
        lock(&self.cache).pack(&file.file).filter(|path| path.exists())
    }

    /// Fetches the model pack.
    pub(crate) fn fetch_pack(&self, file: &ModelFile) -> Result<Vec<u8>> {
        ensure!(file.bytes <= MAX_PACK_BYTES, "{}: a model of {} bytes is too large", self.base, file.bytes);
        let bytes = match &self.host {
            Host::Web(server) => server.pack(file)?,
            Host::Bucket(bucket) => {
                let read = bucket.read(&file.file, file.bytes)?;
                read.with_context(|| format!("{}{} is missing: publish the index again", self.base, file.file))?.0
            }
        };
        let (there, said) = (bytes.len() as u64, file.bytes);
        ensure!(there == said, "{}{}: the file has {there} bytes, but the index lists {said}", self.base, file.file);
        Ok(bytes)
    }

    /// Keeps a pack that was found to be valid.
    pub(crate) fn keep_pack(&self, file: &ModelFile, pack: &[u8]) -> Result<()> {
        lock(&self.cache).keep_pack(&file.file, pack)
    }

    /// Drops files of another generation.
    pub(crate) fn forget_whole_files(&self) {
        if let Host::Web(server) = &self.host {
            server.forget_whole_files();
        }
    }
}

/// Groups blocks into runs within a file, with only small gaps between the blocks.
fn runs(mut requests: Vec<&BlockRequest>) -> Vec<Run<'_>> {
    requests.sort_by(|a, b| (&a.file, a.start).cmp(&(&b.file, b.start)));
    let mut runs: Vec<Run<'_>> = Vec::new();
    for request in requests {
        let follows = |last: &&BlockRequest| {
            last.file == request.file && request.start <= last.start + u64::from(last.bytes) + GAP_BYTES
        };
        match runs.last_mut().filter(|run| run.last().is_some_and(follows)) {
            Some(run) => run.push(request),
            None => runs.push(vec![request]),
        }
    }
    runs
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
