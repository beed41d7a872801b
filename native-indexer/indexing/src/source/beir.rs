//! Reads a BEIR corpus: a file with one JSON object per line, which has an `_id`, a `title` and a `text`.

use super::document::{SourceContent, SourceDocument};
use super::spec::SourceSpec;
use anyhow::{Context as _, Result, ensure};
use nearfind_extract::Extracted;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::BufRead as _;

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

pub(super) fn read(spec: &SourceSpec) -> Result<SourceContent> {
    let name = spec.path.display();
    let file = std::fs::File::open(&spec.path).with_context(|| format!("{name}: cannot be opened"))?;
    let mut content = SourceContent::default();
    let mut ids = BTreeSet::new();
    for (number, line) in std::io::BufReader::new(file).split(b'\n').enumerate() {
        let line = line.with_context(|| format!("{name}: cannot be read"))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let number = number + 1;
        let parsed: Line = match serde_json::from_slice(&line) {
            Ok(parsed) => parsed,
            Err(error) => {
                content.warnings.push(format!("{name}:{number}: left out, not a corpus line: {error}"));
                continue;
            }
        };
        ensure!(ids.insert(parsed.id.clone()), "{name}:{number}: id {:?} appears twice", parsed.id);
        content.documents.push(SourceDocument {
            path: parsed.id.clone(),
            id: Some(parsed.id),
            url: None,
            extracted: Extracted { title: parsed.title, text: parsed.text, ..Extracted::default() },
            aliases: Vec::new(),
            area_at: 0,
            date: None,
            facets: std::collections::BTreeMap::new(),
            weight: 1.0,
            code: None,
            content: None,
        });
    }
    content.documents.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(content)
}
