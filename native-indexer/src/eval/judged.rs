//! Reads queries and judgments in BEIR format.

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A query with its judgments.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedQuery {
    /// Id of the query.
    pub id: String,
    /// Text of the query.
    pub text: String,
    /// Category, or `all` if it has none.
    pub category: String,
    /// Gain of each relevant document, above 0.
    pub relevant: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "_id")]
    id: String,
    text: String,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    category: Option<String>,
}

/// Reads `queries.jsonl`, and a `qrels.tsv` with query id, document id and gain. `qrels.tsv` may begin with a header.
/// Leaves out queries without relevant documents, and fails if no queries remain.
pub fn read_judged(queries: &Path, qrels: &Path) -> Result<Vec<JudgedQuery>> {
    let mut relevant: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    let text = std::fs::read_to_string(qrels).with_context(|| qrels.display().to_string())?;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [query, document, gain] = fields[..] else {
            bail!("{}:{}: expected query id, document id and gain, separated by tabs", qrels.display(), number + 1);
        };
        match gain.trim().parse::<f64>() {
            Ok(gain) if gain > 0.0 => {
                relevant.entry(query.to_owned()).or_default().insert(document.to_owned(), gain);
            }
            Ok(_) => {}
            Err(_) if number == 0 => {}
            Err(_) => bail!("{}:{}: gain {gain:?} is not a number", qrels.display(), number + 1),
        }
    }
    let mut judged = Vec::new();
    let text = std::fs::read_to_string(queries).with_context(|| queries.display().to_string())?;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).with_context(|| format!("{}:{}", queries.display(), number + 1))?;
        if let Some(relevant) = relevant.remove(&line.id) {
            let category = line.metadata.category.unwrap_or_else(|| "all".into());
            judged.push(JudgedQuery { id: line.id, text: line.text, category, relevant });
        }
    }
    ensure!(!judged.is_empty(), "{}: none of its queries has a judgment in {}", queries.display(), qrels.display());
    Ok(judged)
}

/// Returns the number of judged documents in `queries`, and the documents where `is_known` is false, in order.
pub fn unknown_documents(queries: &[JudgedQuery], is_known: impl Fn(&str) -> bool) -> (usize, Vec<&str>) {
    let judged: BTreeSet<&str> = queries.iter().flat_map(|query| query.relevant.keys()).map(String::as_str).collect();
    (judged.len(), judged.into_iter().filter(|id| !is_known(id)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_judged_documents_are_counted_once() {
        let query = |relevant: &[&str]| JudgedQuery {
            id: "q".into(),
            text: "?".into(),
            category: "all".into(),
            relevant: relevant.iter().map(|id| ((*id).to_owned(), 1.0)).collect(),
        };
        let queries = [query(&["docs/a.md", "b.md"]), query(&["b.md"])];
        assert_eq!(unknown_documents(&queries, |id| id.starts_with("docs/")), (2, vec!["b.md"]));
    }
}
