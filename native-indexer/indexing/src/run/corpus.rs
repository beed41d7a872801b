//! Turns documents into chunks and their vectors.

use super::formats::{is_commit, mark_formats};
use super::languages::mark_languages;
use super::titles::tell_apart;
use super::versions::mark_versions;
use crate::chunk::{Chunk, chunk, widest_context};
use crate::page_cache::PageCache;
use crate::source::{SourceContent, SourceDocument, definition};
use anyhow::Result;
use nearfind_base::facets::{KIND, PageKind};
use nearfind_base::progress::Progress;
use nearfind_bundles::bundle_folder::PassedOver;
use nearfind_core::bundle::{BundleChunk, BundleDocument, ENGLISH};
use nearfind_core::embed::{Encoder, KnownPieces};
use nearfind_core::format::Language;
use nearfind_core::records::DocumentRecord;
use nearfind_models::embedding_cache::EmbeddingCache;
use nearfind_models::model::LoadedModel;
use nearfind_models::model::{embed_all, missing};
use nearfind_models::role::Role;
use rayon::prelude::*;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// Share of the model's tokens that title and headings may take in front of a chunk.
const CONTEXT_SHARE: usize = 4;
/// What documents can be sorted by that have a date, if they do not say otherwise.
const DATE_ORDER: &str = "date";

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

/// Documents with their chunks, which have no vectors yet.
#[derive(Clone, Debug)]
pub struct Chunked {
    /// A row for each source.
    pub projects: Vec<ProjectReport>,
    /// Documents with their chunks, by project.
    pub documents: Vec<BundleDocument>,
    /// The rules for their words, see [`BundleOptions::languages`](nearfind_core::bundle::BundleOptions::languages).
    pub languages: Vec<Arc<Language>>,
    /// By project: the texts of its chunks, each with what is in front of it.
    texts: Vec<Vec<String>>,
}

/// What one project gave.
#[derive(Clone, Debug, Serialize)]
pub struct ProjectReport {
    /// Project name.
    pub name: String,
    /// Number of documents.
    pub documents: usize,
    /// How many of them are reference pages.
    pub reference: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Chunks whose vectors were not known.
    pub embedded: usize,
    /// Seconds spent chunking.
    pub chunk_seconds: f64,
    /// Seconds spent embedding.
    pub embed_seconds: f64,
    /// Files left out, with the reason.
    pub warnings: Vec<String>,
    /// Files that are no pages of the documentation, counted by reason.
    pub passed_over: PassedOver,
}

/// How to chunk.
struct Chunking<'a> {
    encoder: &'a Encoder,
    /// Most tokens of a chunk with the context in front of it.
    budget: usize,
    /// Tokens of the chunk before that are embedded with a chunk.
    overlap: usize,
}

/// How large chunks are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkSize {
    /// Tokens, at most; `None` for as many as the model reads.
    pub tokens: Option<u32>,
    /// Tokens of the chunk before that a chunk is embedded with.
    pub overlap: u32,
}

/// The most of what a chunk may have that the end of the one before it takes.
const MAX_OVERLAP_SHARE: usize = 2;
/// Documents that share what is known of their words, at least.
const TOGETHER: usize = 64;

/// A document with the text of each chunk that is embedded: a context, then the chunk.
struct Prepared {
    document: BundleDocument,
    /// The language of its text, if it says.
    language: String,
    texts: Vec<String>,
    /// What the cache does not know yet, with the name of its content and the settings.
    chunked: Option<(String, String, Vec<Chunk>)>,
}

