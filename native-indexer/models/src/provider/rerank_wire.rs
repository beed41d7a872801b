//! Requests to reranking servers and their responses, by protocol.

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::{Value, json};

/// Form of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RerankWire {
    /// `{model, query, documents, top_n}`.
    Cohere,
    /// `{query, texts}`.
    Tei,
}

/// Score of a document, by its number in the request.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(super) struct Scored {
    pub(super) index: usize,
    #[serde(alias = "relevance_score")]
    pub(super) score: f64,
}

impl RerankWire {
    /// Returns the other form.
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Cohere => Self::Tei,
            Self::Tei => Self::Cohere,
        }
    }

    /// Returns the body of a request for the scores of `documents`.
    pub(super) fn request(self, model: Option<&str>, query: &str, documents: &[&str]) -> Value {
        match self {
            Self::Cohere => {
                json!({"model": model, "query": query, "documents": documents, "top_n": documents.len()})
            }
            Self::Tei => {
                let mut body = json!({"query": query, "texts": documents, "truncate": true});
                if let Some(model) = model {
                    body["model"] = model.into();
                }
                body
            }
        }
    }

    /// Recognizes the protocol by the names in a response. Returns `None` if they are not distinctive.
    pub(super) fn of_answer(answer: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(answer).ok()?;
        let first = entries(&value)?.first()?;
        let has = |name: &str| first.get(name).is_some();
        match (has("relevance_score"), has("score")) {
            (true, _) => Some(Self::Cohere),
            (false, true) => Some(Self::Tei),
            (false, false) => None,
        }
    }
}

/// Returns the scores in a response, which are at the top level, in `results` or in `data`.
pub(super) fn scores(answer: &[u8]) -> Result<Vec<Scored>> {
    let value: Value = serde_json::from_slice(answer).context("Invalid rerank response: it is not JSON")?;
    let entries = entries(&value).context("Invalid rerank response: it has no `results`")?;
    let read =
        |entry: &Value| Scored::deserialize(entry).context("Invalid rerank response: an entry without index or score");
    entries.iter().map(read).collect()
}

fn entries(value: &Value) -> Option<&Vec<Value>> {
    value.as_array().or_else(|| value.get("results")?.as_array()).or_else(|| value.get("data")?.as_array())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_bare_and_wrapped_and_tell_who_speaks() {
        let expected = [Scored { index: 1, score: 0.9 }, Scored { index: 0, score: 0.1 }];
        for (answer, wire) in [
            (
                r#"{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}]}"#,
                RerankWire::Cohere,
            ),
            (r#"{"data":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}]}"#, RerankWire::Cohere),
            (r#"[{"index":1,"score":0.9},{"index":0,"score":0.1,"text":null}]"#, RerankWire::Tei),
            (r#"{"results":[{"index":1,"score":0.9},{"index":0,"score":0.1}]}"#, RerankWire::Tei),
        ] {
            assert_eq!(scores(answer.as_bytes()).unwrap(), expected, "{answer}");
            assert_eq!(RerankWire::of_answer(answer.as_bytes()), Some(wire), "{answer}");
        }
        for answer in ["{}", "[{}]", "<html>", r#"{"results":3}"#, r#"[{"index":-1,"score":1}]"#, r#"[{"index":0}]"#] {
            let error = format!("{:#}", scores(answer.as_bytes()).unwrap_err());
            assert!(error.starts_with("Invalid rerank response"), "{answer}: {error}");
        }
    }
}
