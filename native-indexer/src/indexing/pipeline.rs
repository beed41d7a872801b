//! From sources to a bundle in a folder: scan, and if anything has changed read, embed, link, distil and write.

use super::changes::{ProjectChanges, changes};
use super::corpus::{ChunkSize, Chunked, ProjectReport, chunk_corpus};
use super::estimate::Estimate;
use super::hnsw_build::{build_graph, has_graph};
use super::rotation::principal_rotation;
use super::scan::{Failure, Scan, settings_hash};
use super::shares::{SharesFolder, take_shares};
use super::word_meaning::WordMeaning;
use super::written::{self, WritingEstimate};
use crate::bucket::PublishReport;
use crate::bundle_folder::{BuildRecord, BundleFiles, BundleWriter, ProjectRecord, is_draft};
use crate::cache::{CacheFolder, EmbeddingCache, EncoderCache, KnownEncoder, PageCache, document_hashes};
use crate::config::SearchSettings;
use crate::distil::{self, Closeness, Rotated, distil};
use crate::extract::apart::Readers;
use crate::model::{self, LoadedModel, Prior};
use crate::progress::Progress;
use crate::provider::{EmbeddingSettings, LanguageSettings, probe_mark};
use crate::source::{OpenSource, SourceContent, SourceSpec, report_line};
use anyhow::{Result, bail};
use nearfind_core::bundle::{
    Bundle, BundleDocument, BundleEncoder, BundleOptions, BundleText, BundleVectors, Tasks, write_bundle, write_text,
};
use nearfind_core::embed::SharedBytes;
use nearfind_core::embed::model_pack::{Architecture, ModelPack, PACK_EXTENSION};
use nearfind_core::format::manifest::{MANIFEST_FILE, ModelFile, ModelModule, ModelReference};
use nearfind_core::lexical::Synonyms;
use nearfind_core::vector::graph::Graph;
use nearfind_core::vector::rotation::Rotation;
use rayon::prelude::*;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, UNIX_EPOCH};

/// Chunks that the model takes half a minute for: sooner nobody asks.
const DRAFT_CHUNKS: usize = 2_000;
/// Text that is read in some tenths of a second where it is at hand.
const MUCH_TEXT_BYTES: usize = 32 << 20;

/// What to index, and where to.
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// Sources, each a project. Repositories were fetched.
    pub sources: Vec<SourceSpec>,
    /// Projects that stay as the last build had them.
    pub left_alone: BTreeSet<String>,
    /// Projects that could not be fetched, with the reason.
    pub failures: Vec<(String, String)>,
    /// Folder of the bundle.
    pub out: PathBuf,
    /// What reads files.
    pub readers: Arc<Readers>,
    /// What is kept from one run to the next.
    pub cache: CacheFolder,
    /// The model's pack.
    pub model: PathBuf,
    /// What makes the vectors in place of the model, of which the words are used then.
    pub embedding: Option<EmbeddingSettings>,
    /// What writes for passages and documents, if something is to.
    pub writing: Option<LanguageSettings>,
    /// A folder with shares of the vectors, see [`super::make_share`]: then nothing else is embedded but texts for the query encoder.
    pub shares: Option<SharesFolder>,
    /// Whether the model pack becomes a file of the bundle, so that browsers find it.
    pub ship_model: bool,
    /// Whether a query encoder is distilled, so that readers have meaning without the model.
    pub query_encoder: bool,
    /// Whether exact texts are found by trigrams rather than by reading everything; by default, where the bundle is for pages, or
    /// has more text than is read in no time.
    pub trigrams: Option<bool>,
    /// Largest size of the files that queries read in part, for servers without range requests; 0 for no limit.
    pub file_limit: u32,
    /// How large chunks are.
    pub chunk_size: ChunkSize,
    /// What the site's owner decides about its search.
    pub search: SearchSettings,
    /// Whether the bundle is to have the meaning of words alone, which takes seconds: the model reads nothing.
    pub quick: bool,
    /// Whether everything is read and fitted again, even if nothing has changed. Vectors are not made again.
    pub full: bool,
}