/// Chunks what `sources` gave, each a project; chunks are of `size`, and no larger than the model reads.
pub fn chunk_corpus(sources: Vec<SourceContent>, encoder: &Encoder, size: ChunkSize, pages: &mut PageCache) -> Chunked {
    let most = encoder.header().max_tokens;
    // Start, end and what the model wants before a passage are in every text.
    let frame = encoder.tokenizer().frame() + encoder.tokenizer().count(&encoder.header().passage_prefix);
    let budget = (size.tokens.map_or(most, |tokens| tokens.min(most)) as usize).saturating_sub(frame).max(1);
    let overlap = (size.overlap as usize).min(budget / MAX_OVERLAP_SHARE);
    let chunking = Chunking { encoder, budget, overlap };
    let names: Vec<String> = sources.iter().map(|source| source.project.clone()).collect();
    let mut chunked = Chunked { projects: Vec::new(), documents: Vec::new(), languages: Vec::new(), texts: Vec::new() };
    let mut tags = Vec::new();
    for (number, mut source) in (0..).zip(sources) {
        let started = Instant::now();
        let mut titled = Vec::with_capacity(source.documents.len());
        for document in &mut source.documents {
            titled.push((document.version().map(str::to_owned), &mut document.extracted));
        }
        tell_apart(&mut titled);
        let prepare = |known: &mut _, document| prepare(&chunking, &source.project, number, document, pages, known);
        let documents = source.documents.into_par_iter().with_min_len(TOGETHER);
        let prepared: Vec<Prepared> = documents.map_init(RefCell::default, prepare).collect();
        let first = chunked.documents.len();
        let mut texts = Vec::new();
        for prepared in prepared {
            if let Some((content, settings, chunks)) = prepared.chunked {
                pages.insert_chunks(&content, &settings, &chunks);
            }
            chunked.documents.push(prepared.document);
            tags.push(prepared.language);
            texts.extend(prepared.texts);
        }
        chunked.projects.push(ProjectReport {
            name: source.project,
            documents: chunked.documents.len() - first,
            reference: chunked.documents[first..].iter().filter(|document| is_reference(document)).count(),
            chunks: texts.len(),
            embedded: 0,
            chunk_seconds: started.elapsed().as_secs_f64(),
            embed_seconds: 0.0,
            warnings: source.warnings,
            passed_over: source.passed_over,
        });
        chunked.texts.push(texts);
    }
    mark_versions(&mut chunked.documents, &names);
    chunked.languages = mark_languages(&mut chunked.documents, &tags);
    mark_formats(&mut chunked.documents);
    mark_guides(&mut chunked.documents);
    chunked
}

impl Chunked {
    /// The language of most pages, if it is another than English.
    pub(super) fn foreign_language(&self) -> Option<&str> {
        let pages = self.documents.iter().filter(|document| document.code.is_none());
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        pages.for_each(|page| *counts.entry(page.language.as_str()).or_default() += 1);
        let all: usize = counts.values().sum();
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.filter(|(language, count)| !["", ENGLISH].contains(language) && count * 2 > all)
            .map(|(language, _)| language)
    }

    /// The texts of all chunks, each with what is in front of it.
    pub(super) fn texts(&self) -> Vec<&str> {
        self.texts.iter().flatten().map(String::as_str).collect()
    }

    /// The same by project.
    pub(super) fn texts_of_projects(&self) -> &[Vec<String>] {
        &self.texts
    }

    /// How many chunks have vectors that `vectors_of` does not know.
    pub(super) fn missing(&self, model: &LoadedModel, vectors_of: &EmbeddingCache) -> usize {
        self.texts.par_iter().map(|texts| missing(model, Role::Passage, texts, vectors_of).len()).sum()
    }

    /// Embeds all chunks.
    pub fn embed(self, model: &LoadedModel, vectors_of: &mut EmbeddingCache, progress: Progress) -> Result<Corpus> {
        let Self { mut projects, documents, texts, .. } = self;
        let mut vectors = Vec::new();
        for (project, texts) in projects.iter_mut().zip(texts) {
            let started = Instant::now();
            let bar = progress.bar(&format!("{}: embedding", project.name), texts.len() as u64);
            let (of_project, embedded) = embed_all(model, Role::Passage, &texts, vectors_of, &bar, progress)?;
            bar.finish();
            if vectors.is_empty() {
                vectors = of_project;
            } else {
                vectors.extend(of_project);
            }
            project.embedded = embedded;
            project.embed_seconds = started.elapsed().as_secs_f64();
        }
        Ok(Corpus { projects, documents, vectors })
    }
}

/// Marks as guides what has no kind, where source code or commits have one: then either can be asked for.
fn mark_guides(documents: &mut [BundleDocument]) {
    if documents.iter().any(|document| document.code.is_some() || is_commit(document)) {
        for document in documents {
            let guide = || BTreeSet::from([PageKind::Guide.name().to_owned()]);
            document.facets.entry(KIND.to_owned()).or_insert_with(guide);
        }
    }
}

fn is_reference(document: &BundleDocument) -> bool {
    document.facets.get(KIND).is_some_and(|kinds| kinds.contains(PageKind::Reference.name()))
}

