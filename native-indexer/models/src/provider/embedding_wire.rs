//! Requests to embedding servers and their responses, by protocol.

use super::{EmbeddingKind, EmbeddingSettings};
use crate::role::Role;
use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// `{"data": [{"index": 0, "embedding": […]}]}`: OpenAI and Voyage.
#[derive(Deserialize)]
struct Indexed {
    data: Vec<IndexedVector>,
}

#[derive(Deserialize)]
struct IndexedVector {
    index: usize,
    embedding: Vec<f32>,
}

/// `{"embeddings": [[…]]}`: Ollama.
#[derive(Deserialize)]
struct Named {
    embeddings: Vec<Vec<f32>>,
}

/// `{"embeddings": {"float": [[…]]}}`: Cohere.
#[derive(Deserialize)]
struct ByType {
    embeddings: Floats,
}

#[derive(Deserialize)]
struct Floats {
    float: Vec<Vec<f32>>,
}

/// Returns the path relative to the base address.
pub(super) const fn path(kind: EmbeddingKind) -> &'static str {
    match kind {
        EmbeddingKind::OpenAi | EmbeddingKind::Voyage => "embeddings",
        EmbeddingKind::Tei => "embed",
        EmbeddingKind::Ollama => "api/embed",
        EmbeddingKind::Cohere => "v2/embed",
    }
}

/// Returns the body of a request for the vectors of `texts`.
pub(super) fn request(settings: &EmbeddingSettings, role: Role, texts: &[String]) -> Value {
    let model = &settings.model;
    let is_query = role == Role::Query;
    let (mut body, dimensions) = match settings.provider {
        EmbeddingKind::OpenAi => (json!({"model": model, "input": texts, "encoding_format": "float"}), "dimensions"),
        EmbeddingKind::Tei => (json!({"inputs": texts, "normalize": true, "truncate": true}), "dimensions"),
        EmbeddingKind::Ollama => (json!({"model": model, "input": texts, "truncate": true}), "dimensions"),
        EmbeddingKind::Cohere => {
            let kind = if is_query { "search_query" } else { "search_document" };
            let body = json!({"model": model, "texts": texts, "input_type": kind, "embedding_types": ["float"], "truncate": "END"});
            (body, "output_dimension")
        }
        EmbeddingKind::Voyage => {
            let kind = if is_query { "query" } else { "document" };
            (json!({"model": model, "input": texts, "input_type": kind, "truncation": true}), "output_dimension")
        }
    };
    if let Some(wanted) = settings.dimensions {
        body[dimensions] = wanted.into();
    }
    body
}

/// Returns the vectors in a response for `count` texts, in the order of the texts.
pub(super) fn vectors(kind: EmbeddingKind, answer: &[u8], count: usize) -> Result<Vec<Vec<f32>>> {
    let vectors = match kind {
        EmbeddingKind::OpenAi | EmbeddingKind::Voyage => in_order(parsed::<Indexed>(answer)?.data, count)?,
        EmbeddingKind::Tei => parsed::<Vec<Vec<f32>>>(answer)?,
        EmbeddingKind::Ollama => parsed::<Named>(answer)?.embeddings,
        EmbeddingKind::Cohere => parsed::<ByType>(answer)?.embeddings.float,
    };
    ensure!(vectors.len() == count, "it returns {} vectors for {count} texts", vectors.len());
    Ok(vectors)
}

fn parsed<T: DeserializeOwned>(answer: &[u8]) -> Result<T> {
    serde_json::from_slice(answer).context("its response does not follow its protocol: check provider and base_url")
}

/// Sorts vectors by their indices. Each index must occur once.
fn in_order(data: Vec<IndexedVector>, count: usize) -> Result<Vec<Vec<f32>>> {
    ensure!(data.len() == count, "it returns {} vectors for {count} texts", data.len());
    let mut vectors = vec![Vec::new(); count];
    for IndexedVector { index, embedding } in data {
        let place = vectors.get_mut(index).with_context(|| format!("it lists text {index} of {count}"))?;
        ensure!(place.is_empty(), "it lists text {index} twice");
        *place = embedding;
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_read_as_each_protocol_gives_them_in_the_order_of_the_texts() {
        let expected = vec![vec![1.0, 0.0], vec![0.5, 0.5]];
        let indexed =
            r#"{"object":"list","data":[{"index":1,"embedding":[0.5,0.5]},{"index":0,"embedding":[1,0]}],"usage":{}}"#;
        for (kind, answer) in [
            (EmbeddingKind::OpenAi, indexed),
            (EmbeddingKind::Voyage, indexed),
            (EmbeddingKind::Tei, "[[1,0],[0.5,0.5]]"),
            (EmbeddingKind::Ollama, r#"{"model":"m","embeddings":[[1,0],[0.5,0.5]],"total_duration":1}"#),
            (EmbeddingKind::Cohere, r#"{"id":"x","embeddings":{"float":[[1,0],[0.5,0.5]]},"texts":[]}"#),
        ] {
            assert_eq!(vectors(kind, answer.as_bytes(), 2).unwrap(), expected, "{kind:?}");
            let short = vectors(kind, answer.as_bytes(), 3).unwrap_err();
            assert!(format!("{short:#}").contains("2 vectors for 3 texts"), "{short:#}");
            assert!(vectors(kind, b"<html>", 2).is_err());
        }
    }

    #[test]
    fn indices_that_lie_are_refused() {
        for (data, expected) in [
            (r#"[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]"#, "twice"),
            (r#"[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]"#, "it lists text 2 of 2"),
        ] {
            let error = vectors(EmbeddingKind::OpenAi, format!(r#"{{"data":{data}}}"#).as_bytes(), 2).unwrap_err();
            assert!(format!("{error:#}").contains(expected), "{error:#}");
        }
    }
}
