//! Tests cross-encoders, which read question and passage together, from the checkpoint to the order of an answer.

use nearfind::eval::score_loss;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::Location;
use nearfind_base::progress::Progress;
use nearfind_bundles::library::{Library, LibraryOptions, Question, Rerank};
use nearfind_core::embed::model_pack::{ModelPack, write_pack};
use nearfind_core::embed::{CrossEncoder, Encoder, SharedBytes};
use nearfind_indexing::run::{IndexOptions, index};
use nearfind_indexing::source::parse_sources;
use nearfind_models::model::{ImportOptions, ModelStore, Precision, import, quantize};
use nearfind_models::provider::{ProviderSettings, RerankKind, RerankSettings};
use nearfind_tests::{write_tiny_bert, write_tiny_cross_encoder};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

const HIDDEN: usize = 32;
const HEADS: usize = 4;
const POSITIONS: usize = 24;
const PASSAGES: [&str; 4] =
    ["threads", "unsafe code", "code: threads threads", "unsafe unsafe unsafe code code thread query"];

/// Imports a folder. Returns the pack, or the error message.
fn imported(folder: &Path) -> Result<ModelPack<SharedBytes>, String> {
    let options = ImportOptions { name: Some("tiny".into()), ..ImportOptions::default() };
    import(folder, &options).map_err(|error| format!("{error:#}"))
}

/// A naive cross-encoder over the tensors of a checkpoint, by the formulas alone and in double precision.
struct Naive(BTreeMap<String, Vec<f32>>);

impl Naive {
    fn tensor(&self, name: &str) -> Vec<f64> {
        let own = self.0.get(name).or_else(|| self.0.get(&format!("bert.{name}"))).expect("it is there");
        own.iter().map(|value| f64::from(*value)).collect()
    }

    fn linear(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let (weight, bias) = (self.tensor(&format!("{name}.weight")), self.tensor(&format!("{name}.bias")));
        weight
            .chunks(x.len())
            .zip(bias)
            .map(|(row, bias)| row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + bias)
            .collect()
    }

    fn norm(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let (weight, bias) = (self.tensor(&format!("{name}.weight")), self.tensor(&format!("{name}.bias")));
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
        x.iter()
            .zip(weight.iter().zip(bias))
            .map(|(x, (w, b))| (x - mean) / (variance + 1e-12).sqrt() * w + b)
            .collect()
    }

    fn logit(&self, ids: &[u32], second: usize) -> f64 {
        let table = |name: &str, row: usize| {
            self.tensor(&format!("embeddings.{name}_embeddings.weight"))[row * HIDDEN..(row + 1) * HIDDEN].to_vec()
        };
        let embedded = |(at, &id): (usize, &u32)| {
            let parts =
                [table("word", id as usize), table("position", at), table("token_type", usize::from(at >= second))];
            let sum: Vec<f64> = (0..HIDDEN).map(|d| parts.iter().map(|part| part[d]).sum()).collect();
            self.norm("embeddings.LayerNorm", &sum)
        };
        let mut states: Vec<Vec<f64>> = ids.iter().enumerate().map(embedded).collect();
        for layer in 0..2 {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let of = |part: &str| states.iter().map(|x| self.linear(&name(part), x)).collect::<Vec<_>>();
            let (queries, keys, values) =
                (of("attention.self.query"), of("attention.self.key"), of("attention.self.value"));
            let width = HIDDEN / HEADS;
            let attended = |at: usize| -> Vec<f64> {
                let by_head = |head: usize| {
                    let range = head * width..(head + 1) * width;
                    let scores: Vec<f64> = keys
                        .iter()
                        .map(|key| {
                            queries[at][range.clone()].iter().zip(&key[range.clone()]).map(|(q, k)| q * k).sum::<f64>()
                        })
                        .map(|score| (score / (width as f64).sqrt()).exp())
                        .collect();
                    let all: f64 = scores.iter().sum();
                    range.map(move |d| (scores.clone(), d, all))
                };
                let mixed = |(scores, d, all): (Vec<f64>, usize, f64)| {
                    scores.iter().zip(&values).map(|(s, v)| s * v[d]).sum::<f64>() / all
                };
                (0..HEADS).flat_map(by_head).map(mixed).collect()
            };
            let plus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f64>>();
            let next: Vec<Vec<f64>> = (0..states.len())
                .map(|at| {
                    let output = self.linear(&name("attention.output.dense"), &attended(at));
                    let x = self.norm(&name("attention.output.LayerNorm"), &plus(&output, &states[at]));
                    let inner: Vec<f64> = self
                        .linear(&name("intermediate.dense"), &x)
                        .iter()
                        .map(|x| x * 0.5 * (1.0 + erf(x / 2f64.sqrt())))
                        .collect();
                    let outer = self.linear(&name("output.dense"), &inner);
                    self.norm(&name("output.LayerNorm"), &plus(&outer, &x))
                })
                .collect();
            states = next;
        }
        let pooled: Vec<f64> = self.linear("pooler.dense", &states[0]).iter().map(|x| x.tanh()).collect();
        self.linear("classifier", &pooled)[0]
    }
}

