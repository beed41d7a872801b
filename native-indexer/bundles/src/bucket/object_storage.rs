//! A bucket, read and written with Apache Arrow's object storage client. Calls run one after the other.

use super::{Headers, Object, Replaced, Version};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::buffered::BufWriter;
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path as Key;
use object_store::{
    Attribute, Attributes, BackoffConfig, ClientConfigKey, Error, GetOptions, GetRange, ObjectStore, ObjectStoreScheme,
    PutMode, PutOptions, RetryConfig, UpdateVersion,
};
use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::runtime::Runtime;
use url::Url;

/// Number of retries for a request that failed for a temporary reason, and the time when retries end.
const RETRIES: usize = 4;
const RETRY_TIME: Duration = Duration::from_secs(30);
/// Time limit of a request. The longest requests download a model or upload a part of a file.
const REQUEST_TIME: &str = "10 minutes";
/// Size in bytes of a part of an upload. Smaller files are uploaded at once.
const PART_BYTES: usize = 16 << 20;
/// Number of bytes that are read from a file at a time.
const READ_BYTES: usize = 1 << 20;

/// Hosts that give machines of cloud providers their credentials, if the environment has none.
const METADATA_HOSTS: [&str; 2] = ["169.254.169.254", "metadata.google.internal"];

/// Runs the connections. It belongs to the process, as names and credentials do.
static RUNTIME: LazyLock<std::io::Result<Runtime>> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build());

/// The objects below an address in a bucket.
#[derive(Debug)]
pub struct Bucket {
    url: Url,
    store: Arc<dyn ObjectStore>,
    prefix: Key,
}

impl Bucket {
    /// Opens the bucket at `url`, such as `s3://bucket/docs/`, with the credentials in the environment. All names are
    /// relative to the path in `url`. No request is sent yet.
    pub fn open(url: &Url) -> Result<Self> {
        // Another part of the program may have installed the same provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (scheme, prefix) = ObjectStoreScheme::parse(url).with_context(|| format!("{url} names no bucket"))?;
        let backoff = BackoffConfig { max_backoff: Duration::from_secs(5), ..BackoffConfig::default() };
        let retry = RetryConfig { backoff, max_retries: RETRIES, retry_timeout: RETRY_TIME };
        let (address, time) = (url.as_str(), ClientConfigKey::Timeout);
        let store: Result<Arc<dyn ObjectStore>, Error> = match scheme {
            ObjectStoreScheme::AmazonS3 => AmazonS3Builder::from_env()
                .with_url(address)
                .with_retry(retry)
                .with_config(AmazonS3ConfigKey::Client(time), REQUEST_TIME)
                .build()
                .map(|store| Arc::new(store) as _),
            ObjectStoreScheme::GoogleCloudStorage => GoogleCloudStorageBuilder::from_env()
                .with_url(address)
                .with_retry(retry)
                .with_config(GoogleConfigKey::Client(time), REQUEST_TIME)
                .build()
                .map(|store| Arc::new(store) as _),
            ObjectStoreScheme::MicrosoftAzure => MicrosoftAzureBuilder::from_env()
                .with_url(address)
                .with_retry(retry)
                .with_config(AzureConfigKey::Client(time), REQUEST_TIME)
                .build()
                .map(|store| Arc::new(store) as _),
            _ => bail!("{url} names no bucket"),
        };
        let store = store.map_err(|error| anyhow!("{url}: {}", cause(&error)))?;
        Ok(Self { url: url.clone(), store, prefix })
    }

    /// Returns the address of the bucket.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// Returns an object of at most `most` bytes and its version, or `None` if there is no object with this name.
    pub fn read(&self, name: &str, most: u64) -> Result<Option<(Vec<u8>, Version)>> {
        match self.get(name, GetOptions::default(), most) {
            Err(Error::NotFound { .. }) => Ok(None),
            read => read.map(Some).map_err(|error| self.problem(name, &error)),
        }
    }

