//! Divides documents into chunks, and makes vectors of the chunks.

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

/// The context of a chunk, such as title and headings, may use up to this fraction of the chunk's tokens: one in
/// `CONTEXT_SHARE`.
const CONTEXT_SHARE: usize = 4;
/// The name of the order by date. Documents with a date get this property, unless they define its value themselves.
const DATE_ORDER: &str = "date";

/// All documents, chunks and vectors, in canonical order.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// A report for each source.
    pub projects: Vec<ProjectReport>,
    /// Documents with their chunks, sorted by project.
    pub documents: Vec<BundleDocument>,
    /// The vectors of all chunks: `[chunks × dimensions]`, row-major, of unit length.
    pub vectors: Vec<f32>,
}

/// Documents with their chunks, which do not have vectors yet.
#[derive(Clone, Debug)]
pub struct Chunked {
    /// A report for each source.
    pub projects: Vec<ProjectReport>,
    /// Documents with their chunks, sorted by project.
    pub documents: Vec<BundleDocument>,
    /// The rules for the words of each language: see
    /// [`BundleOptions::languages`](nearfind_core::bundle::BundleOptions::languages).
    pub languages: Vec<Arc<Language>>,
    /// For each project, the text of each chunk, preceded by its context.
    texts: Vec<Vec<String>>,
}

/// The result for one project.
#[derive(Clone, Debug, Serialize)]
pub struct ProjectReport {
    /// Name of the project.
    pub name: String,
    /// Number of documents.
    pub documents: usize,
    /// Number of reference pages among the documents.
    pub reference: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of chunks that were embedded, because their vectors were not known.
    pub embedded: usize,
    /// Seconds spent chunking.
    pub chunk_seconds: f64,
    /// Seconds spent embedding.
    pub embed_seconds: f64,
    /// Problems with files, such as why a file was left out.
    pub warnings: Vec<String>,
    /// Number of files that are not documentation pages, by reason.
    pub passed_over: PassedOver,
}

/// Settings for chunking.
struct Chunking<'a> {
    encoder: &'a Encoder,
    /// Maximum number of tokens in a chunk, including its context.
    budget: usize,
    /// Number of tokens from the previous chunk that are embedded together with a chunk.
    overlap: usize,
}

/// The size of chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkSize {
    /// Maximum number of tokens, or `None` for as many as the model reads.
    pub tokens: Option<u32>,
    /// Number of tokens from the previous chunk that are embedded together with a chunk.
    pub overlap: u32,
}

/// The overlap may use up to this fraction of a chunk's tokens: one in `MAX_OVERLAP_SHARE`.
const MAX_OVERLAP_SHARE: usize = 2;
/// Minimum number of documents in a task. The documents in a task share the word pieces that they have met.
const TOGETHER: usize = 64;

/// A document and, for each chunk, the text that is embedded: the context, and then the chunk.
struct Prepared {
    document: BundleDocument,
    /// The language tag that the document declares. Empty if it declares none.
    language: String,
    texts: Vec<String>,
    /// The record that is missing from the cache: the name of the content, the settings, and the chunks.
    chunked: Option<(String, String, Vec<Chunk>)>,
}

/// Divides the documents of `sources` into chunks of at most `size`, and never more than the model reads. Each source
/// is a project.
pub fn chunk_corpus(sources: Vec<SourceContent>, encoder: &Encoder, size: ChunkSize, pages: &mut PageCache) -> Chunked {
    let most = encoder.header().max_tokens;
    // Every text also contains the tokens at its start and end, and the prefix that the model expects before passages.
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
    /// Returns the language of more than half of the pages, if it is not English.
    pub(super) fn foreign_language(&self) -> Option<&str> {
        let pages = self.documents.iter().filter(|document| document.code.is_none());
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        pages.for_each(|page| *counts.entry(page.language.as_str()).or_default() += 1);
        let all: usize = counts.values().sum();
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.filter(|(language, count)| !["", ENGLISH].contains(language) && count * 2 > all)
            .map(|(language, _)| language)
    }

    /// Returns the texts of all chunks, each preceded by its context.
    pub(super) fn texts(&self) -> Vec<&str> {
        self.texts.iter().flatten().map(String::as_str).collect()
    }

    /// Returns the texts of all chunks by project, each preceded by its context.
    pub(super) fn texts_of_projects(&self) -> &[Vec<String>] {
        &self.texts
    }

    /// Returns the number of chunks without a vector in `vectors_of`.
    pub(super) fn missing(&self, model: &LoadedModel, vectors_of: &EmbeddingCache) -> usize {
        self.texts.par_iter().map(|texts| missing(model, Role::Passage, texts, vectors_of).len()).sum()
    }

    /// Embeds all chunks. Reuses the vectors in `vectors_of`, and adds the new ones.
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

/// Marks documents without a kind as guides if there is source code or a commit, which both have a kind. Then readers
/// can ask for each kind.
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
    // The name of a benchmark corpus says nothing about its documents.
    let shown_project = if id.is_none() { project } else { "" };
    let title = &extracted.title;
    let of_text = chunking.budget - chunking.overlap;
    let settings = format!("{} {of_text} {project}\n{title}", chunking.encoder.hash());
    let known = content.as_ref().and_then(|content| cache.chunks(content, &settings));
    let is_known = known.is_some();
    let chunks = known.unwrap_or_else(|| {
        // Chunking needs one budget before it knows the headings of each chunk, so the widest context counts.
        let widest = extracted.headings.iter().map(|heading| count(&heading.title)).max().unwrap_or(0) * 2;
        let context = count(&widest_context(&extracted));
        let reserved = (count(title) + count(project) + widest + context).min(of_text / CONTEXT_SHARE);
        chunk(&extracted, of_text - reserved, &count)
    });
    let text_of = |chunk: &Chunk| {
        if code.is_some() {
            // A title means little without its path.
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

/// Returns the end of `text`: as many whole words as fit into `limit` tokens.
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

/// Returns the start of `text`: as many whole words as fit into `limit` tokens.
fn first_tokens(text: &str, limit: usize, count: &dyn Fn(&str) -> usize) -> String {
    // Every token has at least one byte, so short texts need no counting.
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
