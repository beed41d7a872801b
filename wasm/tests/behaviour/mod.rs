//! What the bindings promise, on every JavaScript host.

use js_sys::{Array, Reflect};
use nearfind_core::bundle::{Bundle, BundleChunk, BundleDocument, NamedModel, write_bundle};
use nearfind_core::records::{DocumentRecord, SectionStart};
use nearfind_core::vector::graph::Graph;
use nearfind_wasm::{BundleSearcher, root_file};
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
                context: String::new(),
                sections: vec![SectionStart::default()],
            }],
        })
        .collect();
    let graph = Graph::new(vec![vec![1], vec![0]]);
    let model = NamedModel { name: "toy", hash: &"0".repeat(64), dimensions: 2, pack: None };
    write_bundle(&["docs".into()], &documents, &[1.0, 0.0, 0.0, 1.0], &graph, 0, model)
}

fn open(bundle: &Bundle) -> BundleSearcher {
    let manifest = bundle.manifest.to_bytes();
    let root = get(&root_file(&manifest).unwrap(), "file").as_string().unwrap();
    BundleSearcher::new(&manifest, bytes(bundle, &root)).unwrap()
}

fn bytes<'a>(bundle: &'a Bundle, file: &str) -> &'a [u8] {
    &bundle.parts.iter().find(|part| part.name == file).unwrap().bytes
}

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

fn options(text: &str, mode: &str) -> JsValue {
    let options = js_sys::Object::new();
    for (name, value) in [("text", text.into()), ("mode", mode.into()), ("limit", 10.into())] {
        Reflect::set(&options, &JsValue::from_str(name), &value).unwrap();
    }
    options.into()
}

/// Brings what the session asks for until it answers.
fn finish(searcher: &mut BundleSearcher, bundle: &Bundle, session: u32) -> JsValue {
    loop {
        let step = searcher.advance(session).unwrap();
        let answer = get(&step, "answer");
        if !answer.is_undefined() {
            return answer;
        }
        for block in get(&step, "need").dyn_into::<Array>().unwrap() {
            let number = |name| get(&block, name).as_f64().unwrap() as usize;
            let text = |name| get(&block, name).as_string().unwrap();
            let (start, length) = (number("start"), number("bytes"));
            let stored = &bytes(bundle, &text("file"))[start..start + length];
            searcher.provide(&text("part"), number("block") as u32, stored).unwrap();
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
    let session = searcher.start(options("sharing data", "hybrid"), Some(vec![0.9, 0.1])).unwrap();
    let answer = finish(&mut searcher, &bundle, session);
    assert_eq!(get(&answer, "mode").as_string().as_deref(), Some("hybrid"));
    let hit = get(&answer, "hits").dyn_into::<Array>().unwrap().get(0);
    assert_eq!(get(&hit, "title").as_string().as_deref(), Some("Page 0"));
    assert!(get(&hit, "url").is_null());
    let marks = get(&get(&hit, "excerpt"), "highlights").dyn_into::<Array>().unwrap();
    assert_eq!(marks.length(), 2);
    assert_eq!(get(&searcher.manifest().unwrap(), "documents").as_f64(), Some(2.0));
}

#[wasm_bindgen_test]
fn queries_run_side_by_side_and_can_be_cancelled() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let first = searcher.start(options("dough", "words"), None).unwrap();
    let second = searcher.start(options("threads", "words"), None).unwrap();
    searcher.cancel(first);
    assert_eq!(code(&searcher.advance(first).unwrap_err()), "internal");
    let answer = finish(&mut searcher, &bundle, second);
    assert_eq!(get(&answer, "hits").dyn_into::<Array>().unwrap().length(), 1);
}

#[wasm_bindgen_test]
fn errors_have_codes() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    assert_eq!(code(&searcher.start(options(" ", "words"), None).unwrap_err()), "empty-query");
    assert_eq!(code(&searcher.start(options("x", "meaning"), None).unwrap_err()), "no-model");
    assert_eq!(code(&searcher.start(options("x", "hybrid"), Some(vec![1.0])).unwrap_err()), "other-model");
    assert_eq!(code(&searcher.start(options("x", "psychic"), None).unwrap_err()), "bad-query");
    assert_eq!(code(&searcher.provide("text", 0, b"wrong").unwrap_err()), "bad-bundle");
    assert_eq!(code(&BundleSearcher::new(b"{}", b"").unwrap_err()), "bad-bundle");
}