    /// Does the same as [`Bucket::read`], but returns `None` if the object's tag is still `etag`. A missing object is
    /// an error.
    pub fn read_unless(&self, name: &str, etag: &str, most: u64) -> Result<Option<(Vec<u8>, Version)>> {
        let options = GetOptions { if_none_match: Some(etag.to_owned()), ..GetOptions::default() };
        match self.get(name, options, most) {
            Err(Error::NotModified { .. }) => Ok(None),
            read => read.map(Some).map_err(|error| self.problem(name, &error)),
        }
    }

    /// Returns a byte range of an object. The object must have exactly `file_bytes` bytes.
    pub fn range(&self, name: &str, range: Range<u64>, file_bytes: u64) -> Result<Vec<u8>> {
        let options = GetOptions { range: Some(GetRange::Bounded(range.clone())), ..GetOptions::default() };
        let read = block_on(async {
            let got = self.store.get_opts(&self.key(name), options).await?;
            let (size, given) = (got.meta.size, got.range.clone());
            let bytes = if size == file_bytes && given == range { got.bytes().await?.to_vec() } else { Vec::new() };
            Ok((size, bytes))
        });
        let (size, bytes) = read.map_err(|error| self.problem(name, &error))?;
        ensure!(
            size == file_bytes,
            "{}: the file has {size} bytes, but the index lists {file_bytes}: publish the index again",
            self.address(name)
        );
        ensure!(
            bytes.len() as u64 == range.end - range.start,
            "{}: the server sent a range other than the requested one",
            self.address(name)
        );
        Ok(bytes)
    }

    /// Lists all objects below the bucket's address.
    pub fn list(&self) -> Result<Vec<Object>> {
        let all = block_on(self.store.list(Some(&self.prefix)).try_collect::<Vec<_>>());
        let all = all.map_err(|error| self.problem("", &error))?;
        let object = |meta: object_store::ObjectMeta| {
            let parts = meta.location.prefix_match(&self.prefix)?;
            let name = parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/");
            Some(Object { name, bytes: meta.size, written: meta.last_modified.into() })
        };
        Ok(all.into_iter().filter_map(object).collect())
    }

    /// Writes an object with the content of `file`, and returns its length. Readers get all of it or nothing.
    pub fn upload(&self, name: &str, file: &Path, headers: Headers) -> Result<u64> {
        let mut from = File::open(file).with_context(|| file.display().to_string())?;
        let writer = BufWriter::with_capacity(Arc::clone(&self.store), self.key(name), PART_BYTES);
        let mut writer = writer.with_attributes(attributes(headers));
        let (mut written, mut buffer) = (0, vec![0; READ_BYTES]);
        loop {
            let read = from.read(&mut buffer).with_context(|| file.display().to_string())?;
            if read == 0 {
                break;
            }
            if let Err(error) = block_on(writer.put(buffer[..read].to_vec().into())) {
                // Parts that were uploaded are not an object, but cost the bucket's owner money.
                let _ = block_on(writer.abort());
                return Err(self.problem(name, &error));
            }
            written += read as u64;
        }
        let ended = async { writer.shutdown().await.map_err(of_writer) };
        block_on(ended).map_err(|error| self.problem(name, &error))?;
        Ok(written)
    }

    /// Writes an object, and overwrites any existing one.
    pub fn write(&self, name: &str, bytes: &[u8], headers: Headers) -> Result<Version> {
        self.put(name, bytes, PutMode::Overwrite, headers).map_err(|error| self.problem(name, &error))
    }

    /// Writes an object if its current version is `before`, or if there is none and `before` is `None`.
    pub fn replace(&self, name: &str, bytes: &[u8], before: Option<&Version>, headers: Headers) -> Result<Replaced> {
        let mode = before.map_or(PutMode::Create, |before| {
            PutMode::Update(UpdateVersion { e_tag: before.etag.clone(), version: before.number.clone() })
        });
        match self.put(name, bytes, mode, headers) {
            Ok(version) => Ok(Replaced::Written(version)),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(Replaced::Changed),
            Err(Error::NotImplemented { .. } | Error::NotSupported { .. }) => Ok(Replaced::Unconditional),
            Err(error) => Err(self.problem(name, &error)),
        }
    }

