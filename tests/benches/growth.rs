//! Measures how a reader's bytes, the time of a query and the size of the bundle grow with the site, and how many of
//! the best documents by exact vectors a reader finds.
//!
//! `cargo bench -p nearfind-tests --bench growth -- SOURCE QUERIES [CHUNKS…]`. QUERIES is a file of JSON lines with
//! `text`, and CHUNKS are the sizes to measure.
//!
//! A larger site consists of several copies of the corpus. To make the copies differ, each has made-up words in place
//! of a fifth of its words, slightly moved vectors, and documents without some of their last chunks. A smaller site
//! consists of the first documents of the corpus.

use fastrand::Rng;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::Location;
use nearfind_base::progress::{Bar, Progress};
use nearfind_bundles::bundle_folder::{BuildRecord, BundleWriter};
use nearfind_bundles::library::{Library, LibraryOptions, Question, QuestionEncoder};
use nearfind_core::bundle::{
    BundleDocument, BundleEncoder, BundleOptions, BundleVectors, one_by_one, write_bundle, write_text,
};
use nearfind_core::embed::Encoder;
use nearfind_core::format::manifest::{ModelModule, ModelReference};
use nearfind_core::search::Mode;
use nearfind_core::vector::rotation::Rotation;
use nearfind_indexing::page_cache::PageCache;
use nearfind_indexing::run::{ChunkSize, Corpus, build_graph, chunk_corpus, principal_rotation};
use nearfind_indexing::source::{self, parse_sources};
use nearfind_models::distil::{Rotated, TablePieces, distil};
use nearfind_models::embedding_cache::EmbeddingCache;
use nearfind_models::model::{self, DEFAULT_MODEL, ModelStore, Prior};
use nearfind_models::provider::ProviderSettings;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

const SIZES: [usize; 4] = [1_000, 10_000, 14_000, 100_000];
/// Number of times that each question is asked while all data is local.
const HOT: usize = 5;
/// Share of words, in percent, that only one copy has.
const OWN_WORDS: u32 = 20;
/// Length of the noise that is added to a unit vector. With all-MiniLM-L6-v2, such words move the vector of a text as
/// far, to a cosine of .79.
const MOVED: f32 = 0.78;

/// Returns a text in which some words occur only in copy number `copy`. The lengths of words do not change, so that
/// ranges stay valid.
fn with_own_words(text: &str, copy: usize, random: &mut Rng) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c: char| !c.is_ascii_alphabetic()) {
        let letters = piece.trim_end_matches(|c: char| !c.is_ascii_alphabetic()).len();
        if letters > 4 && random.u32(..100) < OWN_WORDS {
            let shift = |letter: u8| b'a' + (letter.to_ascii_lowercase() - b'a' + copy as u8) % 26;
            out.extend(piece.bytes().take(letters).map(|letter| char::from(shift(letter))));
            out.push_str(&piece[letters..]);
        } else {
            out.push_str(piece);
        }
    }
    out
}

/// Returns a site made from `base` with `chunks` chunks or slightly more.
fn grow(base: &Corpus, dimensions: usize, chunks: usize) -> (Vec<BundleDocument>, Vec<f32>) {
    let mut random = Rng::with_seed(7);
    let (mut documents, mut vectors) = (Vec::new(), Vec::new());
    for copy in 0.. {
        let mut rows = base.vectors.chunks_exact(dimensions);
        for document in &base.documents {
            if vectors.len() >= chunks * dimensions {
                return (documents, vectors);
            }
            let mut document: BundleDocument = document.clone();
            if copy > 0 {
                document.text = with_own_words(&document.text, copy, &mut random);
                document.record.id = format!("{}#{copy}", document.record.id);
            }
            let all = document.chunks.len();
            if copy > 0 {
                document.chunks.truncate(random.usize(1..=all));
            }
            for (number, row) in rows.by_ref().take(all).enumerate() {
                if number >= document.chunks.len() {
                    continue;
                }
                let scale = if copy > 0 { MOVED * (12.0 / dimensions as f32).sqrt() } else { 0.0 };
                let moved: Vec<f32> = row.iter().map(|x| x + scale * (random.f32() - 0.5)).collect();
                let length = moved.iter().map(|x| x * x).sum::<f32>().sqrt();
                vectors.extend(moved.iter().map(|x| x / length));
            }
            documents.push(document);
        }
    }
    unreachable!("copies are endless")
}

