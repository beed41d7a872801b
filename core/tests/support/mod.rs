//! A small bundle in memory, with vectors of three dimensions: rust, search, cooking.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part of the support code")]

use nearfind_core::bundle::{
    Bundle, BundleChunk, BundleDocument, BundleEncoder, BundleOptions, BundleVectors, one_by_one, write_bundle,
    write_text,
};
use nearfind_core::embed::bert_words::NormalizerOptions;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::format::manifest::{ModelModule, ModelReference};
use nearfind_core::reader::BundleReader;
use nearfind_core::records::{Date, DocumentRecord, DocumentVersion, SectionStart};
use nearfind_core::search::{Advance, Answer, Mode, Query, QueryError, Reach, Session};
use nearfind_core::vector::graph::Graph;
use nearfind_core::vector::rotation::Rotation;

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

/// The query encoder's words and pieces with their vectors, ascending.
pub const TOKENS: &[(&str, [f32; 3])] = &[
    ("##ing", [0.0, 0.0, 0.1]),
    ("a", [0.01, 0.01, 0.01]),
    ("bak", [0.0, 0.1, 0.8]),
    ("loaf", [0.0, 0.0, 0.9]),
    ("order", [0.1, 0.9, 0.0]),
    ("own", [0.9, 0.0, 0.1]),
];

pub const IDENTITY: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

pub fn encoder() -> BundleEncoder {
    BundleEncoder {
        tokens: TOKENS.iter().map(|(token, _)| (*token).to_owned()).collect(),
        vectors: TOKENS.iter().flat_map(|(_, vector)| *vector).collect(),
        frequent: vec!["a".into()],
        normalizer: NormalizerOptions::UNCASED,
        floors: [0.0; 2],
        is_general: false,
    }
}

pub fn bundle() -> Bundle {
    build(Some(&encoder()), 0)
}

pub fn build(encoder: Option<&BundleEncoder>, file_limit: u32) -> Bundle {
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
                sections: vec![SectionStart { at: 0, title: "Section".into(), anchor: "section".into() }],
                ..BundleChunk::default()
            }],
            ..BundleDocument::default()
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
    write(&["docs".into()], &documents, &vectors, &graph, encoder, file_limit)
}

/// `count` documents on a circle in the plane of the first two dimensions, each linked with others near and far, with the hour
/// that each would be at on a clock of 24. The first one's text says "circle" once more.
pub fn circle(count: u32) -> Bundle {
    let links =
        |number: u32| [1, 10, 100, 1000].iter().flat_map(move |step| [number + step, number + count - step % count]);
    let graph = Graph::new((0..count).map(|number| links(number).map(|link| link % count).collect()).collect());
    circle_with(count, &graph)
}

/// Returns the same bundle with a different graph, or with an empty one, like that of a very large site.
pub fn circle_with(count: u32, graph: &Graph) -> Bundle {
    let text = |number: u32| if number == 0 { "On a circle, a circle.\n" } else { "On a circle.\n" };
    let document = |number: u32| BundleDocument {
        record: DocumentRecord {
            id: number.to_string(),
            title: format!("Point {number}"),
            ..DocumentRecord::default()
        },
        text: text(number).to_owned(),
        chunks: vec![BundleChunk {
            range: 0..text(number).len(),
            sections: vec![SectionStart::default()],
            ..BundleChunk::default()
        }],
        facets: [("hour".to_owned(), [(number * 24 / count).to_string()].into())].into(),
        ..BundleDocument::default()
    };
    let documents: Vec<_> = (0..count).map(document).collect();
    let angle = |number: u32| number as f32 / count as f32 * std::f32::consts::TAU;
    let vectors: Vec<f32> = (0..count).flat_map(|number| [angle(number).cos(), angle(number).sin(), 0.0]).collect();
    write(&["points".into()], &documents, &vectors, graph, None, 0)
}

pub fn write(
    projects: &[String],
    documents: &[BundleDocument],
    rotated: &[f32],
    graph: &Graph,
    encoder: Option<&BundleEncoder>,
    file_limit: u32,
) -> Bundle {
    let options = BundleOptions { file_limit, trigrams: true, ..BundleOptions::default() };
    write_with(projects, documents, rotated, graph, encoder, &options)
}

pub fn write_with(
    projects: &[String],
    documents: &[BundleDocument],
    rotated: &[f32],
    graph: &Graph,
    encoder: Option<&BundleEncoder>,
    options: &BundleOptions,
) -> Bundle {
    let rotation = Rotation::new(IDENTITY.to_vec(), 3);
    let vectors =
        BundleVectors { rotated, rotation: &rotation, graph, graph_entry: 0, encoder, knows_latin_alone: true };
    let model = ModelReference {
        name: "toy".into(),
        hash: "0".repeat(64),
        module: ModelModule::Embed,
        probe: None,
        file: None,
        small: None,
    };
    write_bundle(
        write_text(projects, documents, options, &one_by_one),
        documents,
        &vectors,
        model,
        options,
        &one_by_one,
    )
}

