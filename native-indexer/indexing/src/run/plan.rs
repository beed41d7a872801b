//! Decides whether a bundle is up to date, and estimates what a new build would send to providers.

use super::changes::changes;
use super::corpus::{Chunked, chunk_corpus};
use super::estimate::Estimate;
use super::options::IndexOptions;
use super::outcome::Plan;
use super::reading::read_sources;
use super::scan::{Scan, settings_hash};
use super::written::{self, WritingEstimate};
use crate::page_cache::PageCache;
use anyhow::Result;
use nearfind_base::progress::Progress;
use nearfind_base::remark;
use nearfind_bundles::bundle_folder::{BuildRecord, BundleFiles, is_draft};
use nearfind_core::format::manifest::MANIFEST_FILE;
use nearfind_models::embedding_cache::EmbeddingCache;
use nearfind_models::model::{self, LoadedModel};
use nearfind_models::provider::EmbeddingSettings;

/// The scan of the sources, and the resulting plan.
pub(super) struct Prepared {
    pub scan: Scan,
    pub plan: Plan,
    pub settings_hash: String,
    pub fingerprint: String,
}

/// Returns a text that identifies the model, and the provider if there is one.
fn model_identity(options: &IndexOptions) -> Result<String> {
    let pack = model::identity(&options.model)?;
    Ok(options.embedding.as_ref().map_or_else(|| pack.clone(), |settings| format!("{pack} {}", settings.identity(0))))
}

pub(super) fn prepare(options: &IndexOptions, record: Option<&BuildRecord>) -> Result<Prepared> {
    let scan = Scan::of(options, record);
    let settings_hash = settings_hash(options, &model_identity(options)?);
    let fingerprint = scan.fingerprint(&settings_hash);
    let changes = changes(record, &scan);
    let check = || BundleFiles::read(&options.out).and_then(|files| files.check());
    let is_draft = !options.quick && !options.soon && is_draft(&options.out);
    let reason = match record {
        _ if options.full => Some("everything is read again, as requested"),
        Some(record) if is_draft && !record.fingerprint.is_empty() => Some("the model has not read it yet"),
        _ if is_draft => Some("the last run stopped before the model had read everything"),
        None if !options.out.join(MANIFEST_FILE).exists() => Some("this is the first build"),
        None => Some("the record of how the index was made is missing or damaged"),
        Some(record) if record.fingerprint.is_empty() => Some("the last build was rolled back"),
        Some(record) if record.settings_hash != settings_hash => {
            Some("settings, the model or nearfind itself have changed")
        }
        Some(record) if record.fingerprint != fingerprint => Some("documents have changed"),
        Some(_) if check().is_err() => Some("the index is damaged"),
        Some(_) => None,
    };
    let plan = Plan { failures: scan.failures.clone(), changes, reason, embedding: None, writing: None };
    Ok(Prepared { scan, plan, settings_hash, fingerprint })
}

/// Returns the plan for a run of [`super::index`]. Nothing is written.
pub fn plan(options: &IndexOptions, progress: Progress) -> Result<Plan> {
    let record = BuildRecord::read(&options.out, &options.cache);
    let Prepared { scan, plan, .. } = prepare(options, record.as_ref())?;
    let (embedding, writing) = match plan.reason {
        Some(_) => estimate_of_scan(options, &scan, progress)?,
        None => (None, None),
    };
    Ok(Plan { embedding, writing, ..plan })
}

/// Estimates the text that [`super::index`] would send to the embedding provider and to the language model, if they are
/// configured. Nothing is sent or written.
pub fn estimate(options: &IndexOptions, progress: Progress) -> Result<(Option<Estimate>, Option<WritingEstimate>)> {
    estimate_of_scan(options, &Scan::of(options, None), progress)
}

fn estimate_of_scan(
    options: &IndexOptions,
    scan: &Scan,
    progress: Progress,
) -> Result<(Option<Estimate>, Option<WritingEstimate>)> {
    let is_without_text = options.embedding.is_none() && options.writing.is_none();
    if is_without_text && !options.readers.sends_pictures() {
        return Ok((None, None));
    }
    options.readers.send_nothing();
    // These pages are not saved, because they lack the text of pictures.
    let mut pages = PageCache::open(&options.cache, &options.build)?;
    let contents = read_sources(scan, options, &mut pages, progress)?;
    let unsent = options.readers.unsent();
    if unsent > 0 {
        remark!(
            "about {unsent} pictures would be sent to the service or the model that reads them, and their text is not counted"
        );
    }
    if is_without_text {
        return Ok((None, None));
    }
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

pub(super) fn estimate_of(
    options: &IndexOptions,
    settings: &EmbeddingSettings,
    model: &LoadedModel,
    chunked: &Chunked,
    known: &EmbeddingCache,
    progress: Progress,
) -> Result<Estimate> {
    Estimate::of(model, chunked, known, options.query_encoder, settings.budget_tokens(), progress)
}
