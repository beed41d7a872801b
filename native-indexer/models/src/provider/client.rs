//! Requests to a provider. A request is retried if that may help, after the delay that the provider asks for. Error
//! messages never contain the key.

use super::key::Key;
use anyhow::{Result, anyhow};
use backon::{BackoffBuilder as _, ExponentialBuilder};
use nearfind_base::http_client;
use serde_json::Value;
use std::io::Read as _;
use std::time::{Duration, SystemTime};
use ureq::Agent;
use ureq::http::{HeaderMap, Response, StatusCode};
use url::Url;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Shortest and longest pause between two attempts.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Longest pause that a server may ask for. If it asks for a longer one, the request fails.
const LONGEST_WANTED: Duration = Duration::from_mins(2);
/// Maximum size in bytes of a valid response body.
const MAX_ANSWER_BYTES: u64 = 256 << 20;
/// Maximum number of bytes to keep from a server's error message.
const MAX_SAID_BYTES: u64 = 64 << 10;
const MAX_SAID_CHARS: usize = 300;
/// How often a pause checks whether the user has stopped the run.
const SLICE: Duration = Duration::from_millis(100);

/// The reason why there is no response.
#[derive(Debug)]
pub(super) enum CallError {
    /// The request is too large for the server. A smaller one may succeed.
    TooLarge(anyhow::Error),
    /// The server does not accept the content of the request.
    Refused(anyhow::Error),
    /// The server does not accept any such request: it does not know the path or the model, or wants payment.
    Unavailable(anyhow::Error),
    /// Any other reason.
    Failed(anyhow::Error),
}

impl From<CallError> for anyhow::Error {
    fn from(error: CallError) -> Self {
        match error {
            CallError::TooLarge(error)
            | CallError::Refused(error)
            | CallError::Unavailable(error)
            | CallError::Failed(error) => error,
        }
    }
}

/// Limits on retries and waiting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Number of retries.
    pub(super) retries: usize,
    /// Maximum time to wait for a response.
    pub(super) timeout: Duration,
}

/// A client of one server.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    key: Option<Key>,
    /// Header that contains the key, or `None` for a bearer token.
    key_header: Option<&'static str>,
    headers: &'static [(&'static str, &'static str)],
}

/// Result of one attempt.
enum Tried {
    Answer(Vec<u8>),
    /// A retry may help, after the pause that the server asks for, if it does.
    Again(anyhow::Error, Option<Duration>),
    Error(CallError),
}

impl Client {
    /// Creates a client that sends `key`, if there is one.
    pub(super) fn new(key: Option<Key>) -> Result<Self> {
        let config = http_client::config_builder()?
            .timeout_connect(Some(CONNECT_TIMEOUT))
            // Texts and key go to the configured address and nowhere else, so redirects are not followed.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build();
        Ok(Self { agent: Agent::new_with_config(config), key, key_header: None, headers: &[] })
    }

    /// Returns a client that sends the key in a separate `header`.
    pub(super) fn with_key_in(key: Option<Key>, header: &'static str) -> Result<Self> {
        Ok(Self { key_header: Some(header), ..Self::new(key)? })
    }

    /// Returns a client that adds these headers to every request.
    pub(super) fn with_headers(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { headers, ..self }
    }

