//! Requests texts from a language model.

use super::batches;
use super::chat_wire;
use super::client::{CallError, Client, Patience};
use super::language_settings::{LanguageKind, LanguageSettings};
use super::picture_error::PictureError;
use anyhow::{Context as _, Result, anyhow};
use std::sync::{Mutex, PoisonError};
use url::Url;

/// A server with a language model.
#[derive(Debug)]
pub struct LanguageModel {
    client: Client,
    url: Url,
    settings: LanguageSettings,
}

impl LanguageModel {
    /// Creates a client for the server that `settings` describe, with the key from the environment. Sends no request.
    pub fn new(settings: LanguageSettings) -> Result<Self> {
        let url = settings.base()?.join(settings.provider.path())?;
        let key = settings.key()?;
        let client = match settings.provider {
            LanguageKind::OpenAi | LanguageKind::Ollama => Client::new(key)?,
            LanguageKind::Anthropic => Client::with_key_in(key, "x-api-key")?,
        };
        Ok(Self { client: client.with_headers(settings.provider.headers()), url, settings })
    }

    /// Lets the model perform `task` on each of `materials`, and passes each text to `done`. `check` regularly decides
    /// whether to continue. Stops at the first error.
    pub fn write(
        &self,
        task: &str,
        materials: &[String],
        check: &(dyn Fn() -> Result<()> + Sync),
        done: &(dyn Fn(usize, &str) + Sync),
    ) -> Result<Vec<String>> {
        let texts = Mutex::new(vec![String::new(); materials.len()]);
        let all = (0..materials.len()).map(|place| place..place + 1).collect();
        batches::send(all, 1, self.settings.requests(), |batch| {
            check().map_err(CallError::Failed)?;
            let text = self.ask(task, &materials[batch.start], check)?;
            done(batch.start, &text);
            texts.lock().unwrap_or_else(PoisonError::into_inner)[batch.start] = text;
            Ok(())
        })?;
        Ok(texts.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Has the model perform `task` on a picture, which is a file of `media_type`.
    pub fn view(
        &self,
        task: &str,
        media_type: &str,
        picture: &[u8],
        check: &dyn Fn() -> Result<()>,
    ) -> Result<String, PictureError> {
        let patience = Patience { retries: self.settings.retries(), timeout: self.settings.timeout() };
        let body = self.settings.provider.request_with_picture(&self.settings.model, task, media_type, picture);
        let answer = self.client.post(&self.url, &body, patience, check)?;
        let written =
            chat_wire::written(&answer).with_context(|| self.url.to_string()).map_err(PictureError::Service)?;
        if written.text.trim().is_empty() {
            return Err(PictureError::Refused(anyhow!("the language model returned no answer")));
        }
        if written.is_cut {
            return Err(PictureError::Refused(anyhow!(
                "the answer of the language model was too long and was cut off"
            )));
        }
        Ok(written.text)
    }

    fn ask(&self, task: &str, material: &str, check: &dyn Fn() -> Result<()>) -> Result<String, CallError> {
        let patience = Patience { retries: self.settings.retries(), timeout: self.settings.timeout() };
        let body = self.settings.provider.request(&self.settings.model, task, material);
        let answer = self.client.post(&self.url, &body, patience, check)?;
        chat_wire::text(&answer).with_context(|| self.url.to_string()).map_err(CallError::Failed)
    }
}
