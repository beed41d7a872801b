//! Documents, chunks, vectors and graph to the files of a bundle. The same input gives the same bytes.

use crate::analysis::ANALYZER;
use crate::format::blocks::PartWriter;
use crate::format::manifest::{Manifest, ModelReference, PartFile, ProjectSummary, ROOT_NAME};
use crate::format::{FORMAT_VERSION, Part, root::Root};
use crate::lexical::InvertedIndex;
use crate::records::{ChunkMapRow, ChunkRecord, DocumentRecord, SectionStart, write_blocks};
use crate::vector::graph::Graph;
use crate::vector::quantize::{quantize_row, step_for};
use std::collections::BTreeMap;
use std::ops::Range;

/// Raw size of a block of text: an excerpt needs one, seldom two.
const TEXT_BLOCK_BYTES: usize = 16 << 10;
/// Raw size of a block of the graph, which is read whole.
const GRAPH_BLOCK_BYTES: usize = 256 << 10;
/// Rows in a block of the chunk map.
const CHUNK_MAP_BLOCK_BYTES: usize = 32 << 10;
/// Rows in a block of vectors.
const VECTOR_BLOCK_ROWS: usize = 256;
/// Digits of the hash in a file name.
const NAME_DIGITS: usize = 16;

/// A document to be written.
#[derive(Clone, Debug)]
pub struct BundleDocument {
    /// Its record; the numbers of its chunks are filled in.
    pub record: DocumentRecord,
    /// Its whole text.
    pub text: String,
    /// Its chunks, which cover the text without gap or overlap; at least one.
    pub chunks: Vec<BundleChunk>,
}

/// A chunk to be written.
#[derive(Clone, Debug)]
pub struct BundleChunk {
    /// Its bytes in the document's text.
    pub range: Range<usize>,
    /// Words indexed in front of its text: title and headings.
    pub context: String,
    /// Sections, as in the chunk record.
    pub sections: Vec<SectionStart>,
}

/// The model of a bundle, and its pack if the bundle ships it.
#[derive(Clone, Copy, Debug)]
pub struct NamedModel<'a> {
    /// Name for people.
    pub name: &'a str,
    /// Hash of the pack.
    pub hash: &'a str,
    /// Length of a vector.
    pub dimensions: u32,
    /// Bytes of the pack, to be a file of the bundle.
    pub pack: Option<&'a [u8]>,
}

/// A file of a bundle.
#[derive(Clone, Debug)]
pub struct BundleFile {
    /// Name in the bundle's folder.
    pub name: String,
    /// Content.
    pub bytes: Vec<u8>,
}

/// A bundle ready to be stored: first all parts, then the manifest.
#[derive(Debug)]
pub struct Bundle {
    /// Immutable files; a shipped model pack is not among them, the host has its bytes.
    pub parts: Vec<BundleFile>,
    /// The manifest.
    pub manifest: Manifest,
}