    /// Posts `body` to `url`, and returns the response body. During pauses, `check` decides whether to continue.
    pub(super) fn post(
        &self,
        url: &Url,
        body: &Value,
        patience: Patience,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<u8>, CallError> {
        self.post_bytes(url, "application/json", body.to_string().as_bytes(), patience, check)
    }

    /// Posts a `body` of this media type like [`post`](Self::post).
    pub(super) fn post_bytes(
        &self,
        url: &Url,
        media_type: &str,
        body: &[u8],
        patience: Patience,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<u8>, CallError> {
        let mut pauses = ExponentialBuilder::new()
            .with_min_delay(FIRST_PAUSE)
            .with_max_delay(LONGEST_PAUSE)
            .with_max_times(patience.retries)
            .with_jitter()
            .build();
        loop {
            match self.tried(url, media_type, body, patience.timeout) {
                Tried::Answer(answer) => return Ok(answer),
                Tried::Error(error) => return Err(error),
                Tried::Again(error, wanted) => {
                    let Some(pause) = pauses.next() else { return Err(CallError::Failed(error)) };
                    let pause = wanted.map_or(pause, |wanted| wanted.max(pause));
                    if pause > LONGEST_WANTED {
                        let later = format!("{error:#}; it asks for a pause of {} s", pause.as_secs());
                        return Err(CallError::Failed(anyhow!(later)));
                    }
                    sleep(pause, check).map_err(CallError::Failed)?;
                }
            }
        }
    }

    fn tried(&self, url: &Url, media_type: &str, body: &[u8], timeout: Duration) -> Tried {
        let mut request = self.agent.post(url.as_str()).header("Content-Type", media_type);
        for (name, value) in self.headers {
            request = request.header(*name, *value);
        }
        if let Some(key) = &self.key {
            request = match self.key_header {
                Some(header) => request.header(header, key.value()),
                None => request.header("Authorization", key.bearer()),
            };
        }
        let sent = request.config().timeout_global(Some(timeout)).build().send(body);
        let mut response = match sent {
            Ok(response) => response,
            Err(error) => return Tried::Again(self.error(url, &error.to_string()), None),
        };
        let status = response.status();
        if status.is_success() {
            let reader = response.body_mut().with_config().limit(MAX_ANSWER_BYTES);
            return match reader.read_to_vec() {
                Ok(answer) => Tried::Answer(answer),
                Err(ureq::Error::BodyExceedsLimit(_)) => {
                    let error = self.error(url, "the response is larger than 256 MB: check provider and base_url");
                    Tried::Error(CallError::Failed(error))
                }
                Err(error) => Tried::Again(self.error(url, &error.to_string()), None),
            };
        }
        let said = said(&mut response);
        let error = self.error(url, &format!("{status}{}{said}", if said.is_empty() { "" } else { ": " }));
        match status {
            StatusCode::PAYLOAD_TOO_LARGE => Tried::Error(CallError::TooLarge(error)),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let hint = if self.key.is_some() { "check the key" } else { "it needs a key: see key_variable" };
                Tried::Error(CallError::Failed(anyhow!("{error}; {hint}")))
            }
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
                Tried::Again(error, wanted_pause(response.headers()))
            }
            _ if status.is_server_error() => Tried::Again(error, wanted_pause(response.headers())),
            _ if status.is_redirection() => Tried::Error(CallError::Failed(anyhow!(
                "{error}; redirects are not followed: set base_url to the new address"
            ))),
            StatusCode::BAD_REQUEST | StatusCode::UNSUPPORTED_MEDIA_TYPE | StatusCode::UNPROCESSABLE_ENTITY => {
                Tried::Error(CallError::Refused(error))
            }
            _ => Tried::Error(CallError::Unavailable(error)),
        }
    }

    /// Returns an error message on one line, without the key.
    fn error(&self, url: &Url, said: &str) -> anyhow::Error {
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = self.key.as_ref().map_or_else(|| said.clone(), |key| key.hidden_in(&said));
        let short: String = said.chars().take(MAX_SAID_CHARS).collect();
        anyhow!("{url}: {short}")
    }
}

/// Returns the server's error message: the message in its JSON, or else its text.
fn said(response: &mut Response<ureq::Body>) -> String {
    let mut bytes = Vec::new();
    // An unreadable body has no message.
    let _ = response.body_mut().as_reader().take(MAX_SAID_BYTES).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return text.into_owned() };
    let messages = [&value["error"]["message"], &value["message"], &value["detail"], &value["error"]];
    messages.iter().find_map(|message| message.as_str()).map_or_else(|| text.clone().into_owned(), str::to_owned)
}

/// Returns the pause in a `Retry-After` header, which contains seconds or a date.
fn wanted_pause(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get("retry-after")?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

fn sleep(pause: Duration, check: &dyn Fn() -> Result<()>) -> Result<()> {
    let mut left = pause;
    while !left.is_zero() {
        check()?;
        let slice = left.min(SLICE);
        std::thread::sleep(slice);
        left -= slice;
    }
    check()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_when_to_come_again_in_seconds_or_by_a_date() {
        let of = |value: &str| {
            let headers = HeaderMap::from_iter([("retry-after".parse().unwrap(), value.parse().unwrap())]);
            wanted_pause(&headers)
        };
        assert_eq!(of("3"), Some(Duration::from_secs(3)));
        assert_eq!(of("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(of("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        let later = httpdate::fmt_http_date(SystemTime::now() + Duration::from_mins(1));
        assert!(of(&later).unwrap() > Duration::from_secs(50));
        assert_eq!([of("-1"), of("soon"), of("1e300")], [None, None, None]);
    }
}
