//! Read, chunk, embed, link, write.

use super::embedding_cache::EmbeddingCache;
use super::rotation::principal_rotation;
use super::{embed_all::embed_all, hnsw_build::build_graph};
use crate::bundle_folder;
use crate::chunk::{Chunk, chunk};
use crate::distil::{Closeness, Rotated, distil};
use crate::model::{LoadedModel, Prior};
use crate::progress::Progress;
use crate::source::{self, SourceDocument, SourceKind, SourceSpec};
use anyhow::{Result, bail};
use nearfind_core::bundle::{BundleChunk, BundleDocument, BundleVectors, write_bundle};
use nearfind_core::embed::Encoder;
use nearfind_core::embed::model_pack::PACK_EXTENSION;
use nearfind_core::format::manifest::{ModelFile, ModelReference};
use nearfind_core::records::DocumentRecord;
use rayon::prelude::*;
use std::path::PathBuf;
use std::time::Instant;

/// Share of the model's tokens that title and headings may take in front of a chunk.
const CONTEXT_SHARE: usize = 4;

/// What to index, and where to.
#[derive(Debug)]
pub struct IndexOptions {
    /// Sources, each a project.
    pub sources: Vec<SourceSpec>,
    /// Folder of the bundle.
    pub out: PathBuf,
    /// Folder that keeps vectors from one run to the next, if any.
    pub cache: Option<PathBuf>,
    /// Whether the model pack becomes a file of the bundle, so that browsers find it.
    pub ship_model: bool,
    /// Whether a query encoder is distilled, so that readers have meaning without the model.
    pub query_encoder: bool,
    /// Largest size of the files that queries read in part, for servers without range requests; 0 for no limit.
    pub file_limit: u32,
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

/// What an index run gave.
#[derive(Clone, Debug)]
pub struct Report {
    /// A row for each project.
    pub projects: Vec<ProjectReport>,
    /// Texts that the query encoder was fitted on; 0 without one.
    pub encoder_texts: usize,
    /// How close it comes to the model, if it could be judged.
    pub closeness: Option<Closeness>,
    /// Seconds spent on the query encoder.
    pub encoder_seconds: f64,
    /// Seconds spent building the graph.
    pub graph_seconds: f64,
    /// Seconds spent compressing and writing.
    pub write_seconds: f64,
    /// Bytes of all files of the bundle, without a shipped model.
    pub bytes: u64,
}

/// Builds the bundle of `options`.
pub fn index(options: &IndexOptions, model: &LoadedModel, progress: &Progress) -> Result<Report> {
    bundle_folder::check_target(&options.out)?;
    let encoder = &model.encoder;
    let dimensions = encoder.header().dimensions;
    let mut cache = EmbeddingCache::open(options.cache.as_deref(), encoder.hash(), dimensions as usize)?;
    let mut documents = Vec::new();
    let mut vectors = Vec::new();
    let mut projects = Vec::new();
    for (number, spec) in options.sources.iter().enumerate() {
        let started = Instant::now();
        let content = source::read(spec, options.sources.len() > 1)?;
        progress.note(&format!("{}: {} documents read", spec.name, content.documents.len()));
        let read_seconds = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let mut texts = Vec::new();
        let first = documents.len();
        for document in content.documents {
            documents.push(prepare(encoder, spec, number as u32, document, &mut texts));
        }
        let chunk_seconds = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let bar = progress.bar(&format!("{}: embedding", spec.name), texts.len() as u64);
        vectors.extend(embed_all(encoder, &texts, &mut cache, &bar)?);
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
    let started = Instant::now();
    let bar = progress.bar("linking", vectors.len() as u64 / u64::from(dimensions));
    let (graph, graph_entry) = build_graph(&vectors, dimensions as usize, &bar);
    bar.finish();
    let graph_seconds = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let rotation = principal_rotation(&vectors, dimensions as usize);
    let rotated: Vec<f32> =
        vectors.par_chunks(dimensions as usize).flat_map_iter(|vector| rotation.apply(vector)).collect();
    let distilled = if options.query_encoder {
        let prior = Prior::of(model, progress)?;
        Some(distil(
            encoder,
            &prior,
            &documents,
            Rotated { rotation: &rotation, vectors: &rotated },
            &mut cache,
            *progress,
        )?)
    } else {
        None
    };
    let encoder_seconds = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let names: Vec<String> = options.sources.iter().map(|spec| spec.name.clone()).collect();
    let pack = options.ship_model.then(|| model.pack.bytes());
    let reference = ModelReference {
        name: encoder.header().name.clone(),
        hash: encoder.hash().to_owned(),
        file: pack.map(|pack| ModelFile {
            file: format!("model-{}.{PACK_EXTENSION}", &encoder.hash()[..16]),
            bytes: pack.len() as u64,
        }),
    };
    let meaning = BundleVectors {
        rotated: &rotated,
        rotation: &rotation,
        graph: &graph,
        graph_entry,
        encoder: distilled.as_ref().map(|distilled| &distilled.encoder),
    };
    let bundle = write_bundle(&names, &documents, &meaning, reference, options.file_limit);
    bundle_folder::write(&options.out, &bundle, pack)?;
    let bytes = bundle.parts.iter().map(|file| file.bytes.len() as u64).sum();
    Ok(Report {
        projects,
        encoder_texts: distilled.as_ref().map_or(0, |distilled| distilled.texts),
        closeness: distilled.and_then(|distilled| distilled.closeness),
        encoder_seconds,
        graph_seconds,
        write_seconds: started.elapsed().as_secs_f64(),
        bytes,
    })
}

/// Chunks a document and appends the texts to embed, a context in front of each.
fn prepare(
    encoder: &Encoder,
    spec: &SourceSpec,
    project: u32,
    document: SourceDocument,
    texts: &mut Vec<String>,
) -> BundleDocument {
    let SourceDocument { path, id, url, extracted, aliases } = document;
    let max_tokens = encoder.header().max_tokens as usize - 2;
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
        bundle_chunks.push(BundleChunk { range, context, sections });
    }
    let record = DocumentRecord {
        project,
        id: id.unwrap_or_else(|| format!("{}/{path}", spec.name)),
        url: url.unwrap_or_default(),
        title: if extracted.title.is_empty() { path.clone() } else { extracted.title },
        path,
        description: extracted.description,
        aliases,
    };
    BundleDocument { record, text: extracted.text, chunks: bundle_chunks }
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