/// What a run gave.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Projects that could not be brought up to date.
    pub failures: Vec<Failure>,
    /// What has changed since the last build.
    pub changes: Vec<ProjectChanges>,
    /// Why the bundle was written; `None` if it was not.
    pub reason: Option<&'static str>,
    /// What was written; `None` if the bundle that is there is as it would be.
    pub written: Option<Report>,
    /// What was put into a bucket; `None` if the bundle is in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishReport>,
}

/// What was written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// A row for each project.
    pub projects: Vec<ProjectReport>,
    /// Texts that the query encoder was fitted on; 0 without one.
    pub encoder_texts: usize,
    /// Whether the query encoder is one that was fitted before, on nearly the same documents.
    pub encoder_was_known: bool,
    /// How close it comes to the model, if it could be judged.
    pub closeness: Option<Closeness>,
    /// Seconds spent listing, hashing and reading files.
    pub read_seconds: f64,
    /// Seconds spent on the query encoder.
    pub encoder_seconds: f64,
    /// Seconds spent building the graph.
    pub graph_seconds: f64,
    /// Seconds spent compressing and writing, most of it beside the graph.
    pub write_seconds: f64,
    /// Seconds of the whole run.
    pub seconds: f64,
    /// Bytes of all files of the bundle, without a shipped model.
    pub bytes: u64,
}

/// What a run would do.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Projects that cannot be brought up to date.
    pub failures: Vec<Failure>,
    /// What has changed since the last build.
    pub changes: Vec<ProjectChanges>,
    /// Why the bundle would be written again; `None` if it would not be.
    pub reason: Option<&'static str>,
    /// What a provider would be sent; `None` if none embeds, or nothing would be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Estimate>,
    /// What a language model would be sent; `None` if none writes, or nothing would be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing: Option<WritingEstimate>,
}

/// Warns of a damaged cache: what it lost costs time alone.
fn warn_of_damage(damage: Option<String>) {
    if let Some(damage) = damage {
        remark!("warning: {damage}; what it lost is computed again");
    }
}

/// What is there and what it would be made of.
struct Prepared {
    scan: Scan,
    plan: Plan,
    settings_hash: String,
    fingerprint: String,
}

/// What tells the model from others.
fn model_identity(options: &IndexOptions) -> Result<String> {
    let pack = model::identity(&options.model)?;
    Ok(options.embedding.as_ref().map_or_else(|| pack.clone(), |settings| format!("{pack} {}", settings.identity(0))))
}

fn prepare(options: &IndexOptions, record: Option<&BuildRecord>) -> Result<Prepared> {
    let scan = Scan::of(options, record);
    let settings_hash = settings_hash(options, &model_identity(options)?);
    let fingerprint = scan.fingerprint(&settings_hash);
    let changes = changes(record, &scan);
    let check = || BundleFiles::read(&options.out).and_then(|files| files.check());
    let is_draft = !options.quick && is_draft(&options.out);
    let reason = match record {
        _ if options.full => Some("everything is read again, as asked for"),
        Some(record) if is_draft && !record.fingerprint.is_empty() => Some("the model has read nothing of it yet"),
        _ if is_draft => Some("the last run was stopped before the model had read everything"),
        None if !options.out.join(MANIFEST_FILE).exists() => Some("it is the first build here"),
        None => Some("there is no record of how the bundle was made, or it is damaged"),
        Some(record) if record.fingerprint.is_empty() => Some("the last build was taken back"),
        Some(record) if record.settings_hash != settings_hash => {
            Some("settings, the model or nearfind itself have changed")
        }
        Some(record) if record.fingerprint != fingerprint => Some("documents have changed"),
        Some(_) if check().is_err() => Some("the bundle is damaged"),
        Some(_) => None,
    };
    let plan = Plan { failures: scan.failures.clone(), changes, reason, embedding: None, writing: None };
    Ok(Prepared { scan, plan, settings_hash, fingerprint })
}

/// What [`index`] would do. Nothing is written.
pub fn plan(options: &IndexOptions, progress: Progress) -> Result<Plan> {
    let record = BuildRecord::read(&options.out, &options.cache);
    let Prepared { scan, plan, .. } = prepare(options, record.as_ref())?;
    let (embedding, writing) = match plan.reason {
        Some(_) => estimate_of_scan(options, &scan, progress)?,
        None => (None, None),
    };
    Ok(Plan { embedding, writing, ..plan })
}