/// Computes the error function by its series.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..60 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

#[test]
fn scores_match_the_formulas() {
    let folder = tempfile::tempdir().unwrap();
    let naive = Naive(write_tiny_cross_encoder(folder.path(), 1));
    let pack = imported(folder.path()).unwrap();
    let (full, quantized) = (
        CrossEncoder::from_pack(&pack).unwrap(),
        CrossEncoder::from_pack(&quantize(&pack, Precision::default(), "small").unwrap()).unwrap(),
    );
    for question in ["thread", "unsafe code query"] {
        let (scores, small) =
            (full.scores(question, &PASSAGES).unwrap(), quantized.scores(question, &PASSAGES).unwrap());
        for ((passage, score), small) in PASSAGES.iter().zip(&scores).zip(small) {
            let (ids, second) = pack.tokenizer().unwrap().encode_pair(question, passage, POSITIONS);
            let expected = 1.0 / (1.0 + (-naive.logit(&ids, second)).exp());
            assert!((f64::from(*score) - expected).abs() < 1e-5, "{question}, {passage}: {score}, {expected}");
            assert!((small - score).abs() < 0.03, "{question}, {passage}: {small} in few bits, {score} in full");
        }
        // Each passage alone gets the same score as with the others.
        for (passage, score) in PASSAGES.iter().zip(&scores) {
            assert_eq!(full.scores(question, &[passage]).unwrap(), [*score]);
        }
        assert!(scores.iter().any(|score| (score - scores[0]).abs() > 1e-3), "they differ: {scores:?}");
    }
    let texts = PASSAGES.map(str::to_owned);
    let (mean, largest) = score_loss(&full, &quantized, &texts).unwrap();
    assert!(0.0 < mean && mean <= largest && largest < 0.03, "{mean}, {largest}");
    // The order of question and passage matters.
    assert_ne!(full.scores("unsafe", &["code"]).unwrap(), full.scores("code", &["unsafe"]).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pairs_are_cut_like_in_the_tokenizers_crate(first in "(thread|threads|code|unsafe|x| ){0,20}", second in "(thread|threads|code|unsafe|x| ){0,20}", limit in 5usize..24) {
        let folder = tempfile::tempdir().unwrap();
        write_tiny_cross_encoder(folder.path(), 1);
        let pack = imported(folder.path()).unwrap();
        let mut reference = tokenizers::Tokenizer::from_file(folder.path().join("tokenizer.json")).unwrap();
        let truncation = tokenizers::TruncationParams { max_length: limit, ..Default::default() };
        reference.with_truncation(Some(truncation)).unwrap();
        let expected = reference.encode((first.as_str(), second.as_str()), true).unwrap();
        let (ids, at) = pack.tokenizer().unwrap().encode_pair(&first, &second, limit);
        prop_assert_eq!(&ids, expected.get_ids());
        let kinds: Vec<u32> = (0..ids.len()).map(|place| u32::from(place >= at)).collect();
        prop_assert_eq!(kinds, expected.get_type_ids());
    }
}

#[test]
fn encoders_and_cross_encoders_are_not_confused() {
    let folder = tempfile::tempdir().unwrap();
    write_tiny_cross_encoder(folder.path(), 3);
    let error = imported(folder.path()).unwrap_err();
    assert!(error.contains("has 3 classes"), "{error}");
    write_tiny_cross_encoder(folder.path(), 1);
    let error = Encoder::from_pack(&imported(folder.path()).unwrap()).unwrap_err().to_string();
    assert!(error.contains("it is for [rerank]"), "{error}");
    write_tiny_bert(folder.path());
    let error = CrossEncoder::from_pack(&imported(folder.path()).unwrap()).unwrap_err().to_string();
    assert!(error.contains("is not a cross-encoder"), "{error}");
}

#[test]
fn a_pack_that_contradicts_itself_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_tiny_cross_encoder(folder.path(), 1);
    let pack = imported(folder.path()).unwrap();
    let mut header = pack.header().clone();
    header.max_tokens = POSITIONS as u32 + 1;
    let blobs = header.blobs.iter().map(|blob| (blob.name.clone(), pack.blob(&blob.name).unwrap().to_vec()));
    let larger = write_pack(header.clone(), &blobs.collect::<Vec<_>>());
    let error = CrossEncoder::from_pack(&ModelPack::open(SharedBytes::new(larger)).unwrap()).unwrap_err().to_string();
    assert!(error.contains("its sizes contradict each other"), "{error}");
}

