//! A bundle on a web server: parts are read by range requests as they are needed, and kept on disk. Any server of files
//! will do; one without ranges gives whole files.

use super::origin::Decode;
use super::public_addresses::PublicAddresses;
use crate::cache::{CacheFolder, FetchedManifest, PublishedCache};
use crate::http_client;
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_core::format::manifest::{MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest, ModelFile};
use nearfind_core::search::BlockRequest;
use std::collections::HashMap;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use ureq::Agent;
use ureq::http::{Response, StatusCode};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;
use url::Url;

/// Bytes between two blocks that are read along: fewer than a request costs.
const GAP_BYTES: u64 = 2048;
/// Requests at a time.
const CONNECTIONS: usize = 6;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// For an answer to begin, and for all of it but a model.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
const MODEL_TIMEOUT: Duration = Duration::from_mins(10);
/// A larger pack is none that was made for documentation.
const MAX_PACK_BYTES: u64 = 2 << 30;

/// What was read over the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes of bodies.
    pub bytes: u64,
    /// Requests.
    pub requests: u64,
}

/// A published bundle.
#[derive(Debug)]
pub struct Published {
    base: Url,
    agent: Agent,
    cache: Mutex<PublishedCache>,
    /// Files that a server without ranges gave whole, by name.
    whole: Mutex<HashMap<String, Arc<Vec<u8>>>>,
    /// Whether the server knows ranges; until then one request at a time, as each may bring a whole file.
    has_ranges: AtomicBool,
    one_at_a_time: Mutex<()>,
    bytes: AtomicU64,
    requests: AtomicU64,
}

/// What a publisher says of its manifest.
#[derive(Debug)]
pub(super) struct ManifestAnswer {
    pub(super) bytes: Vec<u8>,
    /// Why it is not the newest one, if that is not known.
    pub(super) problem: Option<String>,
}

/// A block as the publisher gave it, and what it holds.
struct Fetched {
    stored: Vec<u8>,
    raw: Vec<u8>,
}

/// Blocks that one request reads: of one file, in the order of their places.
type Run<'a> = Vec<&'a BlockRequest>;

