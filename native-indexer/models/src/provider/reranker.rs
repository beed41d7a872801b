//! Lets a server score how well documents answer a question.

use super::batches;
use super::client::{CallError, Client, Patience};
use super::rerank_wire::{RerankWire, Scored, scores};
use super::{EmbeddingSettings, RerankKind, RerankSettings};
use crate::reranker::{Relevance, Reranker};
use anyhow::{Context as _, Result, ensure};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use url::Url;

/// Number of retries. It is small, because the reader is waiting.
const RETRIES: usize = 1;
/// Number of concurrent requests.
const REQUESTS: usize = 4;

/// A server that reranks.
#[derive(Debug)]
pub struct RemoteReranker {
    client: Client,
    url: Url,
    settings: RerankSettings,
    /// Form of the server's requests, once known.
    wire: Mutex<Option<RerankWire>>,
}

impl RemoteReranker {
    /// Creates a client for the server that `settings` describe, with the key from the environment. The server's
    /// address may be relative to the address for embeddings. Sends no request.
    pub fn new(settings: RerankSettings, of_embedding: Option<&EmbeddingSettings>) -> Result<Self> {
        let url = settings.address(of_embedding)?;
        let key = settings.key(&url, of_embedding)?;
        let wire = match settings.provider {
            RerankKind::Cohere => Some(RerankWire::Cohere),
            RerankKind::Tei => Some(RerankWire::Tei),
            RerankKind::Auto | RerankKind::Local => None,
        };
        ensure!(
            wire != Some(RerankWire::Cohere) || settings.model.is_some(),
            "[rerank] has no model: Cohere's protocol needs one"
        );
        Ok(Self { client: Client::new(key)?, url, settings, wire: Mutex::new(wire) })
    }

    /// Requests the scores of a batch in the form that the server accepts. While the form is unknown, one request at a
    /// time detects it: from the response or, if the server refuses the request, by trying the other form.
    fn ask(&self, query: &str, documents: &[&str]) -> Result<Vec<Scored>, CallError> {
        let patience = Patience { retries: RETRIES, timeout: self.settings.timeout() };
        let model = self.settings.model.as_deref();
        let post = |wire: RerankWire| {
            self.client.post(&self.url, &wire.request(model, query, documents), patience, &|| Ok(()))
        };
        let read = |answer: &[u8]| scores(answer).with_context(|| self.url.to_string()).map_err(CallError::Failed);
        let mut known = self.wire.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(wire) = *known {
            drop(known);
            return read(&post(wire)?);
        }
        let likely = if model.is_some() { RerankWire::Cohere } else { RerankWire::Tei };
        let answer = match post(likely) {
            Err(CallError::Refused(_) | CallError::Unavailable(_)) => post(likely.other())?,
            answered => answered?,
        };
        *known = RerankWire::of_answer(&answer);
        read(&answer)
    }
}

impl Reranker for RemoteReranker {
    fn relevance(&self, query: &str, documents: &[&str]) -> Result<Relevance> {
        let most = self.settings.batch_texts();
        let starts = (0..documents.len()).step_by(most);
        let all = starts.map(|start| start..(start + most).min(documents.len())).collect();
        let relevance = Mutex::new(Relevance { scores: vec![None; documents.len()], warnings: Vec::new() });
        batches::send(all, most, REQUESTS, |batch| {
            let scored = self.ask(query, &documents[batch.clone()])?;
            relevance.lock().unwrap_or_else(PoisonError::into_inner).take(&batch, scored);
            Ok(())
        })?;
        Ok(relevance.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Relevance {
    /// Stores the scores for the documents in `batch`, and ignores scores for other documents.
    fn take(&mut self, batch: &Range<usize>, scored: Vec<Scored>) {
        for Scored { index, score } in scored {
            if index >= batch.len() {
                self.warnings.push(format!("the reranker scored document {index}, but got only {}", batch.len()));
                continue;
            }
            let place = &mut self.scores[batch.start + index];
            *place = place.or_else(|| Some(score as f32).filter(|score| score.is_finite()));
        }
    }
}