pub fn open(bundle: &Bundle) -> BundleReader {
    BundleReader::new(bundle.manifest.root().unwrap())
}

/// Runs a query to its end against the files of `bundle`, as they are; gives the previews as well.
pub fn ask_all(reader: &mut BundleReader, bundle: &Bundle, query: Query) -> Result<Vec<Answer>, QueryError> {
    let mut session = Session::new(&[&*reader], query)?;
    let mut answers = Vec::new();
    // Map and dictionaries, codes and pages, pages of the fused list, with two previews between: more would never end.
    for _ in 0..8 {
        match session.advance(&[&*reader])? {
            Advance::Done(answer) => {
                answers.push(*answer);
                return Ok(answers);
            }
            Advance::Preview(answer) => answers.push(*answer),
            Advance::Need(blocks) => blocks.into_iter().try_for_each(|(_, id)| bring(reader, bundle, id))?,
        }
    }
    panic!("the session asks without end");
}

pub fn ask(reader: &mut BundleReader, bundle: &Bundle, query: Query) -> Result<Answer, QueryError> {
    Ok(ask_all(reader, bundle, query)?.pop().unwrap())
}

/// The stored bytes of a block, as far as the files have them.
pub fn stored(
    reader: &BundleReader,
    bundle: &Bundle,
    id: BlockId,
) -> Result<Vec<u8>, nearfind_core::format::FormatError> {
    let request = reader.request(id)?;
    let file = bundle.parts.iter().find(|file| file.name == request.file);
    let bytes = file.map_or(&[][..], |file| &file.bytes);
    let start = (request.start as usize).min(bytes.len());
    let end = (start + request.bytes as usize).min(bytes.len());
    Ok(bytes[start..end].to_vec())
}

pub fn bring(reader: &mut BundleReader, bundle: &Bundle, id: BlockId) -> Result<(), QueryError> {
    let stored = stored(reader, bundle, id)?;
    Ok(reader.provide(id, &stored)?)
}

/// Returns a query that shows the whole ranking, with weak matches.
pub fn query(text: &str, mode: Mode, vector: Option<[f32; 3]>) -> Query {
    let vector = vector.map(Vec::from);
    Query { text: text.into(), mode, limit: 10, vector, reach: Reach::Full, unfit: true, ..Query::default() }
}

pub fn titles(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.title.as_str()).collect()
}

/// A guide in two versions in one project, and a page of another.
pub fn site(options: &BundleOptions) -> Bundle {
    const PAGES: [(u32, &str, &str, Option<&str>); 3] = [
        (0, "Guide 1", "Install the package from a floppy disk.\n", Some("1.0")),
        (0, "Guide 2", "Install the package from the network.\n", Some("2.0")),
        (1, "Tool", "It builds a package.\n", None),
    ];
    let versions =
        ["2.0", "1.0"].map(|version| DocumentVersion { version: version.into(), ..DocumentVersion::default() });
    let page = |&(project, title, text, version): &(u32, &str, &str, Option<&str>)| BundleDocument {
        record: DocumentRecord {
            project,
            title: title.to_owned(),
            path: format!("docs/{}/{}.md", ["odd", "even"][project as usize], title.to_lowercase()),
            versions: version.map_or(Vec::new(), |_| versions.to_vec()),
            ..DocumentRecord::default()
        },
        text: text.into(),
        chunks: vec![BundleChunk {
            range: 0..text.len(),
            sections: vec![SectionStart::default()],
            ..BundleChunk::default()
        }],
        facets: version.map(|version| ("version".to_owned(), [version.to_owned()].into())).into_iter().collect(),
        latest: version.map(|_| 1),
        area_at: 5,
        date: Date::parse(if project == 0 { "2024-05-01" } else { "2023" }),
        ..BundleDocument::default()
    };
    let documents: Vec<BundleDocument> = PAGES.iter().map(page).collect();
    let rotation = Rotation::new(IDENTITY.to_vec(), 3);
    let graph = Graph::new(vec![vec![1], vec![2], vec![0]]);
    let rotated = &IDENTITY;
    let vectors = BundleVectors {
        rotated,
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
    let text = write_text(&["app".into(), "tool".into()], &documents, options, &one_by_one);
    write_bundle(text, &documents, &vectors, model, options, &one_by_one)
}