impl Published {
    /// The bundle at `base`, which ends with a slash.
    pub fn new(base: Url, cache: &CacheFolder) -> Result<Self> {
        let config = http_client::config_builder()?
            // A bundle that is asked for over https never comes over http.
            .https_only(base.scheme() == "https")
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(ANSWER_TIMEOUT))
            .max_redirects(5)
            .build();
        let own_host = base.host_str().unwrap_or_default().to_owned();
        let addresses = PublicAddresses { own_host, names: DefaultResolver::default() };
        let agent = Agent::with_parts(config, DefaultConnector::default(), addresses);
        let cache = Mutex::new(PublishedCache::open(cache, base.as_str())?);
        Ok(Self {
            base,
            agent,
            cache,
            whole: Mutex::default(),
            has_ranges: AtomicBool::new(false),
            one_at_a_time: Mutex::default(),
            bytes: AtomicU64::new(0),
            requests: AtomicU64::new(0),
        })
    }

    /// The address of its folder.
    pub const fn base(&self) -> &Url {
        &self.base
    }

    /// What was read since it was opened.
    pub fn traffic(&self) -> Traffic {
        Traffic { bytes: self.bytes.load(Ordering::Relaxed), requests: self.requests.load(Ordering::Relaxed) }
    }

    /// The manifest as the publisher has it now; if it cannot be reached, as it was the last time.
    pub(super) fn manifest(&self) -> Result<ManifestAnswer> {
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
        let url = self.base.join(MANIFEST_FILE)?;
        let mark = known.and_then(|known| {
            let etag = known.etag.as_deref().map(|etag| ("If-None-Match", etag));
            etag.or(known.modified.as_deref().map(|modified| ("If-Modified-Since", modified)))
        });
        let mut response = self.get(&url, mark, ANSWER_TIMEOUT)?;
        if let (StatusCode::NOT_MODIFIED, Some(known)) = (response.status(), known) {
            return Ok(known.text.clone().into_bytes());
        }
        ensure!(
            response.status() == StatusCode::OK,
            "{url}: the publisher answers {}; is this the address of the folder with {MANIFEST_FILE}?",
            response.status()
        );
        let header = |name| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
        let (etag, modified) = (header("etag"), header("last-modified"));
        let kind = header("content-type").unwrap_or_else(|| "of no kind".to_owned());
        let bytes = self.body(&mut response, MAX_MANIFEST_BYTES as u64)?;
        let sound = Manifest::parse(&bytes).and_then(|manifest| manifest.root());
        sound.with_context(|| format!("{url} ({kind}) is no bundle that this program reads"))?;
        let fetched = FetchedManifest { etag, modified, text: String::from_utf8(bytes)? };
        // Without a cache the next start costs a little more.
        if let Err(error) = lock(&self.cache).keep_manifest(&fetched) {
            remark!("warning: {error:#}");
        }
        Ok(fetched.text.into_bytes())
    }

    /// Blocks in their order, from the cache or from the publisher, decoded by `decode`. Bytes that it refuses are not kept.
    pub(super) fn blocks(&self, requests: &[BlockRequest], decode: &Decode<'_>) -> Result<Vec<Vec<u8>>> {
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
        // A cache that cannot be written costs time alone.
        if let Err(error) = lock(&self.cache).save() {
            remark!("warning: {error:#}");
        }
        let taken = |request: &BlockRequest| {
            let raw = found.get(&(request.file.as_str(), request.start)).cloned();
            raw.with_context(|| format!("{}{} was not fetched", self.base, request.file))
        };
        requests.iter().map(taken).collect()
    }

    /// The blocks of a run.
    fn run(&self, run: &Run<'_>, decode: &Decode<'_>) -> Result<Vec<Fetched>> {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return Ok(Vec::new()) };
        let (start, end) = (first.start, last.start + u64::from(last.bytes));
        let (bytes, offset) = self.range(first, start..end)?;
        let mut all = Vec::with_capacity(run.len());
        for request in run {
            let from = (request.start - offset) as usize;
            let stored = bytes.get(from..from + request.bytes as usize);
            let stored = stored.with_context(|| format!("{}{} is shorter than it says", self.base, request.file))?;
            let raw = decode(request, stored).with_context(|| {
                format!("{}{}: the publisher gives other bytes than its bundle has", self.base, request.file)
            })?;
            all.push(Fetched { stored: stored.to_vec(), raw });
        }
        Ok(all)
    }

    /// At least the bytes `range` of the file of `request`, and where they begin in it.
    fn range(&self, request: &BlockRequest, range: std::ops::Range<u64>) -> Result<(Arc<Vec<u8>>, u64)> {
        let _turn = (!self.has_ranges.load(Ordering::Relaxed)).then(|| lock(&self.one_at_a_time));
        if let Some(whole) = lock(&self.whole).get(&request.file) {
            return Ok((whole.clone(), 0));
        }
        let url = self.base.join(&request.file)?;
        let bytes = format!("bytes={}-{}", range.start, range.end - 1);
        let mut response = self.get(&url, Some(("Range", &bytes)), ANSWER_TIMEOUT)?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT => {
                let bytes = self.body(&mut response, range.end - range.start)?;
                ensure!(bytes.len() as u64 == range.end - range.start, "{url}: another range than was asked for");
                self.has_ranges.store(true, Ordering::Relaxed);
                Ok((Arc::new(bytes), range.start))
            }
            StatusCode::OK => {
                let bytes = self.body(&mut response, request.file_bytes)?;
                ensure!(
                    bytes.len() as u64 == request.file_bytes,
                    "{url}: {} bytes, and {} by its bundle: was it published halfway, or is this a page of the site?",
                    bytes.len(),
                    request.file_bytes
                );
                let bytes = Arc::new(bytes);
                lock(&self.whole).insert(request.file.clone(), Arc::clone(&bytes));
                Ok((bytes, 0))
            }
            status => bail!("{url}: the publisher answers {status}; publish the bundle again, all of its files"),
        }
    }

    /// Where the model pack is kept, if it was fetched.
    pub(super) fn kept_pack(&self, file: &ModelFile) -> Option<PathBuf> {
        lock(&self.cache).pack(&file.file).filter(|path| path.exists())
    }

    /// Fetches the model pack.
    pub(super) fn fetch_pack(&self, file: &ModelFile) -> Result<Vec<u8>> {
        ensure!(file.bytes <= MAX_PACK_BYTES, "{}: a model of {} bytes is too large", self.base, file.bytes);
        let url = self.base.join(&file.file)?;
        let mut response = self.get(&url, None, MODEL_TIMEOUT)?;
        ensure!(response.status() == StatusCode::OK, "{url}: the publisher answers {}", response.status());
        let bytes = self.body(&mut response, file.bytes)?;
        ensure!(bytes.len() as u64 == file.bytes, "{url}: {} bytes, and {} by its bundle", bytes.len(), file.bytes);
        Ok(bytes)
    }

    /// Keeps a pack that proved sound.
    pub(super) fn keep_pack(&self, file: &ModelFile, pack: &[u8]) -> Result<()> {
        lock(&self.cache).keep_pack(&file.file, pack)
    }

    /// Forgets files of another generation.
    pub(super) fn forget_whole_files(&self) {
        lock(&self.whole).clear();
    }

    fn get(&self, url: &Url, header: Option<(&str, &str)>, timeout: Duration) -> Result<Response<ureq::Body>> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let mut request = self.agent.get(url.as_str()).config().timeout_global(Some(timeout)).build();
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        request.call().with_context(|| format!("{url} cannot be reached"))
    }

    /// At most `most` bytes of a body, and one more if it has more.
    fn body(&self, response: &mut Response<ureq::Body>, most: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = response.body_mut().as_reader().take(most + 1).read_to_end(&mut bytes);
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        read.with_context(|| format!("{}: the publisher's answer breaks off or takes too long", self.base))?;
        Ok(bytes)
    }
}

/// Blocks in runs of one file, with small gaps between them.
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