/// Builds a bundle.
///
/// `documents` are in canonical order; `vectors` are `[chunks × dimensions]`, row-major, in chunk order.
///
/// # Panics
/// If the lengths of `vectors` and `graph` do not fit the chunks.
pub fn write_bundle(
    projects: &[String],
    documents: &[BundleDocument],
    vectors: &[f32],
    graph: &Graph,
    graph_entry: u32,
    model: NamedModel<'_>,
) -> Bundle {
    let mut root = Root::empty(model.dimensions);
    let mut text = String::new();
    let mut index = InvertedIndex::default();
    let mut chunk_map = Vec::new();
    let mut chunk_records = Vec::new();
    let mut document_records = Vec::new();
    let mut summaries: Vec<ProjectSummary> =
        projects.iter().map(|name| ProjectSummary { name: name.clone(), documents: 0, chunks: 0 }).collect();
    for (number, document) in documents.iter().enumerate() {
        let mut record = document.record.clone();
        record.first_chunk = chunk_records.len() as u32;
        record.chunks = document.chunks.len() as u32;
        let summary = &mut summaries[record.project as usize];
        summary.documents += 1;
        summary.chunks += record.chunks;
        for chunk in &document.chunks {
            let body = &document.text[chunk.range.clone()];
            let tokens = index.add(chunk_records.len() as u32, &format!("{}\n{body}", chunk.context));
            ChunkMapRow { document: number as u32, tokens }.write(&mut chunk_map);
            chunk_records.push(ChunkRecord {
                text_start: (text.len() + chunk.range.start) as u64,
                text_bytes: body.len() as u32,
                sections: chunk.sections.clone(),
            });
        }
        text.push_str(&document.text);
        document_records.push(record);
    }
    let rows = chunk_records.len();
    assert_eq!(vectors.len(), rows * model.dimensions as usize, "a vector for each chunk");
    assert_eq!(graph.len() as usize, rows, "a neighbour list for each chunk");

    let lexical = index.finish();
    root.documents = document_records.len() as u32;
    root.chunks = rows as u32;
    root.tokens = lexical.tokens;
    root.first_terms = lexical.first_terms;
    root.graph_entry = graph_entry;
    root.vector_step = step_for(vectors.to_vec());
    let mut codes = Vec::with_capacity(vectors.len());
    for row in vectors.chunks_exact(model.dimensions as usize) {
        quantize_row(row, root.vector_step, &mut codes);
    }
    let (documents, first_documents) = write_blocks(&document_records);
    let (chunks, first_chunks) = write_blocks(&chunk_records);
    root.first_documents = first_documents;
    root.first_chunks = first_chunks;
    let stream = |bytes: &[u8], block_bytes: usize| {
        let mut part = PartWriter::default();
        part.push_stream(bytes, block_bytes);
        part
    };
    let parts: [PartWriter; Part::ALL.len()] = [
        lexical.terms,
        lexical.postings,
        stream(&chunk_map, CHUNK_MAP_BLOCK_BYTES),
        documents,
        chunks,
        stream(text.as_bytes(), TEXT_BLOCK_BYTES),
        stream(&codes, VECTOR_BLOCK_ROWS * model.dimensions as usize),
        stream(&graph.to_bytes(), GRAPH_BLOCK_BYTES),
    ];
    assemble(&root, parts, summaries, model)
}

fn assemble(
    root: &Root,
    parts: [PartWriter; Part::ALL.len()],
    projects: Vec<ProjectSummary>,
    model: NamedModel<'_>,
) -> Bundle {
    let mut files = Vec::new();
    let mut entries: [Vec<_>; Part::ALL.len()] = Default::default();
    let mut named = BTreeMap::new();
    let mut add = |part: &str, bytes: Vec<u8>| {
        let file = part_file(part, "nf", &bytes);
        files.push(BundleFile { name: file.file.clone(), bytes });
        named.insert(part.to_owned(), file);
    };
    for (part, writer) in Part::ALL.into_iter().zip(parts) {
        let (bytes, blocks) = writer.finish();
        entries[part.index()] = blocks;
        add(part.name(), bytes);
    }
    add(ROOT_NAME, root.to_bytes(&entries));
    let manifest = Manifest {
        format: u64::from(FORMAT_VERSION),
        generation: String::new(),
        analyzer: ANALYZER.to_owned(),
        model: ModelReference {
            name: model.name.to_owned(),
            hash: model.hash.to_owned(),
            dimensions: model.dimensions,
            file: model.pack.map(|pack| part_file("model", crate::embed::model_pack::PACK_EXTENSION, pack)),
        },
        documents: root.documents,
        chunks: root.chunks,
        projects,
        parts: named,
    };
    Bundle { parts: files, manifest: manifest.sealed() }
}

fn part_file(name: &str, extension: &str, bytes: &[u8]) -> PartFile {
    let hash = blake3::hash(bytes).to_hex();
    PartFile {
        file: format!("{name}-{}.{extension}", &hash[..NAME_DIGITS]),
        bytes: bytes.len() as u64,
        hash: hash.to_string(),
    }
}
