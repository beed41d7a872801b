//! Makes a bundle in a folder from sources. A run scans the sources. If anything has changed, it reads and embeds the
//! text, links the vectors, distills the query encoder, and writes the bundle.

use super::corpus::{Chunked, Corpus, chunk_corpus};
use super::draft::{bytes_of, text_of, together, write_draft};
use super::hnsw_build::has_graph;
use super::known_rows::KnownRows;
use super::meaning::{Fit, Linked, link, rotate_and_fit};
use super::memory::{IndexMemory, KnownFit, Opened};
use super::options::IndexOptions;
use super::outcome::{IndexRun, Plan, Report};
use super::plan::{Prepared, estimate_of, prepare};
use super::reading::{note_results, read_sources, recorded};
use super::scan::Scan;
use super::shares::take_shares;
use super::soon::{self, needs_no_graph, without_links};
use super::written;
use anyhow::Result;
use nearfind_base::progress::Progress;
use nearfind_base::remark;
use nearfind_base::run_state::RunState;
use nearfind_bundles::bundle_folder::{BuildRecord, BundleWriter, ProjectRecord, is_draft};
use nearfind_core::bundle::{BundleDocument, BundleOptions, BundleText, BundleVectors, write_bundle};
use nearfind_core::embed::model_pack::{Architecture, ModelPack, PACK_EXTENSION};
use nearfind_core::embed::{SharedBytes, Tokenizer};
use nearfind_core::format::manifest::{MANIFEST_FILE, ModelFile, ModelModule, ModelReference, SmallEncoder};
use nearfind_core::lexical::Synonyms;
use nearfind_models::embedding_cache::EmbeddingCache;
use nearfind_models::model::{DEFAULT_MODEL, KnownModel, LoadedModel, MULTILINGUAL_MODEL, small_encoder_of};
use nearfind_models::provider::probe_mark;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{Instant, UNIX_EPOCH};

/// A draft is written if the model has to read at least this many chunks, which takes half a minute.
const DRAFT_CHUNKS: usize = 2_000;
/// The minimum number of chunks for a draft if a user or an agent awaits the first answers. Reading them takes some
/// seconds.
const AWAITED_CHUNKS: usize = 200;
/// Prefix of the fingerprint of a provisional bundle: see [`IndexOptions::soon`].
const FOR_NOW: &str = "for now ";
/// Number of bytes of text that a host can read from its disk in some tenths of a second.
const MUCH_TEXT_BYTES: usize = 32 << 20;

/// Makes the bundle that `options` describe, unless the existing one is up to date.
///
/// This example indexes a folder, and searches the bundle:
///
/// ```no_run
/// use nearfind_base::{cache_folder::CacheFolder, location::Location, progress::Progress};
/// use nearfind_bundles::library::{Library, LibraryOptions, Question};
/// use nearfind_indexing::run::{IndexOptions, index};
/// use nearfind_indexing::source::SourceSpec;
/// use nearfind_models::model::ModelStore;
///
/// # fn main() -> anyhow::Result<()> {
/// let options = IndexOptions {
///     sources: vec![SourceSpec::folder("docs", "docs".as_ref())],
///     out: "site/nearfind".into(),
///     model: "models/all-MiniLM-L6-v2".into(),
///     ..IndexOptions::default()
/// };
/// index(&options, Progress::new(true))?;
///
/// let options = LibraryOptions {
///     store: ModelStore::open(None)?,
///     cache: CacheFolder::none(),
///     model: None,
///     fetch_models: false,
///     providers: Default::default(),
///     how_to_build: |_| None,
/// };
/// let library = Library::open(&[Location::Folder("site/nearfind".into())], options)?;
/// let question = Question { text: "how do I undo a commit?".into(), limit: 10, ..Question::default() };
/// for hit in library.ask(&library.view(), &question)?.hits {
///     println!("{}", hit.hit.title);
/// }
/// # Ok(())
/// # }
/// ```
pub fn index(options: &IndexOptions, progress: Progress) -> Result<IndexRun> {
    index_again(options, progress, &mut IndexMemory::default())
}

