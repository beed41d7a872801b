//! Sends pictures to a service for OCR.

use super::client::{Client, Patience};
use super::key::Key;
use super::picture_error::PictureError;
use super::server_settings::base_url;
use anyhow::{Context as _, Result, anyhow};
use serde_json::{Map, Value};
use std::time::Duration;
use url::Url;

/// Number of retries.
const RETRIES: usize = 3;

/// A service for OCR. It gets the file of a picture in the body of a POST request and answers with its text.
#[derive(Debug)]
pub struct OcrService {
    client: Client,
    url: Url,
    timeout: Duration,
}

impl OcrService {
    /// Creates a client for the service at `url`, with the key from the environment variable `key_variable`, if there is
    /// one. Sends no request.
    pub fn new(url: &str, key_variable: Option<&str>, timeout: Duration) -> Result<Self> {
        let mut address = base_url(url).context("`url` in [ocr]")?;
        if !url.trim_end().ends_with('/') {
            let path = address.path().trim_end_matches('/').to_owned();
            address.set_path(&path);
        }
        let key = key_variable.map(|name| Key::of_environment(Some(name), &[])).transpose()?.flatten();
        Ok(Self { client: Client::new(key)?, url: address, timeout })
    }

    /// Returns its address.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the text of a picture, which is a file of `media_type`: the answer in UTF-8, or the property `text` if the
    /// answer is a JSON object.
    pub fn read(
        &self,
        media_type: &str,
        picture: &[u8],
        check: &dyn Fn() -> Result<()>,
    ) -> Result<String, PictureError> {
        let patience = Patience { retries: RETRIES, timeout: self.timeout };
        let answer = self.client.post_bytes(&self.url, media_type, picture, patience, check)?;
        if let Ok(answer) = serde_json::from_slice::<Map<String, Value>>(&answer) {
            return match answer.get("text") {
                Some(Value::String(text)) => Ok(text.clone()),
                Some(Value::Null) => Ok(String::new()),
                _ => Err(PictureError::Service(anyhow!("{}: the answer is JSON without a `text`", self.url))),
            };
        }
        let not_text =
            || PictureError::Service(anyhow!("{}: the response is not UTF-8 text; check `url` in [ocr]", self.url));
        String::from_utf8(answer).map_err(|_| not_text())
    }
}
