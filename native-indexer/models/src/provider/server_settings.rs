//! Settings that the tables of all providers have: the address, the number of requests at a time, and the time to wait.

use anyhow::{Context as _, Result, ensure};
use std::time::Duration;
use url::Url;

/// Default number of concurrent requests.
const REQUESTS: u32 = 4;

/// Returns the number of concurrent requests, limited to what a server can handle.
pub(super) fn requests(wanted: Option<u32>) -> usize {
    wanted.unwrap_or(REQUESTS).clamp(1, 64) as usize
}

/// Returns the longest wait for an answer: the configured seconds, or else `usual`.
pub(super) fn timeout(wanted: Option<u32>, usual: u32) -> Duration {
    Duration::from_secs(wanted.unwrap_or(usual).max(1).into())
}

/// Checks an address that paths are appended to.
pub(super) fn base_url(text: &str) -> Result<Url> {
    let mut url = Url::parse(text).with_context(|| format!("base_url {text:?} is not a valid address"))?;
    ensure!(
        matches!(url.scheme(), "http" | "https") && url.has_host(),
        "base_url {text:?}: use an address that begins with http:// or https://"
    );
    ensure!(
        url.username().is_empty() && url.password().is_none(),
        "base_url contains a user name or a password: put the key into an environment variable (see key_variable)"
    );
    let path = format!("{}/", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}