fn prepare(
    chunking: &Chunking<'_>,
    project: &str,
    number: u32,
    document: SourceDocument,
    cache: &PageCache,
    known: &mut RefCell<KnownPieces>,
) -> Prepared {
    let SourceDocument { path, id, url, extracted, aliases, area_at, date, facets, weight, content, code } = document;
    let tokenizer = chunking.encoder.tokenizer();
    let count = |text: &str| tokenizer.pieces_with(text, usize::MAX, &mut known.borrow_mut()).len();
    // The name of a benchmark corpus says nothing of its documents.
    let shown_project = if id.is_none() { project } else { "" };
    let title = &extracted.title;
    let of_text = chunking.budget - chunking.overlap;
    let settings = format!("{} {of_text} {project}\n{title}", chunking.encoder.hash());
    let known = content.as_ref().and_then(|content| cache.chunks(content, &settings));
    let is_known = known.is_some();
    let chunks = known.unwrap_or_else(|| {
        // Chunking needs one budget before it knows the headings of each chunk: the widest context counts.
        let widest = extracted.headings.iter().map(|heading| count(&heading.title)).max().unwrap_or(0) * 2;
        let context = count(&widest_context(&extracted));
        let reserved = (count(title) + count(project) + widest + context).min(of_text / CONTEXT_SHARE);
        chunk(&extracted, of_text - reserved, &count)
    });
    let text_of = |chunk: &Chunk| {
        if code.is_some() {
            // A name means little without its place.
            let in_front = first_tokens(&format!("{path} {title}"), chunking.budget / CONTEXT_SHARE, &count);
            return format!("{}\n\n{}", in_front.trim(), &extracted.text[chunk.range.clone()]);
        }
        let section = chunk.sections.first().map_or("", |section| section.title.as_str());
        let context = [title.as_str(), section, &chunk.context].join("\n").trim().to_owned();
        let context = format!("{shown_project}\n{context}");
        let in_front = first_tokens(&context, chunking.budget / CONTEXT_SHARE, &count);
        let overlap = last_tokens(&extracted.text[..chunk.range.start], chunking.overlap, &count);
        format!("{}\n\n{overlap}{}", in_front.trim(), &extracted.text[chunk.range.clone()])
    };
    let texts = chunks.iter().map(text_of).collect();
    let chunked = content.filter(|_| !is_known).map(|content| (content, settings, chunks.clone()));
    let mut sort = extracted.metadata.sort;
    if let Some(date) = date {
        sort.entry(DATE_ORDER.to_owned()).or_insert_with(|| date.number().to_string());
    }
    let language = extracted.language;
    let definitions = extracted.definitions.iter().map(definition).collect();
    let bundle_chunk =
        |Chunk { range, sections, context }| BundleChunk { range, sections, context, written: String::new() };
    let document = BundleDocument {
        record: DocumentRecord {
            project: number,
            id: id.unwrap_or_else(|| format!("{project}/{path}")),
            url: url.unwrap_or_default(),
            title: if extracted.title.is_empty() { path.clone() } else { extracted.title },
            path,
            description: extracted.description,
            versions: Vec::new(),
            meta: extracted.metadata.shown.into_iter().collect(),
            aliases,
        },
        text: extracted.text,
        language: String::new(),
        chunks: chunks.into_iter().map(bundle_chunk).collect(),
        facets,
        sort,
        weight,
        area_at,
        date,
        latest: None,
        code,
        definitions,
    };
    Prepared { document, language, texts, chunked }
}

/// The end of `text`, word by word, in at most `limit` tokens.
fn last_tokens<'a>(text: &'a str, limit: usize, count: &dyn Fn(&str) -> usize) -> &'a str {
    let mut from = text.len();
    let mut tokens = 0;
    if limit == 0 {
        return "";
    }
    for word in text.split_inclusive(char::is_whitespace).rev() {
        tokens += count(word);
        if tokens > limit {
            break;
        }
        from -= word.len();
    }
    &text[from..]
}

/// The start of `text`, word by word, in at most `limit` tokens.
fn first_tokens(text: &str, limit: usize, count: &dyn Fn(&str) -> usize) -> String {
    // Every token has a byte: short texts need no counting.
    if text.len() <= limit || count(text) <= limit {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_beginnings_are_whole_words() {
        let count = |text: &str| text.split_whitespace().count();
        assert_eq!(last_tokens("one two three ", 2, &count), "two three ");
        assert_eq!(last_tokens("one two", 0, &count), "");
        assert_eq!(last_tokens("one", 5, &count), "one");
        assert_eq!(first_tokens("one two three", 2, &count), "one two ");
    }
}
