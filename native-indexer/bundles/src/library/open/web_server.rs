//! A web server that serves files. Any server works. If it does not support range requests, it returns whole files.

use crate::library::FetchedManifest;
use crate::library::open::meter::Meter;
use crate::library::open::public_addresses::PublicAddresses;
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_base::http_client;
use nearfind_core::format::manifest::{MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest, ModelFile};
use nearfind_core::reader::BlockRequest;
use std::collections::HashMap;
use std::io::Read as _;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use ureq::http::{Response, StatusCode};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, ResponseExt as _};
use url::Url;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for a response to begin, and for the whole response unless it is a model.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
const MODEL_TIMEOUT: Duration = Duration::from_mins(10);

/// The web server of a bundle.
#[derive(Debug)]
pub(crate) struct WebServer {
    base: Url,
    agent: Agent,
    /// Whole files from a server without range requests, by name.
    whole: Mutex<HashMap<String, Arc<Vec<u8>>>>,
    /// Whether the server is known to support range requests. Until then, requests run one at a time, because each may
    /// return a whole file.
    has_ranges: AtomicBool,
    one_at_a_time: Mutex<()>,
    meter: Arc<Meter>,
}

impl WebServer {
    /// Creates a client for the bundle at `base`, which must end with a slash. `meter` counts requests and bytes.
    pub(crate) fn new(base: Url, meter: Arc<Meter>) -> Result<Self> {
        let own_host = base.host_str().map(str::to_owned);
        Self::with_addresses(base, meter, PublicAddresses::new(own_host))
    }

    /// Does the same for a bundle that a site on another host names. The bundle's address must be public.
    pub(crate) fn named_by_another(base: Url, meter: Arc<Meter>) -> Result<Self> {
        Self::with_addresses(base, meter, PublicAddresses::new(None))
    }

    fn with_addresses(base: Url, meter: Arc<Meter>, addresses: PublicAddresses) -> Result<Self> {
        let config = http_client::config_builder()?
            // A bundle that is requested over https is never read over http.
            .https_only(base.scheme() == "https")
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(ANSWER_TIMEOUT))
            .max_redirects(5)
            .build();
        let agent = Agent::with_parts(config, DefaultConnector::default(), addresses);
        Ok(Self {
            base,
            agent,
            whole: Mutex::default(),
            has_ranges: AtomicBool::new(false),
            one_at_a_time: Mutex::default(),
            meter,
        })
    }

    /// Returns the server's current manifest, or `None` if it is still the known one.
    pub(crate) fn manifest(&self, known: Option<&FetchedManifest>) -> Result<Option<FetchedManifest>> {
        let url = self.base.join(MANIFEST_FILE)?;
        let mark = known.and_then(|known| {
            let etag = known.etag.as_deref().map(|etag| ("If-None-Match", etag));
            etag.or(known.modified.as_deref().map(|modified| ("If-Modified-Since", modified)))
        });
        let mut response = self.get(&url, mark, ANSWER_TIMEOUT)?;
        if response.status() == StatusCode::NOT_MODIFIED && known.is_some() {
            return Ok(None);
        }
        ensure!(
            response.status() == StatusCode::OK,
            "{url}: the server responded with {}; is this the address of the folder that contains {MANIFEST_FILE}?",
            response.status()
        );
        let header = |name| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
        let (etag, modified) = (header("etag"), header("last-modified"));
        let kind = header("content-type").unwrap_or_else(|| "of unknown type".to_owned());
        let bytes = self.body(&mut response, MAX_MANIFEST_BYTES as u64)?;
        let sound = Manifest::parse(&bytes).and_then(|manifest| manifest.root());
        sound.with_context(|| format!("{url} ({kind}) is not an index that this program can read"))?;
        Ok(Some(FetchedManifest { etag, modified, text: String::from_utf8(bytes)? }))
    }

    /// Returns at least the bytes `range` of the file of `request`, and the position in the file where they begin.
    pub(crate) fn range(&self, request: &BlockRequest, range: Range<u64>) -> Result<(Arc<Vec<u8>>, u64)> {
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
                ensure!(
                    bytes.len() as u64 == range.end - range.start,
                    "{url}: the server sent a range other than the requested one"
                );
                self.has_ranges.store(true, Ordering::Relaxed);
                Ok((Arc::new(bytes), range.start))
            }
            StatusCode::OK => {
                let bytes = self.body(&mut response, request.file_bytes)?;
                ensure!(
                    bytes.len() as u64 == request.file_bytes,
                    "{url}: the file has {} bytes, but the index lists {}: was only part of it published, or is this a page of the site?",
                    bytes.len(),
                    request.file_bytes
                );
                let bytes = Arc::new(bytes);
                lock(&self.whole).insert(request.file.clone(), Arc::clone(&bytes));
                Ok((bytes, 0))
            }
            status => bail!("{url}: the server responded with {status}; publish all files of the index again"),
        }
    }

    /// Returns a file of at most `most` bytes, and its address, which differs from `url` after a redirect.
    pub(crate) fn whole(&self, url: &Url, most: u64) -> Result<(Vec<u8>, Url)> {
        let mut response = self.get(url, None, ANSWER_TIMEOUT)?;
        ensure!(response.status() == StatusCode::OK, "the server responded with {}", response.status());
        let bytes = self.body(&mut response, most)?;
        ensure!(bytes.len() as u64 <= most, "it is larger than {most} bytes");
        Ok((bytes, Url::parse(&response.get_uri().to_string())?))
    }

    /// Fetches a model pack.
    pub(crate) fn pack(&self, file: &ModelFile) -> Result<Vec<u8>> {
        let url = self.base.join(&file.file)?;
        let mut response = self.get(&url, None, MODEL_TIMEOUT)?;
        ensure!(response.status() == StatusCode::OK, "{url}: the server responded with {}", response.status());
        self.body(&mut response, file.bytes)
    }

    /// Drops files of another generation.
    pub(crate) fn forget_whole_files(&self) {
        lock(&self.whole).clear();
    }

    fn get(&self, url: &Url, header: Option<(&str, &str)>, timeout: Duration) -> Result<Response<ureq::Body>> {
        self.meter.count_request();
        let mut request = self.agent.get(url.as_str()).config().timeout_global(Some(timeout)).build();
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        request.call().with_context(|| format!("{url} cannot be reached"))
    }

    /// Reads at most `most` bytes of a body, and one more byte if the body is longer.
    fn body(&self, response: &mut Response<ureq::Body>, most: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = response.body_mut().as_reader().take(most + 1).read_to_end(&mut bytes);
        self.meter.count_bytes(bytes.len());
        read.with_context(|| format!("{}: the publisher's response was cut off or took too long", self.base))?;
        Ok(bytes)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