/// Makes the bundle that `options` describe, and reuses the data that earlier runs of this process left in `memory`.
pub fn index_again(options: &IndexOptions, progress: Progress, memory: &mut IndexMemory) -> Result<IndexRun> {
    let mut writer = BundleWriter::open(&options.out, &options.cache)?;
    options.readers.begin_run();
    let started = Instant::now();
    let Prepared { scan, plan, settings_hash, fingerprint } = prepare(options, writer.record())?;
    let Plan { failures, changes, reason, .. } = plan;
    // A provisional bundle already contains everything that another provisional run would write.
    let is_known = |record: &BuildRecord| record.fingerprint.strip_prefix(FOR_NOW) == Some(&fingerprint);
    let reason = reason.filter(|_| !(options.soon && writer.record().is_some_and(is_known)));
    let now = UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
    if reason.is_none() {
        writer.note_checked(&scan.checked, now)?;
        return Ok(IndexRun { failures, changes, reason, written: None });
    }
    let state = BuildRecord { fingerprint, settings_hash, ..BuildRecord::default() };
    let report = Build { options, progress, started, now, scan, state, writer }.run(memory)?;
    Ok(IndexRun { failures, changes, reason, written: Some(report) })
}

/// Whether the existing bundle of `options` is provisional. A run without [`soon`](IndexOptions::soon) then replaces it
/// with the final one.
pub fn is_for_now(options: &IndexOptions) -> bool {
    let record = BuildRecord::read(&options.out, &options.cache);
    record.is_some_and(|record| record.fingerprint.starts_with(FOR_NOW))
}

/// A build in progress.
struct Build<'a> {
    options: &'a IndexOptions,
    progress: Progress,
    started: Instant,
    /// Time of the run in seconds since 1970.
    now: u64,
    scan: Scan,
    /// The record of the build, without its projects so far.
    state: BuildRecord,
    writer: BundleWriter,
}

/// The content of the sources, in chunks.
struct Read {
    /// The facts about each project that the next run needs.
    projects: BTreeMap<String, ProjectRecord>,
    chunked: Chunked,
    /// Seconds spent listing, hashing and reading.
    seconds: f64,
}