#[test]
fn an_answer_is_reordered() {
    let place = tempfile::tempdir().unwrap();
    let (docs, models) = (place.path().join("docs"), place.path().join("models"));
    std::fs::create_dir(&docs).unwrap();
    for (number, passage) in PASSAGES.iter().enumerate() {
        std::fs::write(docs.join(format!("{number}.md")), format!("# Page {number}\n\nthread {passage}\n")).unwrap();
    }
    let store = ModelStore::open(Some(models)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    write_tiny_bert(folder.path());
    let model = store.save(&imported(folder.path()).unwrap()).unwrap().path;
    write_tiny_cross_encoder(folder.path(), 1);
    let scorer = store.save(&imported(folder.path()).unwrap()).unwrap().path.to_str().unwrap().to_owned();
    let out = place.path().join("bundle");
    let sources = parse_sources(&[docs.to_str().unwrap().to_owned()], &[]).unwrap();
    let options = IndexOptions { sources, out: out.clone(), model, ..IndexOptions::default() };
    index(&options, Progress::new(true)).unwrap();
    let rerank = RerankSettings {
        provider: RerankKind::Local,
        model: Some(scorer),
        weight: Some(1.0),
        ..RerankSettings::default()
    };
    let providers = ProviderSettings { rerank: Some(rerank), ..ProviderSettings::default() };
    let options = LibraryOptions {
        store,
        cache: CacheFolder::none(),
        model: None,
        fetch_models: false,
        providers,
        how_to_build: |_| None,
    };
    let library = Library::open(&[Location::Folder(out)], options).unwrap();
    let question =
        Question { text: "thread".into(), limit: 4, unfit: true, rerank: Rerank::Best, ..Question::default() };
    let reply = library.read(|view| library.ask(view, &question)).unwrap();
    assert_eq!((reply.hits.len(), &reply.notices), (4, &Vec::new()));
    let relevance: Vec<f32> = reply.hits.iter().map(|found| found.relevance.expect("it was scored")).collect();
    assert!(relevance.is_sorted_by(|a, b| a >= b) && relevance[0] > relevance[3], "{relevance:?}");
}
