//! What the bindings promise, on every JavaScript host.

use js_sys::{Array, Float32Array, Object, Reflect};
use nearfind_core::bundle::{
    Bundle, BundleChunk, BundleDocument, BundleOptions, BundleVectors, one_by_one, write_bundle, write_text,
};
use nearfind_core::format::manifest::{ModelModule, ModelReference};
use nearfind_core::records::{DocumentRecord, SectionStart};
use nearfind_core::vector::graph::Graph;
use nearfind_core::vector::rotation::Rotation;
use nearfind_wasm::BundleSearcher;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

fn bundle() -> Bundle {
    let texts = ["Threads share data by channels.", "Knead the dough."];
    let documents: Vec<BundleDocument> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| BundleDocument {
            record: DocumentRecord {
                id: number.to_string(),
                title: format!("Page {number}"),
                ..DocumentRecord::default()
            },
            text: (*text).to_owned(),
            chunks: vec![BundleChunk {
                range: 0..text.len(),
                sections: vec![SectionStart::default()],
                ..BundleChunk::default()
            }],
            ..BundleDocument::default()
        })
        .collect();
    let graph = Graph::new(vec![vec![1], vec![0]]);
    let rotated = [1.0, 0.0, 0.0, 1.0];
    let rotation = Rotation::new(rotated.to_vec(), 2);
    let vectors = BundleVectors {
        rotated: &rotated,
        rotation: &rotation,
        graph: &graph,
        graph_entry: 0,
        encoder: None,
        knows_latin_alone: false,
    };
    let model = ModelReference {
        name: "toy".into(),
        hash: "0".repeat(64),
        module: ModelModule::Embed,
        probe: None,
        file: None,
        small: None,
    };
    let options = BundleOptions::default();
    write_bundle(
        write_text(&["docs".into()], &documents, &options, &one_by_one),
        &documents,
        &vectors,
        model,
        &options,
        &one_by_one,
    )
}

fn open(bundle: &Bundle) -> BundleSearcher {
    let stored = bundle.root.to_bytes();
    let root = opened(&stored, &BundleSearcher::unseal_root(&bundle.manifest.generation, &stored).unwrap());
    BundleSearcher::new(&root).unwrap()
}

/// What a host does with checked bytes.
fn opened(stored: &[u8], sealed: &[u32]) -> Vec<u8> {
    let [raw_bytes, start, end] = sealed.try_into().unwrap();
    let body = &stored[start as usize..end as usize];
    if raw_bytes == 0 { body.to_vec() } else { miniz_oxide::inflate::decompress_to_vec(body).unwrap() }
}

fn bytes<'a>(bundle: &'a Bundle, file: &str) -> &'a [u8] {
    &bundle.parts.iter().find(|part| part.name == file).unwrap().bytes
}

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

fn start(searcher: &mut BundleSearcher, text: &str, mode: &str, vector: Option<Vec<f32>>) -> Result<u32, JsValue> {
    let options = Object::new();
    let vector = vector.map_or(JsValue::UNDEFINED, |vector| Float32Array::from(vector.as_slice()).into());
    let values: [(&str, JsValue); 12] = [
        ("mode", mode.into()),
        ("limit", 10.into()),
        ("vector", vector),
        ("full", false.into()),
        ("previews", false.into()),
        ("typing", false.into()),
        ("counts", false.into()),
        ("passages", 1.into()),
        ("texts", false.into()),
        ("filters", Array::new().into()),
        ("paths", JsValue::UNDEFINED),
        ("unfit", 0.into()),
    ];
    for (name, value) in values {
        Reflect::set(&options, &name.into(), &value).unwrap();
    }
    searcher.start(text.to_owned(), options.unchecked_ref())
}

/// Provides the blocks that the session needs until it answers.
fn finish(searcher: &mut BundleSearcher, bundle: &Bundle, session: u32) -> JsValue {
    until(searcher, bundle, "answer", |searcher| searcher.advance(session))
}

/// Provides the requested blocks until `name` is requested.
fn until(
    searcher: &mut BundleSearcher,
    bundle: &Bundle,
    name: &str,
    ask: impl Fn(&mut BundleSearcher) -> Result<JsValue, JsValue>,
) -> JsValue {
    loop {
        let step = ask(searcher).unwrap();
        let found = get(&step, name);
        if !found.is_undefined() {
            return found;
        }
        for block in get(&step, "need").dyn_into::<Array>().unwrap() {
            let number = |name| get(&block, name).as_f64().unwrap() as usize;
            let text = |name| get(&block, name).as_string().unwrap();
            let (start, length) = (number("start"), number("bytes"));
            let stored = &bytes(bundle, &text("file"))[start..start + length];
            let (of, part, block) = (number("bundle"), number("part") as u32, number("block") as u32);
            let raw = opened(stored, &searcher.unseal(of, part, block, stored).unwrap());
            searcher.provide(of, part, block, raw).unwrap();
        }
    }
}