    /// Removes objects. A missing object is not an error.
    pub fn remove(&self, names: &[String]) -> Result<()> {
        let keys: Vec<_> = names.iter().map(|name| Ok(self.key(name))).collect();
        let removed = self.store.delete_stream(futures_util::stream::iter(keys).boxed());
        let ignored = |result: Result<Key, Error>| match result {
            Ok(_) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        };
        block_on(removed.map(ignored).try_collect::<()>()).map_err(|error| self.problem("", &error))
    }

    fn get(&self, name: &str, options: GetOptions, most: u64) -> Result<(Vec<u8>, Version), Error> {
        block_on(async {
            let got = self.store.get_opts(&self.key(name), options).await?;
            let version = Version { etag: got.meta.e_tag.clone(), number: got.meta.version.clone() };
            if got.meta.size > most {
                return Err(generic(format!("{} bytes are too many", got.meta.size)));
            }
            Ok((got.bytes().await?.to_vec(), version))
        })
    }

    fn put(&self, name: &str, bytes: &[u8], mode: PutMode, headers: Headers) -> Result<Version, Error> {
        let options = PutOptions { mode, attributes: attributes(headers), ..PutOptions::default() };
        let put = block_on(self.store.put_opts(&self.key(name), bytes.to_vec().into(), options))?;
        Ok(Version { etag: put.e_tag, number: put.version })
    }

    fn key(&self, name: &str) -> Key {
        name.split('/').fold(self.prefix.clone(), Key::join)
    }

    fn address(&self, name: &str) -> String {
        format!("{}{name}", self.url)
    }

    /// Returns an error that describes the problem and what to do about it.
    fn problem(&self, name: &str, error: &Error) -> anyhow::Error {
        let cause = cause(error);
        let is_missing = matches!(error, Error::NotFound { .. }) || cause.contains("404 Not Found");
        let advice = match error {
            _ if is_missing => {
                "there is no such bucket or object: check the address, and create the bucket if it does not exist"
            }
            Error::PermissionDenied { .. } => {
                "the credentials in the environment do not permit this: check their rights on the bucket"
            }
            Error::Unauthenticated { .. } => {
                "the credentials in the environment are invalid or have expired: renew them"
            }
            _ if METADATA_HOSTS.iter().any(|host| cause.contains(host)) => {
                "no credentials were found in the environment or on this machine: set them, for example in \
                AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or set AWS_SKIP_SIGNATURE=true for a public bucket"
            }
            _ => "the bucket cannot be reached, or its response is not valid: try again; the published index is intact",
        };
        anyhow!("{}: {advice} ({cause})", self.address(name))
    }
}

/// Returns an error and its causes on one line. For an XML response, it includes only the message.
fn cause(error: &Error) -> String {
    let chain: Vec<String> = anyhow::Chain::new(error).map(ToString::to_string).collect();
    // Most layers repeat the message of the one below.
    let mut said = chain.first().cloned().unwrap_or_default();
    for layer in chain.iter().skip(1) {
        if !said.contains(layer.as_str()) {
            said = format!("{said}: {layer}");
        }
    }
    if let Some((before, answer)) = said.split_once("<?xml") {
        let message = answer.split_once("<Message>").and_then(|(_, rest)| rest.split_once("</Message>"));
        said = format!("{before}{}", message.map_or("", |(message, _)| message));
    }
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn attributes(headers: Headers) -> Attributes {
    Attributes::from_iter([
        (Attribute::ContentType, headers.content_type),
        (Attribute::CacheControl, headers.cache_control),
    ])
}

/// Returns the error that a writer has wrapped as an I/O error.
fn of_writer(error: std::io::Error) -> Error {
    let text = error.to_string();
    let inner = error.into_inner().and_then(|inner| inner.downcast::<Error>().ok());
    inner.map_or_else(|| generic(text), |inner| *inner)
}

fn generic(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Generic { store: "bucket", source: source.into() }
}

/// Runs a future on the runtime for buckets.
fn block_on<T>(future: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match &*RUNTIME {
        Ok(runtime) => runtime.block_on(future),
        Err(error) => Err(generic(format!("connections cannot be driven: {error}"))),
    }
}
