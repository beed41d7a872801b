//! Gets vectors from a provider: many texts in few requests, several requests at a time.

use super::EmbeddingSettings;
use super::batches;
use super::client::{CallError, Client, Patience};
use super::embedding_wire::{path, request, vectors};
use super::probe::{PROBE, is_marked};
use crate::role::Role;
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_base::progress::Progress;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Duration;
use url::Url;

/// Maximum time to wait for the vector of a question, and number of retries.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(10);
const QUESTION_RETRIES: usize = 1;
/// Minimum number of bytes per token in natural text.
const TOKEN_BYTES: usize = 2;

/// A server that embeds texts.
#[derive(Debug)]
pub struct EmbeddingProvider {
    settings: EmbeddingSettings,
    client: Client,
    url: Url,
    probed: OnceLock<Vec<f32>>,
}

impl EmbeddingProvider {
    /// Creates the provider that `settings` describe, with the key from the environment. Sends no request.
    pub fn new(settings: EmbeddingSettings) -> Result<Self> {
        let url = settings.base()?.join(path(settings.provider))?;
        Ok(Self { client: Client::new(settings.key()?)?, url, settings, probed: OnceLock::new() })
    }

    /// Returns the provider's settings.
    pub const fn settings(&self) -> &EmbeddingSettings {
        &self.settings
    }

    /// Returns the prefix of cache keys for texts in this role.
    pub fn key_prefix(&self, role: Role) -> Cow<'_, str> {
        let prefix = self.prefix(role);
        // A text that is sent as a question has a different vector, even without a prefix.
        let is_told_apart = role == Role::Query && self.settings.provider.has_roles();
        if is_told_apart { Cow::Owned(format!("query\0{prefix}")) } else { Cow::Borrowed(prefix) }
    }

    fn prefix(&self, role: Role) -> &str {
        match role {
            Role::Query => &self.settings.query_prefix,
            Role::Passage => &self.settings.passage_prefix,
        }
    }

    /// Returns the vector of a constant text. It identifies the model, and has the same number of components as all
    /// other vectors.
    pub fn probe(&self) -> Result<&[f32]> {
        if let Some(known) = self.probed.get() {
            return Ok(known);
        }
        let patience = Patience { retries: self.settings.retries(), timeout: self.settings.timeout() };
        let found = self.ask(Role::Query, &[PROBE.to_owned()], patience, &|| Ok(()))?;
        let vector = found.into_iter().next().context("no vector")?;
        Ok(self.probed.get_or_init(|| vector))
    }

    /// Returns the vector of a question, if the model matches a bundle's number of dimensions and `mark`.
    pub fn question(&self, text: &str, mark: &str, dimensions: usize) -> Result<Vec<f32>> {
        let mut texts = vec![format!("{}{text}", self.settings.query_prefix)];
        // The request for the first question contains the probe too.
        texts.extend(self.probed.get().is_none().then(|| PROBE.to_owned()));
        let patience = Patience {
            retries: self.settings.retries().min(QUESTION_RETRIES),
            timeout: self.settings.timeout().min(QUESTION_TIMEOUT),
        };
        let mut found = self.ask(Role::Query, &texts, patience, &|| Ok(()))?.into_iter();
        let vector = found.next().context("no vector")?;
        if let Some(probe) = found.next() {
            self.probed.get_or_init(|| probe);
        }
        let is_of_bundle = vector.len() == dimensions && self.probed.get().is_some_and(|probe| is_marked(probe, mark));
        ensure!(
            is_of_bundle,
            "the model {} at {} is not the one that the index was made with",
            self.settings.model,
            self.url
        );
        Ok(vector)
    }

    /// Passes the vector and the number of each of `texts` to `each`, in any order. Vectors that were received before
    /// an error are also passed.
    pub fn embed(
        &self,
        role: Role,
        texts: &[&str],
        progress: Progress,
        each: &(dyn Fn(usize, Vec<f32>) + Sync),
    ) -> Result<()> {
        let patience = Patience { retries: self.settings.retries(), timeout: self.settings.timeout() };
        let prefix = self.prefix(role);
        batches::send(self.batches(texts), self.most_texts(), self.settings.requests(), |batch| {
            let together: Vec<String> = texts[batch.clone()].iter().map(|text| format!("{prefix}{text}")).collect();
            let vectors = self.ask(role, &together, patience, &|| progress.check())?;
            batch.zip(vectors).for_each(|(text, vector)| each(text, vector));
            Ok(())
        })
    }

    fn most_texts(&self) -> usize {
        let most = self.settings.provider.most_texts();
        self.settings.batch_texts.map_or(most, |wanted| (wanted as usize).clamp(1, most))
    }

    /// Splits texts into requests that the provider accepts.
    fn batches(&self, texts: &[&str]) -> VecDeque<Range<usize>> {
        let (most_texts, most_bytes) = (self.most_texts(), self.settings.provider.most_tokens() * TOKEN_BYTES);
        let mut batches = VecDeque::new();
        let (mut start, mut bytes) = (0, 0);
        for (number, text) in texts.iter().enumerate() {
            if number > start && (number - start == most_texts || bytes + text.len() > most_bytes) {
                batches.push_back(start..number);
                (start, bytes) = (number, 0);
            }
            bytes += text.len();
        }
        if start < texts.len() {
            batches.push_back(start..texts.len());
        }
        batches
    }

    /// Requests the vectors of `texts`, and scales them to unit length.
    fn ask(
        &self,
        role: Role,
        texts: &[String],
        patience: Patience,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<Vec<f32>>, CallError> {
        let answer = self.client.post(&self.url, &request(&self.settings, role, texts), patience, check)?;
        let sound = || -> Result<Vec<Vec<f32>>> {
            let mut found = vectors(self.settings.provider, &answer, texts.len())?;
            let wanted = self.probed.get().map_or(found[0].len(), Vec::len);
            found.iter_mut().try_for_each(|vector| unit(vector, wanted))?;
            Ok(found)
        };
        sound().with_context(|| self.url.to_string()).map_err(CallError::Failed)
    }
}

/// Scales `vector` to unit length, if it has `wanted` components and can be scaled.
fn unit(vector: &mut [f32], wanted: usize) -> Result<()> {
    ensure!(!vector.is_empty(), "it returns an empty vector");
    if vector.len() != wanted {
        bail!("it returns a vector with {} components among vectors with {wanted}", vector.len());
    }
    ensure!(
        vector.iter().all(|value| value.is_finite()),
        "it returns a vector with a component that is not a finite number"
    );
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt() as f32;
    ensure!(length > 0.0, "it returns a vector of zeros");
    vector.iter_mut().for_each(|value| *value /= length);
    Ok(())
}