impl Build<'_> {
    fn run(mut self, memory: &mut IndexMemory) -> Result<Report> {
        let mut opened = memory.open(self.options)?;
        let report = self.run_with(&mut opened, memory);
        // A run that was stopped also leaves what it has opened to the next run.
        memory.keep(opened);
        report
    }

    fn run_with(&mut self, opened: &mut Opened, memory: &mut IndexMemory) -> Result<Report> {
        let mut read = self.read(&opened.model, memory)?;
        let bundle_options = self.bundle_options(&read.chunked)?;
        if self.options.quick {
            if self.options.soon {
                self.state.fingerprint.insert_str(0, FOR_NOW);
            }
            return self.write_quick(read, &opened.model, memory, &bundle_options);
        }
        if self.options.soon {
            return self.write_soon(read, opened, memory, &bundle_options);
        }
        let Opened { model, known, .. } = opened;
        self.fetch_vectors_and_words(&mut read, model, known)?;
        let text = self.write_draft_first(&read, model, known, memory, &bundle_options)?;
        let Read { mut projects, chunked, seconds: read_seconds } = read;
        let mut corpus = chunked.embed(model, known, self.progress)?;
        note_results(&mut projects, &corpus.projects, &self.scan);
        let meaning = self.make_meaning(&mut corpus, text, model, known, &bundle_options)?;
        self.progress.check()?;
        memory.fit = Some(KnownFit {
            model: model.hash().to_owned(),
            rotation: meaning.fit.rotation.clone(),
            encoder: meaning.fit.fitted.as_ref().map(|fitted| fitted.encoder.clone()),
            turned: KnownRows::default(),
        });
        memory.words = None;
        let record = BuildRecord { projects, ..self.state.clone() };
        let report = self.write(corpus, meaning, model, record, &bundle_options)?;
        // A cache that stays too large only costs space.
        if let Err(error) = known.trim() {
            remark!("warning: {error:#}");
        }
        Ok(Report { read_seconds, seconds: self.seconds(), ..report })
    }

    fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Reads the sources and divides their documents into chunks for the model.
    fn read(&self, model: &LoadedModel, memory: &mut IndexMemory) -> Result<Read> {
        let options = self.options;
        let mut pages = memory.pages(options)?;
        let contents = read_sources(&self.scan, options, &mut pages, self.progress)?;
        let mut projects = recorded(&self.scan, &contents, self.writer.record(), self.now);
        let seconds = self.seconds();
        let chunked = chunk_corpus(contents, &model.encoder, options.chunk_size, &mut pages);
        pages.save();
        memory.keep_pages(pages);
        if let Some(language) = chunked.foreign_language() {
            self.offer_multilingual(language, model);
        }
        note_results(&mut projects, &chunked.projects, &self.scan);
        Ok(Read { projects, chunked, seconds })
    }

    /// Tells the user about the multilingual model if the model is for English and most pages are in a different
    /// language.
    fn offer_multilingual(&self, language: &str, model: &LoadedModel) {
        if model.provider().is_none() && model.name() == DEFAULT_MODEL.name {
            let KnownModel { name, .. } = MULTILINGUAL_MODEL;
            self.progress.note(&format!(
                "most pages are in the language {language:?}, but {} is for English: questions with other words than a \
                page will rarely find that page. To search by meaning, run `nearfind model fetch multilingual` once \
                and index with `--model {name}`",
                model.name()
            ));
        }
    }

    fn bundle_options(&self, chunked: &Chunked) -> Result<BundleOptions> {
        let options = self.options;
        Ok(BundleOptions {
            file_limit: options.file_limit,
            languages: chunked.languages.clone(),
            synonyms: Synonyms::new(&options.search.synonym_groups()),
            sources: self.scan.sources.iter().map(|source| source.spec.source_base().unwrap_or_default()).collect(),
            pins: options.search.pins(&chunked.documents)?,
            trigrams: options.trigrams.unwrap_or_else(|| options.query_encoder || is_much(&chunked.documents)),
        })
    }

    /// Writes the bundle with only the meaning of words.
    fn write_quick(
        &mut self,
        read: Read,
        model: &LoadedModel,
        memory: &mut IndexMemory,
        bundle_options: &BundleOptions,
    ) -> Result<Report> {
        let record = BuildRecord { projects: read.projects, ..self.state.clone() };
        if !self.options.soon {
            // A table from an earlier run would make the bundle depend on more than its files.
            memory.words = None;
        }
        let (writer, words) = (&mut self.writer, &mut memory.words);
        let draft = write_draft(writer, record, model, &read.chunked, bundle_options, words, self.progress)?;
        Ok(Report {
            projects: read.chunked.projects,
            read_seconds: read.seconds,
            seconds: self.seconds(),
            bytes: draft.bytes,
            ..Report::default()
        })
    }

    /// Writes a provisional bundle, with the rotation and the query encoder of the previous bundle or, if there are
    /// none, with only the meaning of words.
    fn write_soon(
        &mut self,
        read: Read,
        opened: &mut Opened,
        memory: &mut IndexMemory,
        bundle_options: &BundleOptions,
    ) -> Result<Report> {
        // The next run without `soon` replaces the bundle.
        self.state.fingerprint.insert_str(0, FOR_NOW);
        let is_read = !is_draft(&self.options.out);
        let can_be_kept = is_read && needs_no_graph(read.chunked.texts().len());
        let is_fit = |fit: &&mut KnownFit| can_be_kept && fit.model == opened.model.hash();
        let Some(fit) = memory.fit.as_mut().filter(is_fit) else {
            let report = self.write_quick(read, &opened.model, memory, bundle_options)?;
            return Ok(Report { is_for_now: true, ..report });
        };
        let (vectors, text) = rayon::join(
            || soon::vectors(&read.chunked, opened, fit, self.progress),
            || text_of(&read.chunked.projects, &read.chunked.documents, bundle_options),
        );
        let (vectors, missing) = vectors?;
        let graph = without_links(vectors.len() / fit.rotation.dimensions());
        let model = &opened.model;
        let vectors = BundleVectors {
            rotated: &vectors,
            rotation: &fit.rotation,
            graph: &graph,
            graph_entry: 0,
            encoder: fit.encoder.as_ref(),
            knows_latin_alone: model.knows_latin_alone(),
        };
        let documents = &read.chunked.documents;
        let bundle = write_bundle(text, documents, &vectors, model_reference(model, None), bundle_options, &together);
        let record = BuildRecord { projects: read.projects, ..self.state.clone() };
        self.writer.write(&bundle, &[], record)?;
        Ok(Report {
            projects: read.chunked.projects,
            read_seconds: read.seconds,
            seconds: self.seconds(),
            bytes: bytes_of(&bundle),
            is_for_now: missing > 0,
            ..Report::default()
        })
    }

    /// Gets vectors from shares, and texts from a language model. Before that, reports what will be sent to a provider,
    /// and checks the amount against the budget.
    fn fetch_vectors_and_words(&self, read: &mut Read, model: &LoadedModel, known: &mut EmbeddingCache) -> Result<()> {
        let options = self.options;
        if let Some(settings) = &options.embedding {
            let estimate = estimate_of(options, settings, model, &read.chunked, known, self.progress)?;
            self.progress.note(&estimate.line());
            estimate.check()?;
        }
        if let Some(folder) = &options.shares {
            take_shares(folder, model, &read.chunked, known)?;
        }
        if let Some(settings) = &options.writing {
            written::write(settings, &mut read.chunked, model, &options.cache, self.progress)?;
        }
        Ok(())
    }

    /// Writes a draft if the model will take long and no better bundle exists. Returns the parts of the draft that
    /// depend only on text.
    fn write_draft_first(
        &mut self,
        read: &Read,
        model: &LoadedModel,
        known: &EmbeddingCache,
        memory: &mut IndexMemory,
        bundle_options: &BundleOptions,
    ) -> Result<Option<BundleText>> {
        let out = &self.options.out;
        // A bundle that the model has read is better than a draft of the new files, and a provisional bundle of the
        // same files is as good as a draft.
        let is_same = |record: &BuildRecord| record.fingerprint.strip_prefix(FOR_NOW) == Some(&self.state.fingerprint);
        let has_better =
            out.join(MANIFEST_FILE).exists() && (!is_draft(out) || self.writer.record().is_some_and(is_same));
        let has_words = has_word_piece(model);
        let enough = if self.options.is_awaited { AWAITED_CHUNKS } else { DRAFT_CHUNKS };
        if has_better || !has_words || read.chunked.missing(model, known) < enough {
            return Ok(None);
        }
        memory.words = None;
        let record = BuildRecord { projects: read.projects.clone(), ..BuildRecord::default() };
        let (writer, words) = (&mut self.writer, &mut memory.words);
        let draft = write_draft(writer, record, model, &read.chunked, bundle_options, words, self.progress)?;
        self.progress.tell(&RunState::Words);
        self.progress.note(&format!("searchable after {:.1} s by words, symbols, exact text and the meanings of words; the model is still reading", self.seconds()));
        Ok(Some(draft.text))
    }

    /// Builds the graph on one core, and at the same time does everything that does not need the graph. If the draft
    /// did not provide `text`, it is written now.
    fn make_meaning(
        &self,
        corpus: &mut Corpus,
        text: Option<BundleText>,
        model: &LoadedModel,
        known: &mut EmbeddingCache,
        bundle_options: &BundleOptions,
    ) -> Result<Meaning> {
        let dimensions = model.dimensions();
        // Without a graph, the model's original vectors are not needed. For a million chunks, they take 1.5 GB.
        let taken;
        let (to_link, to_rotate) = if has_graph(corpus.vectors.len() / dimensions) {
            (corpus.vectors.as_slice(), Cow::Borrowed(corpus.vectors.as_slice()))
        } else {
            taken = std::mem::take(&mut corpus.vectors);
            (&[][..], Cow::Owned(taken))
        };
        let write = || {
            let started = Instant::now();
            let text = text.unwrap_or_else(|| text_of(&corpus.projects, &corpus.documents, bundle_options));
            (text, started.elapsed().as_secs_f64())
        };
        let fit = || rotate_and_fit(self.options, model, &corpus.documents, to_rotate, known, self.progress);
        let (linked, (fit, (text, text_seconds))) =
            rayon::join(|| link(to_link, dimensions, self.progress), || rayon::join(fit, write));
        Ok(Meaning { linked, fit: fit?, text, text_seconds })
    }

    /// Returns the small encoder if the options ask for it and the model has one.
    fn small_encoder(&self, model: &LoadedModel) -> Result<Option<ModelPack<SharedBytes>>> {
        let is_wanted = self.options.small_encoder.is_some() && self.options.query_encoder;
        if is_wanted && model.provider().is_none() { small_encoder_of(&model.pack) } else { Ok(None) }
    }

    /// Writes the bundle and replaces the previous one.
    fn write(
        &mut self,
        corpus: Corpus,
        meaning: Meaning,
        model: &LoadedModel,
        record: BuildRecord,
        bundle_options: &BundleOptions,
    ) -> Result<Report> {
        let started = Instant::now();
        let Meaning { linked, fit, text, text_seconds } = meaning;
        let pack = self.options.ship_model.then_some(&model.pack);
        let small = self.small_encoder(model)?;
        let vectors = BundleVectors {
            rotated: &fit.rotated,
            rotation: &fit.rotation,
            graph: &linked.graph,
            graph_entry: linked.entry,
            encoder: fit.fitted.as_ref().map(|fitted| &fitted.encoder),
            knows_latin_alone: model.knows_latin_alone(),
        };
        let reference = ModelReference {
            small: small.as_ref().zip(self.options.small_encoder).map(|(small, loads)| SmallEncoder {
                hash: small.hash().to_owned(),
                file: model_file("encoder", small),
                loads,
            }),
            ..model_reference(model, pack)
        };
        let bundle = write_bundle(text, &corpus.documents, &vectors, reference, bundle_options, &together);
        let packs: Vec<&[u8]> = pack.into_iter().chain(&small).map(ModelPack::bytes).collect();
        self.writer.write(&bundle, &packs, record)?;
        Ok(Report {
            projects: corpus.projects,
            encoder_texts: fit.fitted.as_ref().map_or(0, |fitted| fitted.texts),
            encoder_was_known: fit.fitted.as_ref().is_some_and(|fitted| fitted.was_known),
            closeness: fit.fitted.and_then(|fitted| fitted.closeness),
            encoder_seconds: fit.seconds,
            graph_seconds: linked.seconds,
            write_seconds: text_seconds + started.elapsed().as_secs_f64(),
            bytes: bytes_of(&bundle),
            ..Report::default()
        })
    }
}