/// What providers would be sent by [`index`], if one is to embed or to write; nothing is sent or written.
pub fn estimate(options: &IndexOptions, progress: Progress) -> Result<(Option<Estimate>, Option<WritingEstimate>)> {
    estimate_of_scan(options, &Scan::of(options, None), progress)
}

fn estimate_of_scan(
    options: &IndexOptions,
    scan: &Scan,
    progress: Progress,
) -> Result<(Option<Estimate>, Option<WritingEstimate>)> {
    if options.embedding.is_none() && options.writing.is_none() {
        return Ok((None, None));
    }
    let mut pages = PageCache::open(&options.cache)?;
    let contents = read_sources(scan, options, &mut pages, progress)?;
    let (model, known) = match &options.embedding {
        Some(settings) => model::open_unasked(&options.model, settings, &options.cache)?,
        None => model::open(&options.model, None, &options.cache)?,
    };
    let chunked = chunk_corpus(contents, &model.encoder, options.chunk_size, &mut pages);
    let embedding = options.embedding.as_ref();
    let embedding = embedding.map(|settings| estimate_of(options, settings, &model, &chunked, &known, progress));
    let writing = options.writing.as_ref();
    let writing = writing.map(|settings| written::estimate(settings, &chunked, &model, &options.cache));
    Ok((embedding.transpose()?, writing.transpose()?))
}

fn estimate_of(
    options: &IndexOptions,
    settings: &EmbeddingSettings,
    model: &LoadedModel,
    chunked: &Chunked,
    known: &EmbeddingCache,
    progress: Progress,
) -> Result<Estimate> {
    Estimate::of(model, chunked, known, options.query_encoder, settings.budget_tokens(), progress)
}

