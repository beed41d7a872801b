//! A small bundle in memory, with vectors of three dimensions: rust, search, cooking.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part of the support code")]

use nearfind_core::bundle::{Bundle, BundleChunk, BundleDocument, NamedModel, write_bundle};
use nearfind_core::format::blocks::BlockId;
use nearfind_core::records::{DocumentRecord, SectionStart};
use nearfind_core::search::{Answer, Mode, Progress, Query, QueryError, Searcher, Session};
use nearfind_core::vector::graph::Graph;

/// Title, text and vector of each document; every document has one chunk.
pub const DOCUMENTS: &[(&str, &str, [f32; 3])] = &[
    (
        "Ownership",
        "## Ownership rules\n\nEach value in Rust has an owner. The borrow checker refuses the rest.\n",
        [1.0, 0.0, 0.0],
    ),
    (
        "Borrowing",
        "## References\n\nA reference lets code use a value without owning it. Call `borrow_mut` to change it.\n",
        [0.9, 0.1, 0.0],
    ),
    (
        "Ranking",
        "## BM25\n\nA term that is rare in the corpus weighs more. Owners of sites may pin results.\n",
        [0.1, 0.9, 0.0],
    ),
    ("Bread", "## Dough\n\nFlour, water, salt. Knead it and let it rest.\n", [0.0, 0.0, 1.0]),
];

pub fn bundle() -> Bundle {
    let documents: Vec<BundleDocument> = DOCUMENTS
        .iter()
        .map(|(title, text, _)| BundleDocument {
            record: DocumentRecord {
                id: format!("docs/{}.md", title.to_lowercase()),
                path: format!("{}.md", title.to_lowercase()),
                url: format!("/{}/", title.to_lowercase()),
                title: (*title).to_owned(),
                ..DocumentRecord::default()
            },
            text: (*text).to_owned(),
            chunks: vec![BundleChunk {
                range: 0..text.len(),
                context: (*title).to_owned(),
                sections: vec![SectionStart { at: 0, title: "Section".into(), anchor: "section".into() }],
            }],
        })
        .collect();
    let vectors: Vec<f32> = DOCUMENTS
        .iter()
        .flat_map(|(_, _, vector)| {
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.map(|x| x / length)
        })
        .collect();
    let graph = Graph::new(vec![vec![1, 2], vec![0, 3], vec![0], vec![1]]);
    let model = NamedModel { name: "toy", hash: &"0".repeat(64), dimensions: 3, pack: None };
    write_bundle(&["docs".into()], &documents, &vectors, &graph, 0, model)
}

/// `count` documents on a circle in the plane of the first two dimensions, each linked with others near and far.
pub fn circle(count: u32) -> Bundle {
    let document = |number: u32| BundleDocument {
        record: DocumentRecord {
            id: number.to_string(),
            title: format!("Point {number}"),
            ..DocumentRecord::default()
        },
        text: "A point.\n".to_owned(),
        chunks: vec![BundleChunk { range: 0..9, context: String::new(), sections: vec![SectionStart::default()] }],
    };
    let documents: Vec<_> = (0..count).map(document).collect();
    let angle = |number: u32| number as f32 / count as f32 * std::f32::consts::TAU;
    let vectors: Vec<f32> = (0..count).flat_map(|number| [angle(number).cos(), angle(number).sin(), 0.0]).collect();
    let links = |number: u32| [1, 10, 100, 1000].iter().flat_map(move |step| [number + step, number + count - step]);
    let graph = Graph::new((0..count).map(|number| links(number).map(|link| link % count).collect()).collect());
    let model = NamedModel { name: "toy", hash: &"0".repeat(64), dimensions: 3, pack: None };
    write_bundle(&["points".into()], &documents, &vectors, &graph, 0, model)
}

/// The bytes of the file that the manifest calls `part`.
pub fn file<'a>(bundle: &'a Bundle, part: &str) -> &'a [u8] {
    let name = &bundle.manifest.part(part).unwrap().file;
    &bundle.parts.iter().find(|file| &file.name == name).unwrap().bytes
}

pub fn open(bundle: &Bundle) -> Searcher {
    Searcher::open(&bundle.manifest.to_bytes(), file(bundle, "root")).unwrap()
}

/// Runs a query to its end over the files of `bundle`, as they are.
pub fn ask(searcher: &mut Searcher, bundle: &Bundle, query: Query) -> Result<Answer, QueryError> {
    let mut session = Session::new(searcher, query)?;
    // A session has five stages; one that asks more often would never end.
    for _ in 0..6 {
        match session.advance(searcher)? {
            Progress::Done(answer) => return Ok(*answer),
            Progress::Need(blocks) => {
                for id in blocks {
                    bring(searcher, bundle, id)?;
                }
            }
        }
    }
    panic!("the session asks without end");
}

fn bring(searcher: &mut Searcher, bundle: &Bundle, id: BlockId) -> Result<(), QueryError> {
    let request = searcher.request(id)?;
    let bytes = file(bundle, id.part.name());
    let start = (request.start as usize).min(bytes.len());
    let end = (start + request.bytes as usize).min(bytes.len());
    Ok(searcher.provide(id, &bytes[start..end])?)
}

pub fn query(text: &str, mode: Mode, vector: Option<[f32; 3]>) -> Query {
    Query { text: text.to_owned(), mode, limit: 10, vector: vector.map(Vec::from) }
}

pub fn titles(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.title.as_str()).collect()
}
