//! Sources to documents, chunks and their vectors.

use super::embed_all::{Role, embed_all};
use super::embedding_cache::EmbeddingCache;
use super::versions::mark_versions;
use crate::chunk::{Chunk, chunk};
use crate::progress::Progress;
use crate::source::{self, SourceDocument, SourceKind, SourceSpec};
use anyhow::{Result, bail};
use nearfind_core::bundle::{BundleChunk, BundleDocument};
use nearfind_core::embed::Encoder;
use nearfind_core::records::DocumentRecord;
use std::time::Instant;

/// Share of the model's tokens that title and headings may take in front of a chunk.
const CONTEXT_SHARE: usize = 4;

/// Everything that was read, in canonical order.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// A row for each source.
    pub projects: Vec<ProjectReport>,
    /// Documents with their chunks, by project.
    pub documents: Vec<BundleDocument>,
    /// A vector for each chunk, row-major, of unit length.
    pub vectors: Vec<f32>,
}

/// What one project gave.
#[derive(Clone, Debug)]
pub struct ProjectReport {
    /// Project name.
    pub name: String,
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Seconds spent reading and extracting.
    pub read_seconds: f64,
    /// Seconds spent chunking.
    pub chunk_seconds: f64,
    /// Seconds spent embedding.
    pub embed_seconds: f64,
    /// Files left out, with the reason.
    pub warnings: Vec<String>,
}

/// Reads, chunks and embeds `sources`, each a project; chunks have at most `chunk_tokens`, and no more than the model reads. That there is nothing in any of them is an error.
pub fn read_corpus(
    sources: &[SourceSpec],
    encoder: &Encoder,
    chunk_tokens: Option<u32>,
    cache: &mut EmbeddingCache,
    progress: Progress,
) -> Result<Corpus> {
    let most = encoder.header().max_tokens;
    // Start, end and what the model wants before a passage are in every text.
    let frame = 2 + encoder.tokenizer().count(&encoder.header().passage_prefix);
    let budget = (chunk_tokens.map_or(most, |tokens| tokens.min(most)) as usize).saturating_sub(frame).max(1);
    let mut documents = Vec::new();
    let mut vectors = Vec::new();
    let mut projects = Vec::new();
    for (number, spec) in sources.iter().enumerate() {
        let started = Instant::now();
        let content = source::read(spec, sources.len() > 1)?;
        progress.note(&format!("{}: {} documents read", spec.name, content.documents.len()));
        let read_seconds = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let mut texts = Vec::new();
        let first = documents.len();
        for document in content.documents {
            documents.push(prepare(encoder, spec, number as u32, budget, document, &mut texts));
        }
        let chunk_seconds = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let bar = progress.bar(&format!("{}: embedding", spec.name), texts.len() as u64);
        vectors.extend(embed_all(encoder, Role::Passage, &texts, cache, &bar)?);
        bar.finish();
        projects.push(ProjectReport {
            name: spec.name.clone(),
            documents: documents.len() - first,
            chunks: texts.len(),
            read_seconds,
            chunk_seconds,
            embed_seconds: started.elapsed().as_secs_f64(),
            warnings: content.warnings,
        });
    }
    if documents.is_empty() {
        let reasons: Vec<String> = projects.into_iter().flat_map(|project| project.warnings).collect();
        bail!("there is nothing to index: {}", reasons.join("; "));
    }
    let names: Vec<String> = sources.iter().map(|spec| spec.name.clone()).collect();
    mark_versions(&mut documents, &names);
    Ok(Corpus { projects, documents, vectors })
}

/// Chunks a document and appends the texts to embed, a context in front of each.
fn prepare(
    encoder: &Encoder,
    spec: &SourceSpec,
    project: u32,
    max_tokens: usize,
    document: SourceDocument,
    texts: &mut Vec<String>,
) -> BundleDocument {
    let SourceDocument { path, id, url, extracted, aliases } = document;
    let count = |text: &str| encoder.tokenizer().count(text);
    // Chunking needs one budget before it knows the headings of each chunk: the widest context counts.
    let widest = extracted.headings.iter().map(|heading| count(&heading.title)).max().unwrap_or(0) * 2;
    let reserved = (count(&extracted.title) + count(&spec.name) + widest).min(max_tokens / CONTEXT_SHARE);
    let chunks = chunk(&extracted, max_tokens - reserved, &count);
    let mut bundle_chunks = Vec::new();
    for Chunk { range, sections } in chunks {
        let section = sections.first().map_or("", |section| section.title.as_str());
        let context = [extracted.title.as_str(), section].join("\n").trim().to_owned();
        // The name of a benchmark corpus says nothing of its documents.
        let project = if spec.kind == SourceKind::Folder { spec.name.as_str() } else { "" };
        let in_front = first_tokens(&format!("{project}\n{context}"), max_tokens / CONTEXT_SHARE, &count);
        texts.push(format!("{}\n\n{}", in_front.trim(), &extracted.text[range.clone()]));
        bundle_chunks.push(BundleChunk { range, sections });
    }
    let record = DocumentRecord {
        project,
        id: id.unwrap_or_else(|| format!("{}/{path}", spec.name)),
        url: url.unwrap_or_default(),
        title: if extracted.title.is_empty() { path.clone() } else { extracted.title },
        path,
        description: extracted.description,
        versions: Vec::new(),
        aliases,
    };
    BundleDocument { record, text: extracted.text, chunks: bundle_chunks, ..BundleDocument::default() }
}

/// The start of `text`, word by word, in at most `limit` tokens.
fn first_tokens(text: &str, limit: usize, count: &dyn Fn(&str) -> usize) -> String {
    if count(text) <= limit {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut tokens = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        tokens += count(word);
        if tokens > limit {
            break;
        }
        kept.push_str(word);
    }
    kept
}