/// Builds the bundle of `options`, unless the one that is there is as it would be.
pub fn index(options: &IndexOptions, progress: Progress) -> Result<Outcome> {
    let mut writer = BundleWriter::open(&options.out, &options.cache)?;
    let started = Instant::now();
    let Prepared { scan, plan, settings_hash, fingerprint } = prepare(options, writer.record())?;
    let Plan { failures, changes, reason, .. } = plan;
    let now = UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
    if reason.is_none() {
        writer.note_checked(&scan.checked, now)?;
        return Ok(Outcome { failures, changes, reason, written: None, published: None });
    }
    let mut pages = PageCache::open(&options.cache)?;
    warn_of_damage(pages.damage());
    let contents = read_sources(&scan, options, &mut pages, progress)?;
    let mut projects = recorded(&scan, &contents, writer.record(), now);
    let read_seconds = started.elapsed().as_secs_f64();

    let provider = options.embedding.as_ref().filter(|_| !options.quick);
    let (model, mut vectors_of) = model::open(&options.model, provider, &options.cache)?;
    warn_of_damage(vectors_of.damage());
    let mut chunked = chunk_corpus(contents, &model.encoder, options.chunk_size, &mut pages);
    pages.save()?;
    drop(pages);
    note_results(&mut projects, &chunked.projects, &scan);

    let bundle_options = BundleOptions {
        file_limit: options.file_limit,
        synonyms: Synonyms::new(&options.search.synonym_groups()),
        sources: scan.sources.iter().map(|source| source.spec.source_base().unwrap_or_default()).collect(),
        pins: options.search.pins(&chunked.documents)?,
        trigrams: options.trigrams.unwrap_or_else(|| options.query_encoder || is_much(&chunked.documents)),
    };
    if options.quick {
        let record = BuildRecord { fingerprint, settings_hash, projects, ..BuildRecord::default() };
        let draft = write_draft(&mut writer, record, &model, &chunked, &bundle_options, progress)?;
        let seconds = started.elapsed().as_secs_f64();
        let report =
            Report { projects: chunked.projects, read_seconds, seconds, bytes: draft.bytes, ..Report::default() };
        return Ok(Outcome { failures, changes, reason, written: Some(report), published: None });
    }
    if let Some(settings) = &options.embedding {
        let estimate = estimate_of(options, settings, &model, &chunked, &vectors_of, progress)?;
        progress.note(&estimate.line());
        estimate.check()?;
    }
    if let Some(folder) = &options.shares {
        take_shares(folder, &model, &chunked, &mut vectors_of)?;
    }
    if let Some(settings) = &options.writing {
        written::write(settings, &mut chunked, &model, &options.cache, progress)?;
    }
    let mut text = None;
    // One that has what the model says is better than a draft of what is new.
    let has_better = options.out.join(MANIFEST_FILE).exists() && !is_draft(&options.out);
    if !has_better && chunked.missing(&model, &vectors_of) >= DRAFT_CHUNKS {
        let record = BuildRecord { projects: projects.clone(), ..BuildRecord::default() };
        text = Some(write_draft(&mut writer, record, &model, &chunked, &bundle_options, progress)?.text);
        let seconds = started.elapsed().as_secs_f64();
        progress.note(&format!("ready to be searched after {seconds:.1} s: by words, symbols, exact text and the meaning of words; the model goes on"));
    }
    let mut corpus = chunked.embed(&model, &mut vectors_of, progress)?;
    note_results(&mut projects, &corpus.projects, &scan);
    // Where there is no graph nobody needs the vectors as the model gave them, and of a million chunks they are 1.5 GB.
    let to_rotate = if has_graph(corpus.vectors.len() / model.dimensions()) {
        Cow::Borrowed(corpus.vectors.as_slice())
    } else {
        Cow::Owned(std::mem::take(&mut corpus.vectors))
    };
    let write = || text.unwrap_or_else(|| text_of(&corpus.projects, &corpus.documents, &bundle_options));
    // The graph is built on one core, so that it is the same each time; what does not need it goes on beside it.
    let (linked, beside) = rayon::join(
        || link(&corpus.vectors, model.dimensions(), progress),
        || write_text_and_fit(options, &model, &corpus.documents, to_rotate, write, &mut vectors_of, progress),
    );
    let beside = beside?;
    progress.check()?;

    let write_started = Instant::now();
    let pack = options.ship_model.then_some(&model.pack);
    let fitted = beside.fitted;
    let meaning = BundleVectors {
        rotated: &beside.rotated,
        rotation: &beside.rotation,
        graph: &linked.graph,
        graph_entry: linked.entry,
        encoder: fitted.as_ref().map(|fitted| &fitted.encoder),
    };
    let model_reference = model_reference(&model, pack);
    let bundle = write_bundle(beside.text, &corpus.documents, &meaning, model_reference, &bundle_options, &together);
    writer.write(
        &bundle,
        pack.map(ModelPack::bytes),
        BuildRecord { fingerprint, settings_hash, projects, ..BuildRecord::default() },
    )?;
    // What cannot be let go of costs space alone.
    if let Err(error) = vectors_of.trim() {
        remark!("warning: {error:#}");
    }
    let report = Report {
        projects: corpus.projects,
        encoder_texts: fitted.as_ref().map_or(0, |fitted| fitted.texts),
        encoder_was_known: fitted.as_ref().is_some_and(|fitted| fitted.was_known),
        closeness: fitted.and_then(|fitted| fitted.closeness),
        read_seconds,
        encoder_seconds: beside.fit_seconds,
        graph_seconds: linked.seconds,
        write_seconds: beside.text_seconds + write_started.elapsed().as_secs_f64(),
        seconds: started.elapsed().as_secs_f64(),
        bytes: bytes_of(&bundle),
    };
    Ok(Outcome { failures, changes, reason, written: Some(report), published: None })
}

fn text_of(projects: &[ProjectReport], documents: &[BundleDocument], options: &BundleOptions) -> BundleText {
    let names: Vec<String> = projects.iter().map(|project| project.name.clone()).collect();
    write_text(&names, documents, options, &together)
}

/// Does tasks on all cores.
fn together(tasks: Tasks<'_>) {
    tasks.into_par_iter().for_each(|task| task());
}

/// A bundle with the meaning of words that was written.
struct Draft {
    /// What of it is made of text alone.
    text: BundleText,
    /// Bytes of its files.
    bytes: u64,
}