fn code(error: &JsValue) -> String {
    assert!(error.is_instance_of::<js_sys::Error>());
    get(error, "code").as_string().unwrap()
}

#[wasm_bindgen_test]
fn a_query_asks_for_blocks_and_answers() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let session = start(&mut searcher, "sharing data", "hybrid", Some(vec![0.9, 0.1])).unwrap();
    let answer = finish(&mut searcher, &bundle, session);
    assert_eq!(get(&answer, "mode").as_string().as_deref(), Some("hybrid"));
    let hit = get(&answer, "hits").dyn_into::<Array>().unwrap().get(0);
    assert_eq!(get(&hit, "title").as_string().as_deref(), Some("Page 0"));
    assert!(get(&hit, "url").is_null());
    let marks = get(&get(&hit, "excerpt"), "highlights").dyn_into::<Array>().unwrap();
    assert_eq!(marks.length(), 2);
    assert_eq!(get(&answer, "tier").as_f64(), Some(2.0));
}

#[wasm_bindgen_test]
fn queries_run_side_by_side_and_can_be_cancelled() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let first = start(&mut searcher, "dough", "words", None).unwrap();
    let second = start(&mut searcher, "threads", "words", None).unwrap();
    searcher.cancel(first);
    assert_eq!(code(&searcher.advance(first).unwrap_err()), "internal");
    let answer = finish(&mut searcher, &bundle, second);
    assert_eq!(get(&answer, "hits").dyn_into::<Array>().unwrap().length(), 1);
}

#[wasm_bindgen_test]
fn errors_have_codes() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    assert_eq!(code(&start(&mut searcher, " ", "words", None).unwrap_err()), "empty-query");
    assert_eq!(code(&start(&mut searcher, "x", "meaning", None).unwrap_err()), "no-model");
    assert_eq!(code(&start(&mut searcher, "x", "hybrid", Some(vec![1.0])).unwrap_err()), "other-model");
    assert_eq!(code(&start(&mut searcher, "x", "psychic", None).unwrap_err()), "bad-query");
    assert_eq!(code(&searcher.unseal(0, 0, 0, b"wrong").unwrap_err()), "bad-bundle");
    assert_eq!(code(&searcher.unseal(7, 0, 0, b"wrong").unwrap_err()), "internal");
    assert_eq!(code(&searcher.provide(7, 0, 0, Vec::new()).unwrap_err()), "internal");
    assert_eq!(code(&BundleSearcher::new(b"").unwrap_err()), "bad-bundle");
    assert_eq!(code(&BundleSearcher::unseal_root("0", b"").unwrap_err()), "bad-bundle");
}

#[wasm_bindgen_test]
fn documents_completions_and_filters_are_asked_for_in_steps() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let nothing = until(&mut searcher, &bundle, "document", |searcher| searcher.document("nowhere.md"));
    assert!(nothing.is_null());
    let filters = until(&mut searcher, &bundle, "filters", |searcher| searcher.filters());
    let projects = get(&filters.dyn_into::<Array>().unwrap().get(0), "values").dyn_into::<Array>().unwrap();
    assert_eq!(get(&projects.get(0), "documents").as_f64(), Some(2.0));
    let found = until(&mut searcher, &bundle, "suggestions", |searcher| searcher.suggestions("thr", 5));
    assert_eq!(found.dyn_into::<Array>().unwrap().length(), 0, "a word of one chunk may be a mistake");
}

#[wasm_bindgen_test]
fn a_second_bundle_answers_too() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let stored = bundle.root.to_bytes();
    let root = opened(&stored, &BundleSearcher::unseal_root(&bundle.manifest.generation, &stored).unwrap());
    searcher.add(&root).unwrap();
    let session = start(&mut searcher, "dough", "words", None).unwrap();
    let hits = get(&finish(&mut searcher, &bundle, session), "hits").dyn_into::<Array>().unwrap();
    let bundles: Vec<f64> = hits.iter().map(|hit| get(&hit, "bundle").as_f64().unwrap()).collect();
    assert_eq!(bundles, [0.0, 1.0]);
}

#[cfg(feature = "embed")]
#[wasm_bindgen_test]
fn a_model_gives_the_vectors_that_it_gives_natively() {
    let encoder = nearfind_wasm::ModelEncoder::new(include_bytes!("../tiny/pack.nfm").to_vec()).unwrap();
    assert_eq!(encoder.hash().len(), 64);
    for line in include_str!("../tiny/vectors.tsv").lines() {
        let (text, expected) = line.split_once('\t').unwrap();
        let bits: Vec<String> =
            encoder.encode(text).unwrap().iter().map(|component| format!("{:08x}", component.to_bits())).collect();
        assert_eq!(bits.join(" "), expected, "{text}");
    }
    assert_eq!(code(&nearfind_wasm::ModelEncoder::new(b"no pack".to_vec()).unwrap_err()), "bad-model");
}
