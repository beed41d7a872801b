//! From sources to a bundle in a folder: read and embed, link, distil, write.

use super::corpus::{Corpus, ProjectReport, read_corpus};
use super::embedding_cache::EmbeddingCache;
use super::hnsw_build::build_graph;
use super::rotation::principal_rotation;
use crate::bundle_folder;
use crate::config::Config;
use crate::distil::{Closeness, Rotated, distil};
use crate::model::{LoadedModel, Prior};
use crate::progress::Progress;
use crate::source::SourceSpec;
use anyhow::Result;
use nearfind_core::bundle::{BundleOptions, BundleVectors, write_bundle};
use nearfind_core::embed::model_pack::{Architecture, PACK_EXTENSION};
use nearfind_core::format::manifest::{ModelFile, ModelModule, ModelReference};
use nearfind_core::lexical::Synonyms;
use rayon::prelude::*;
use std::path::PathBuf;
use std::time::Instant;

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
    /// Tokens of a chunk, at most; `None` for as many as the model reads.
    pub chunk_tokens: Option<u32>,
    /// What the site's owner decides.
    pub config: Config,
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
    let Corpus { projects, documents, vectors } =
        read_corpus(&options.sources, encoder, options.chunk_tokens, &mut cache, *progress)?;
    let pins = options.config.pins(&documents)?;
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
        module: match encoder.header().architecture {
            Architecture::QuantizedBert { .. } => ModelModule::Embed,
            Architecture::Bert(_) | Architecture::Onnx => ModelModule::EmbedOnnx,
        },
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
    let bundle_options = BundleOptions {
        file_limit: options.file_limit,
        synonyms: Synonyms::new(&options.config.synonym_groups()),
        pins,
    };
    let bundle = write_bundle(&names, &documents, &meaning, reference, &bundle_options);
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
