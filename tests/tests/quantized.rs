//! Tests quantized encoders. Their vectors are near those of the full model and do not depend on other texts, and
//! hostile packs do no harm.

use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::embed::{Encoder, Pooling, RowBits, SharedBytes};
use nearfind_models::model::{ImportOptions, Precision, import, quantize};
use nearfind_tests::{default_model, write_tiny_bert};
use proptest::prelude::*;
use std::sync::LazyLock;

const TEXTS: [&str; 6] = ["threads", "unsafe code", "", "code: threads threads unsafe", "thread", "[MASK] code"];

fn tiny(options: &ImportOptions) -> ModelPack<SharedBytes> {
    let folder = tempfile::tempdir().unwrap();
    write_tiny_bert(folder.path());
    import(folder.path(), &ImportOptions { name: Some("tiny".into()), ..options.clone() }).unwrap()
}

fn quantized(pack: &ModelPack<SharedBytes>, words: RowBits) -> ModelPack<SharedBytes> {
    quantize(pack, Precision { words, ..Precision::default() }, "tiny-small").unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn bits(vector: &[f32]) -> Vec<u32> {
    vector.iter().map(|x| x.to_bits()).collect()
}

/// Checks the pack that the tests of the bindings use, and the bits of the vectors that they expect.
/// `NEARFIND_ACCEPT=1` updates both.
#[test]
fn the_pack_of_the_bindings_tests_is_up_to_date() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../wasm/tests/tiny");
    let pack = quantized(&tiny(&ImportOptions::default()), RowBits::Four);
    let encoder = Encoder::from_pack(&pack).unwrap();
    let line = |text: &str| {
        let bits = bits(&encoder.encode_query(text).unwrap());
        format!("{text}\t{}\n", bits.iter().map(|bits| format!("{bits:08x}")).collect::<Vec<_>>().join(" "))
    };
    let vectors: String = TEXTS.into_iter().map(line).collect();
    if std::env::var_os("NEARFIND_ACCEPT").is_some() {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(format!("{folder}/pack.nfm"), pack.bytes()).unwrap();
        std::fs::write(format!("{folder}/vectors.tsv"), &vectors).unwrap();
    }
    assert_eq!(std::fs::read(format!("{folder}/pack.nfm")).unwrap(), pack.bytes());
    assert_eq!(std::fs::read_to_string(format!("{folder}/vectors.tsv")).unwrap(), vectors);
}

#[test]
fn vectors_are_near_those_of_the_full_model() {
    for pooling in [Pooling::Mean, Pooling::Cls] {
        let full = tiny(&ImportOptions { pooling: Some(pooling), ..ImportOptions::default() });
        let expected = Encoder::from_pack(&full).unwrap();
        for (words, least) in [(RowBits::Eight, 0.999), (RowBits::Four, 0.98)] {
            let pack = quantized(&full, words);
            assert!(pack.bytes().len() * 2 < full.bytes().len());
            let encoder = Encoder::from_pack(&pack).unwrap();
            for text in TEXTS {
                let (a, b) = (encoder.encode_query(text).unwrap(), expected.encode_query(text).unwrap());
                assert!(cosine(&a, &b) > least, "{words:?} {text:?}: {}", cosine(&a, &b));
            }
        }
    }
}

#[test]
fn rows_are_loaded_when_a_text_needs_them() {
    let pack = quantized(&tiny(&ImportOptions::default()), RowBits::Eight);
    let (whole, start) = (pack.bytes(), pack.bytes()[..pack.start_bytes()].to_vec());
    assert!(ModelPack::open(start.as_slice()).is_err(), "a pack without rows is not a whole one");
    let start = ModelPack::open_start(SharedBytes::new(start)).unwrap();
    assert_eq!(start.hash(), pack.hash());
    let (expected, encoder) = (Encoder::from_pack(&pack).unwrap(), Encoder::from_pack(&start).unwrap());
    for text in TEXTS {
        assert!(expected.missing(text).is_empty());
        for range in encoder.missing(text) {
            assert!(encoder.encode_query(text).is_err(), "a row that is missing is not read as something else");
            let bytes = &whole[range.start as usize..range.end as usize];
            let mut damaged = bytes.to_vec();
            damaged[0] ^= 1;
            assert!(encoder.provide(range.start, &damaged).is_err());
            assert!(encoder.provide(range.start + 1, bytes).is_err());
            assert!(encoder.provide(range.start, &bytes[1..]).is_err());
            assert!(encoder.provide(0, bytes).is_err());
            encoder.provide(range.start, bytes).unwrap();
        }
        assert!(encoder.missing(text).is_empty());
        assert_eq!(bits(&encoder.encode_query(text).unwrap()), bits(&expected.encode_query(text).unwrap()), "{text:?}");
    }
}

