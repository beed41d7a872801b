//! Queries and judgments in the form of BEIR.

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A query with its judgments.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedQuery {
    /// Id of the query.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Category; `all` if it has none.
    pub category: String,
    /// Gain of each relevant document; every gain is above 0.
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

/// Reads `queries.jsonl` and a `qrels.tsv` of query id, document id and gain. Queries without judgment are left out.
pub fn read_judged(queries: &Path, qrels: &Path) -> Result<Vec<JudgedQuery>> {
    let mut relevant: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    let text = std::fs::read_to_string(qrels).with_context(|| qrels.display().to_string())?;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [query, document, gain] = fields[..] else {
            bail!("{}:{}: a line is query id, document id and gain, separated by tabs", qrels.display(), number + 1);
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
    ensure!(!judged.is_empty(), "{}: none of its queries is judged in {}", queries.display(), qrels.display());
    Ok(judged)
}