/// Writes the bundle with the meaning of words.
fn write_draft(
    writer: &mut BundleWriter,
    record: BuildRecord,
    model: &LoadedModel,
    chunked: &Chunked,
    options: &BundleOptions,
    progress: Progress,
) -> Result<Draft> {
    let texts = chunked.texts();
    let (meaning, text) = rayon::join(
        || WordMeaning::of(model, &texts, progress),
        || text_of(&chunked.projects, &chunked.documents, options),
    );
    let WordMeaning { rotation, vectors, encoder } = meaning?;
    let graph = Graph::default();
    let vectors = BundleVectors {
        rotated: &vectors,
        rotation: &rotation,
        graph: &graph,
        graph_entry: 0,
        encoder: Some(&encoder),
    };
    let bundle =
        write_bundle(text.clone(), &chunked.documents, &vectors, WordMeaning::reference(model), options, &together);
    writer.write(&bundle, None, record)?;
    Ok(Draft { text, bytes: bytes_of(&bundle) })
}

/// Bytes of all files of a bundle but a shipped model.
fn bytes_of(bundle: &Bundle) -> u64 {
    bundle.parts.iter().map(|file| file.bytes.len() as u64).sum()
}

/// Whether reading all of the text takes longer than people wait for.
fn is_much(documents: &[BundleDocument]) -> bool {
    documents.iter().map(|document| document.text.len()).sum::<usize>() > MUCH_TEXT_BYTES
}

/// Reads the documents of every source. That there is none at all is an error that says why.
pub(super) fn read_sources(
    scan: &Scan,
    options: &IndexOptions,
    pages: &mut PageCache,
    progress: Progress,
) -> Result<Vec<SourceContent>> {
    let several = options.sources.len() > 1;
    let mut contents = Vec::new();
    for source in &scan.sources {
        progress.check()?;
        let content = source.read(several, pages, &options.readers)?;
        let (documents, s) = (content.documents.len(), if content.documents.len() == 1 { "" } else { "s" });
        progress.note(&format!("{}: {documents} document{s}", content.project));
        contents.push(content);
    }
    if contents.iter().all(|content| content.documents.is_empty()) {
        let reasons = contents.into_iter().flat_map(|content| {
            let passed_over = report_line(&content.project, &content.passed_over);
            content.warnings.into_iter().chain(passed_over)
        });
        let failed = scan.failures.iter().map(|failure| format!("{}: {}", failure.project, failure.problem));
        bail!("there is nothing to index: {}", failed.chain(reasons).collect::<Vec<_>>().join("; "));
    }
    Ok(contents)
}

/// Notes in the record what each project gave.
fn note_results(records: &mut BTreeMap<String, ProjectRecord>, projects: &[ProjectReport], scan: &Scan) {
    for (project, source) in projects.iter().zip(&scan.sources) {
        if let Some(record) = records.get_mut(&project.name) {
            (record.documents, record.chunks) = (project.documents, project.chunks);
            record.passed_over.clone_from(&project.passed_over);
            let place = source.spec.place();
            record.skipped = project.warnings.iter().map(|warning| warning.replace(&place, &project.name)).collect();
        }
    }
}

/// The graph, and what it took.
struct Linked {
    graph: Graph,
    entry: u32,
    seconds: f64,
}

fn link(vectors: &[f32], dimensions: usize, progress: Progress) -> Linked {
    let started = Instant::now();
    let bar = progress.bar("linking", (vectors.len() / dimensions) as u64);
    let (graph, entry) = build_graph(vectors, dimensions, &bar);
    bar.finish();
    Linked { graph, entry, seconds: started.elapsed().as_secs_f64() }
}

/// What is made beside the graph, and what it took.
struct BesideGraph {
    text: BundleText,
    rotation: Rotation,
    /// Vectors of all chunks, rotated.
    rotated: Vec<f32>,
    fitted: Option<Fitted>,
    text_seconds: f64,
    fit_seconds: f64,
}

fn write_text_and_fit(
    options: &IndexOptions,
    model: &LoadedModel,
    documents: &[BundleDocument],
    vectors: Cow<'_, [f32]>,
    write: impl FnOnce() -> BundleText + Send,
    vectors_of: &mut EmbeddingCache,
    progress: Progress,
) -> Result<BesideGraph> {
    let write = || {
        let started = Instant::now();
        (write(), started.elapsed().as_secs_f64())
    };
    let (meaning, (text, text_seconds)) =
        rayon::join(|| rotate_and_fit(options, model, documents, vectors, vectors_of, progress), write);
    let (rotation, rotated, fitted, fit_seconds) = meaning?;
    Ok(BesideGraph { text, rotation, rotated, fitted, text_seconds, fit_seconds })
}