struct Growth<'a> {
    store: &'a ModelStore,
    model: PathBuf,
    encoder: &'a Encoder,
    rotation: &'a Rotation,
    table: &'a BundleEncoder,
    queries: &'a [String],
}

impl Growth<'_> {
    fn measure(&self, documents: &[BundleDocument], vectors: &[f32]) -> Result<(), Box<dyn Error>> {
        let dimensions = self.rotation.dimensions();
        let rotated: Vec<f32> =
            vectors.chunks_exact(dimensions).flat_map(|vector| self.rotation.apply(vector)).collect();
        let (graph, graph_entry) = build_graph(vectors, dimensions, &Bar::hidden());
        let meaning = BundleVectors {
            rotated: &rotated,
            rotation: self.rotation,
            graph: &graph,
            graph_entry,
            encoder: Some(self.table),
            knows_latin_alone: self.encoder.tokenizer().knows_latin_alone(),
        };
        let reference = ModelReference {
            name: self.encoder.header().name.clone(),
            hash: self.encoder.hash().to_owned(),
            module: ModelModule::Embed,
            probe: None,
            file: None,
            small: None,
        };
        let options = BundleOptions::default();
        let text = write_text(&["site".to_owned()], documents, &options, &one_by_one);
        let bundle = write_bundle(text, documents, &meaning, reference, &options, &one_by_one);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("growth");
        BundleWriter::open(&folder, &CacheFolder::none())?.write(&bundle, &[], BuildRecord::default())?;
        let manifest = std::fs::metadata(folder.join("nearfind.json"))?.len();
        let size: usize = bundle.parts.iter().map(|part| part.bytes.len()).sum();

        let (mut cold, mut hot, mut found) = (Vec::new(), Vec::new(), [0; 2]);
        let mut of_parts = BTreeMap::new();
        let open = || {
            let (store, cache, model) = (self.store.clone(), CacheFolder::none(), Some(self.model.clone()));
            Library::open(
                &[Location::Folder(folder.clone())],
                LibraryOptions {
                    store,
                    cache,
                    model,
                    fetch_models: false,
                    providers: ProviderSettings::default(),
                    how_to_build: |_| None,
                },
            )
        };
        for text in self.queries {
            let question =
                Question { text: text.as_str().into(), limit: 10, unfit: true, near: true, ..Question::default() };
            let near = Question { encoder: QuestionEncoder::Table, ..question.clone() };
            let fresh = open()?;
            let reply = fresh.read(|view| fresh.ask(view, &near))?;
            cold.push(manifest + reply.cost.bytes.iter().map(|(_, bytes)| bytes).sum::<u64>());
            for (part, bytes) in reply.cost.bytes {
                *of_parts.entry(part).or_insert(0) += bytes / self.queries.len() as u64;
            }
            let started = Instant::now();
            for further in 1..=HOT {
                // A different question each time, because answers are cached.
                fresh.read(|view| fresh.ask(view, &Question { limit: 10 + further, ..near.clone() }))?;
            }
            hot.push((started.elapsed().as_secs_f64() * 1e6 / HOT as f64) as u64);

            // Rank documents by their best exact chunk.
            let vector = self.encoder.encode_query(text)?;
            let mut exact: Vec<(f32, usize)> = Vec::with_capacity(documents.len());
            let mut rows = vectors.chunks_exact(dimensions);
            for (number, document) in documents.iter().enumerate() {
                let cosine = |row: &[f32]| row.iter().zip(&vector).map(|(a, b)| a * b).sum::<f32>();
                let best = rows.by_ref().take(document.chunks.len()).map(cosine).fold(f32::MIN, f32::max);
                exact.push((best, number));
            }
            exact.sort_by(|a, b| b.0.total_cmp(&a.0));
            let wanted: Vec<&str> =
                exact[..10].iter().map(|(_, number)| documents[*number].record.id.as_str()).collect();
            for (near, found) in [true, false].into_iter().zip(&mut found) {
                let question = Question { mode: Mode::Meaning, near, ..question.clone() };
                let hits = fresh.read(|view| fresh.ask(view, &question))?.hits;
                *found += hits.iter().filter(|hit| wanted.contains(&hit.hit.document.as_str())).count();
            }
        }
        let recall = |found: usize| found as f64 / (10 * self.queries.len()) as f64;
        let median = |values: &mut Vec<u64>| {
            values.sort_unstable();
            values[values.len() / 2]
        };
        let chunks = vectors.len() / dimensions;
        println!(
            "{chunks:>8} {:>10} {:>10.2} {:>12.1} {:>12.1} {:>10} {:>11}",
            documents.len(),
            size as f64 / 1e6,
            manifest as f64 / 1e3,
            median(&mut cold) as f64 / 1e3,
            median(&mut hot),
            format!("{:.3} {:.3}", recall(found[0]), recall(found[1]))
        );
        println!("         {of_parts:?}");
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let [source, queries, sizes @ ..] = arguments.as_slice() else {
        println!(
            "growth: give a source and a file of queries: cargo bench -p nearfind-tests --bench growth -- SOURCE QUERIES"
        );
        return Ok(());
    };
    let text_of = |line: &str| -> Result<String, Box<dyn Error>> {
        let line: serde_json::Value = serde_json::from_str(line)?;
        Ok(line["text"].as_str().ok_or("a query has no `text`")?.to_owned())
    };
    let queries = std::fs::read_to_string(queries)?.lines().map(text_of).collect::<Result<Vec<_>, _>>()?;
    let store = ModelStore::open(None)?;
    let sizes = sizes.iter().map(|size| size.parse()).collect::<Result<Vec<usize>, _>>()?;
    let model = model::load(&store.find(DEFAULT_MODEL.name)?)?;
    let encoder = &model.encoder;
    let dimensions = encoder.header().dimensions as usize;
    let progress = Progress::new(true);
    let folder = CacheFolder::at(Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR"))));
    let mut cache = EmbeddingCache::open(&folder, encoder.hash(), dimensions)?;
    let mut pages = PageCache::open(&CacheFolder::none(), "")?;
    let sources = parse_sources(std::slice::from_ref(source), &[])?;
    let contents = sources.iter().map(source::read_alone).collect::<Result<_, _>>()?;
    let chunked = chunk_corpus(contents, encoder, ChunkSize::default(), &mut pages);
    let base = chunked.embed(&model, &mut cache, progress)?;
    let rotation = principal_rotation(&base.vectors, dimensions);
    let rotated: Vec<f32> = base.vectors.chunks_exact(dimensions).flat_map(|vector| rotation.apply(vector)).collect();
    let rotated = Rotated { rotation: &rotation, vectors: &rotated };
    let prior = Prior::of(&model, &mut cache, progress)?;
    let pieces = TablePieces::of(encoder, &base.documents);
    let table = distil(&model, &pieces, prior, &base.documents, rotated, &mut cache, progress)?.encoder;
    println!(
        "{:>8} {:>10} {:>10} {:>12} {:>12} {:>10} {:>11}",
        "chunks", "documents", "bundle MB", "manifest KB", "cold KB", "hot us", "recall@10 of a page, a host"
    );
    let growth = Growth {
        store: &store,
        model: model.path.clone(),
        encoder,
        rotation: &rotation,
        table: &table,
        queries: &queries,
    };
    for chunks in if sizes.is_empty() { SIZES.to_vec() } else { sizes } {
        let (documents, vectors) = grow(&base, dimensions, chunks);
        growth.measure(&documents, &vectors)?;
    }
    Ok(())
}