/// The contents of a bundle besides its documents.
struct Meaning {
    linked: Linked,
    fit: Fit,
    /// The parts of the bundle that depend only on text, and the seconds spent writing them.
    text: BundleText,
    text_seconds: f64,
}

/// Whether reading all of the text takes longer than a user wants to wait.
fn is_much(documents: &[BundleDocument]) -> bool {
    documents.iter().map(|document| document.text.len()).sum::<usize>() > MUCH_TEXT_BYTES
}

fn model_reference(model: &LoadedModel, pack: Option<&ModelPack<SharedBytes>>) -> ModelReference {
    let hash = model.hash();
    ModelReference {
        name: model.name().to_owned(),
        hash: hash.to_owned(),
        module: match (model.probe(), &model.encoder.header().architecture) {
            (Some(_), _) => ModelModule::Provider,
            (None, Architecture::QuantizedBert { .. }) if has_word_piece(model) => ModelModule::Embed,
            (None, _) => ModelModule::EmbedOnnx,
        },
        probe: model.probe().map(probe_mark),
        file: pack.map(|pack| model_file("model", pack)),
        small: None,
    }
}

/// Whether the smaller of the two modules that encode in pages contains the model's tokenizer.
fn has_word_piece(model: &LoadedModel) -> bool {
    matches!(model.encoder.tokenizer(), Tokenizer::WordPiece(_))
}

fn model_file(kind: &str, pack: &ModelPack<SharedBytes>) -> ModelFile {
    ModelFile {
        file: format!("{kind}-{}.{PACK_EXTENSION}", &pack.hash()[..16]),
        bytes: pack.bytes().len() as u64,
        start_bytes: pack.header().rows.map(|_| pack.start_bytes() as u64),
    }
}