/// The rotation, the vectors of all chunks rotated, the query encoder, and the seconds that they took.
type Meaning = (Rotation, Vec<f32>, Option<Fitted>, f64);

fn rotate_and_fit(
    options: &IndexOptions,
    model: &LoadedModel,
    documents: &[BundleDocument],
    vectors: Cow<'_, [f32]>,
    vectors_of: &mut EmbeddingCache,
    progress: Progress,
) -> Result<Meaning> {
    let started = Instant::now();
    let dimensions = model.dimensions();
    let rotation = principal_rotation(&vectors, dimensions);
    let mut rotated = vectors.into_owned();
    rotated.par_chunks_mut(dimensions).for_each(|row| {
        let turned = rotation.apply(row);
        row.copy_from_slice(&turned);
    });
    let rows = Rotated { rotation: &rotation, vectors: &rotated };
    let fit = || query_encoder(options, model, documents, rows, vectors_of, progress);
    let fitted = options.query_encoder.then(fit).transpose()?;
    Ok((rotation, rotated, fitted, started.elapsed().as_secs_f64()))
}

/// A query encoder, fitted now or before.
struct Fitted {
    encoder: BundleEncoder,
    texts: usize,
    was_known: bool,
    closeness: Option<Closeness>,
}

/// The query encoder that was fitted on nearly the same documents, else a new one.
fn query_encoder(
    options: &IndexOptions,
    model: &LoadedModel,
    documents: &[BundleDocument],
    rotated: Rotated<'_>,
    vectors_of: &mut EmbeddingCache,
    progress: Progress,
) -> Result<Fitted> {
    let cache = EncoderCache::new(&options.cache);
    let damaged = |path: &Path| warn_of_damage(Some(format!("cache {} is damaged", path.display())));
    let settings = || format!("{} {} {}", model.hash(), Prior::identity(&model.path), distil::VERSION);
    let hashes = document_hashes(documents);
    if !options.full
        && let Some(known) = cache.find(&settings(), &hashes, damaged)
    {
        let (encoder, texts) = known.turned(rotated.rotation);
        return Ok(Fitted { encoder, texts, was_known: true, closeness: None });
    }
    let prior = Prior::of(model, vectors_of, progress)?;
    let distilled = distil(model, prior, documents, rotated, vectors_of, progress)?;
    // Its key is what there is now: the first fit may have made the prior.
    cache.save(&KnownEncoder::new(&distilled.encoder, rotated.rotation, hashes, &settings(), distilled.texts))?;
    Ok(Fitted { encoder: distilled.encoder, texts: distilled.texts, was_known: false, closeness: distilled.closeness })
}

fn model_reference(model: &LoadedModel, pack: Option<&ModelPack<SharedBytes>>) -> ModelReference {
    let hash = model.hash();
    ModelReference {
        name: model.name().to_owned(),
        hash: hash.to_owned(),
        module: match (model.probe(), &model.encoder.header().architecture) {
            (Some(_), _) => ModelModule::Provider,
            (None, Architecture::QuantizedBert { .. }) => ModelModule::Embed,
            (None, Architecture::Bert(_) | Architecture::Onnx) => ModelModule::EmbedOnnx,
        },
        probe: model.probe().map(probe_mark),
        file: pack.map(|pack| ModelFile {
            file: format!("model-{}.{PACK_EXTENSION}", &hash[..16]),
            bytes: pack.bytes().len() as u64,
            start_bytes: pack.header().rows.map(|_| pack.start_bytes() as u64),
        }),
    }
}

/// What is to be known of each project the next time. `before` is what the last build knew.
fn recorded(
    scan: &Scan,
    contents: &[SourceContent],
    before: Option<&BuildRecord>,
    now: u64,
) -> BTreeMap<String, ProjectRecord> {
    let record = |(source, content): (&OpenSource, &SourceContent)| {
        let known = || before?.projects.get(&content.project)?.checked;
        let record = ProjectRecord {
            checked: if scan.checked.contains(&content.project) { Some(now) } else { known() },
            commit: content.commit.clone(),
            files: content.files.clone(),
            dates: source.dates.clone(),
            folder: source.folder(),
            ..ProjectRecord::default()
        };
        (content.project.clone(), record)
    };
    scan.sources.iter().zip(contents).map(record).collect()
}