#[test]
fn larger_steps_give_smaller_packs_with_larger_errors() {
    let full = tiny(&ImportOptions::default());
    let expected = Encoder::from_pack(&full).unwrap();
    let mut last = (usize::MAX, 1.0);
    for (step, least) in [(0.02, 0.999), (0.1, 0.995), (0.4, 0.9)] {
        let pack = quantize(&full, Precision { step, ..Precision::default() }, "tiny-small").unwrap();
        let encoder = Encoder::from_pack(&pack).unwrap();
        let near = |text: &&str| cosine(&encoder.encode_query(text).unwrap(), &expected.encode_query(text).unwrap());
        let nearest = TEXTS.iter().map(near).fold(1.0, f32::min);
        assert!(nearest > least, "{step}: {nearest}");
        assert!(pack.bytes().len() < last.0 && nearest < last.1, "{step}: {} bytes, {nearest}", pack.bytes().len());
        last = (pack.bytes().len(), nearest);
    }
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn the_default_pack_is_small() {
    let pack = default_model().pack;
    assert!(pack.start_bytes() < 8_000_000, "a page begins with {} bytes", pack.start_bytes());
    assert!(pack.bytes().len() < 20_500_000, "{} bytes", pack.bytes().len());
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn the_vector_of_a_text_does_not_depend_on_other_texts() {
    let encoder = default_model().encoder;
    let long = "the borrow checker refuses two mutable references ".repeat(60);
    let texts = ["a", "how do threads share data?", &long, "", "Crème brûlée", "x", "unsafe { *pointer }", "a"];
    let together = encoder.encode_passages(&texts).unwrap();
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(bits(vector), bits(&encoder.encode_passages(&[text]).unwrap()[0]), "{text:?}");
    }
    assert_eq!(bits(&together[0]), bits(&together[7]));
    assert!(encoder.encode_passages(&[]).unwrap().is_empty());
}

#[test]
fn prefixes_and_shorter_vectors_are_settings_of_the_pack() {
    let plain = Encoder::from_pack(&quantized(&tiny(&ImportOptions::default()), RowBits::Eight)).unwrap();
    let options =
        ImportOptions { query_prefix: Some("query: ".into()), dimensions: Some(8), ..ImportOptions::default() };
    let prefixed = Encoder::from_pack(&quantized(&tiny(&options), RowBits::Eight)).unwrap();
    let mut expected = plain.encode_query("query: threads").unwrap();
    expected.truncate(8);
    let found = prefixed.encode_query("threads").unwrap();
    assert!((cosine(&found, &expected) - 1.0).abs() < 1e-6);
    assert!((cosine(&found, &found) - 1.0).abs() < 1e-6 && found.len() == 8);
    let passage = prefixed.encode_passages(&["threads"]).unwrap();
    assert!(cosine(&passage[0], &found) < 0.999, "a passage has no prefix here");
    let (thread, mark) = (4, 5);
    assert_eq!(
        bits(&plain.encode_pieces(&[thread, mark]).unwrap()[0]),
        bits(&plain.encode_query("thread").unwrap()),
        "a piece is a question of one piece"
    );
}

#[test]
fn a_quantized_pack_is_not_quantized_again() {
    let pack = quantized(&tiny(&ImportOptions::default()), RowBits::Four);
    let again = quantize(&pack, Precision::default(), "again").unwrap_err();
    assert!(again.to_string().contains("already quantized"), "{again}");
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn a_text_of_a_million_characters_is_cut() {
    let encoder = default_model().encoder;
    for unit in ["word ", "[MASK]", "é", "a", "漢"] {
        let long = unit.repeat(1_000_000 / unit.len());
        let start: String = long.chars().take(5_000).collect();
        let (long, start) = (encoder.encode_query(&long).unwrap(), encoder.encode_query(&start).unwrap());
        if unit.len() > 1 && unit != "é" {
            assert_eq!(bits(&long), bits(&start), "{unit:?}");
        }
    }
}

/// The start of a pack, and its rows of words.
static TINY: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(|| {
    let pack = quantized(&tiny(&ImportOptions::default()), RowBits::Four);
    let (start, rows) = pack.bytes().split_at(pack.start_bytes());
    (start.to_vec(), rows.to_vec())
});

/// Opens a changed pack with a correct hash, whole and by its start.
fn try_pack(mut bytes: Vec<u8>) {
    let body = bytes.len() - 32;
    let hash = nearfind_core::embed::model_pack::hash_of(&bytes[..body]);
    bytes[body..].copy_from_slice(&hash);
    let rows = &TINY.1;
    for whole in [false, true] {
        let rows_here = if whole { rows.as_slice() } else { &[] };
        let Ok(pack) = ModelPack::open_start(SharedBytes::new([&bytes, rows_here].concat())) else { continue };
        let Ok(encoder) = Encoder::from_pack(&pack) else { continue };
        for text in TEXTS {
            for range in encoder.missing(text) {
                let _ = encoder.provide(range.start, rows);
            }
            let _ = encoder.encode_query(text);
        }
    }
}

proptest! {
    #[test]
    fn a_hostile_pack_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        in_header in any::<bool>(),
    ) {
        let mut bytes = TINY.0.clone();
        let reach = if in_header { 1_500 } else { bytes.len() - 32 };
        for (at, value) in changes {
            bytes[at.index(reach)] = value;
        }
        try_pack(bytes);
    }

    #[test]
    fn a_hostile_size_never_panics(
        field in prop::sample::select(vec!["hidden", "layers", "heads", "intermediate", "positions", "vocabulary", "bits", "group", "dimensions", "max_tokens", "bytes", "block"]),
        value in prop::sample::select(vec![0u32, 1, 2, 3, 7, 31, 64, 255, 257, 65_535, 65_537, 1 << 31, u32::MAX]),
    ) {
        let bytes = TINY.0.clone();
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let mut header: serde_json::Value = serde_json::from_slice(&bytes[16..16 + length]).unwrap();
        for place in ["", "/architecture", "/architecture/table", "/rows"] {
            if let Some(number) = header.pointer_mut(place).and_then(|object| object.get_mut(field)) {
                *number = value.into();
            }
        }
        let json = serde_json::to_vec(&header).unwrap();
        let mut changed = bytes[..12].to_vec();
        changed.extend((json.len() as u32).to_le_bytes());
        changed.extend(&json);
        changed.resize(changed.len().next_multiple_of(64), 0);
        changed.extend(&bytes[(16 + length).next_multiple_of(64)..]);
        try_pack(changed);
    }
}
