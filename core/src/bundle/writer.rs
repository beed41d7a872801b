//! Documents, chunks, vectors, graph and query encoder to the files of a bundle. The same input gives the same bytes.

use super::code::BundleCode;
use super::text::{BundleText, Together};
use crate::embed::bert_words::NormalizerOptions;
use crate::format::Part;
use crate::format::blocks::{PartWriter, WrittenPart};
use crate::format::manifest::{Manifest, ModelReference};
use crate::format::root::{Facet, Pin, Root};
use crate::lexical::Synonyms;
use crate::query_encoder::table::{TokenParts, write_tokens};
use crate::records::map::{MapColumns, WEIGHT_STEPS};
use crate::records::{ChunkMap, Date, Directory, DocumentRecord, SectionStart};
use crate::vector::graph::Graph;
use crate::vector::rotation::Rotation;
use crate::vector::stored::write_vectors;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Value of one fine step. On all-MiniLM-L6-v2 the exact scan of such codes keeps .985 of the f32 top ten.
const STEP: f32 = 0.0042;
/// Components that have coarse codes and rows in the query encoder, where vectors have more: fewer lost ranking in
/// trials, more were not worth their bytes.
const NEAR_COMPONENTS: u32 = 192;
/// Raw size of a block of graph and catalog, which are read whole.
pub(super) const WHOLE_BLOCK_BYTES: usize = 256 << 10;

/// A document to be written.
#[derive(Clone, Debug, Default)]
pub struct BundleDocument {
    /// Its record.
    pub record: DocumentRecord,
    /// Its whole text.
    pub text: String,
    /// Its chunks, which cover the text without gap or overlap; at least one.
    pub chunks: Vec<BundleChunk>,
    /// What it can be filtered by: the values of each facet that it has.
    pub facets: BTreeMap<String, BTreeSet<String>>,
    /// What answers can be sorted by: numbers if every document has a number, else texts.
    pub sort: BTreeMap<String, String>,
    /// How much it counts: 1 is as much as others; 0, as by default, too.
    pub weight: f32,
    /// Byte of its path at which the part begins that tells areas apart.
    pub area_at: u32,
    /// When it was written or last changed.
    pub date: Option<Date>,
    /// The number of the document that is its latest version; `None` if there is no other.
    pub latest: Option<u32>,
    /// What a piece of source code has beside its text; `None` for every other document.
    pub code: Option<BundleCode>,
}

/// A chunk to be written.
#[derive(Clone, Debug, Default)]
pub struct BundleChunk {
    /// Its bytes in the document's text.
    pub range: Range<usize>,
    /// Sections, as in the chunk record.
    pub sections: Vec<SectionStart>,
    /// Words that it is also found by and that are not shown: the names of its columns. May be empty.
    pub context: String,
    /// What somebody wrote for it and is not shown: questions that it answers, a line on its document. May be empty.
    pub written: String,
}

/// The meaning of a bundle.
#[derive(Clone, Debug)]
pub struct BundleVectors<'a> {
    /// A rotated vector for each chunk, row-major, in chunk order.
    pub rotated: &'a [f32],
    /// The rotation.
    pub rotation: &'a Rotation,
    /// Neighbours of each chunk; none for a bundle of what pages fetch alone, without fine codes.
    pub graph: &'a Graph,
    /// Where walks of the graph begin.
    pub graph_entry: u32,
    /// The query encoder, if there is one.
    pub encoder: Option<&'a BundleEncoder>,
}

/// The table of token vectors to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct BundleEncoder {
    /// Words and pieces, ascending.
    pub tokens: Vec<String>,
    /// Their vectors, [`near_components`] each, row-major, of any common length.
    pub vectors: Vec<f32>,
    /// The tokens that most queries need, ascending.
    pub frequent: Vec<String>,
    /// How words are normalized.
    pub normalizer: NormalizerOptions,
    /// See [`Root::floors`].
    pub floors: [f32; 2],
    /// See [`Root::is_general`].
    pub is_general: bool,
}

/// What the owner of a site decides.
#[derive(Clone, Debug, Default)]
pub struct BundleOptions {
    /// Largest size of the files that queries read by block, for servers without range requests; 0 for no limit.
    pub file_limit: u32,
    /// Words that mean the same.
    pub synonyms: Synonyms,
    /// What precedes a path where the files of each project are shown; empty, or missing, for nowhere.
    pub sources: Vec<String>,
    /// Documents that come first for some queries.
    pub pins: Vec<Pin>,
    /// Whether exact texts are found without reading everything: by the part `trigrams`.
    pub trigrams: bool,
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
    /// The root.
    pub root: Root,
    /// The manifest, which holds the root.
    pub manifest: Manifest,
}

/// Components of vectors with `dimensions` components that have coarse codes.
pub const fn near_components(dimensions: usize) -> usize {
    if dimensions > NEAR_COMPONENTS as usize { NEAR_COMPONENTS as usize } else { dimensions }
}

/// The facets that some document has, and their values.
fn facets_of(documents: &[BundleDocument]) -> Vec<Facet> {
    let mut facets: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
    for (name, values) in documents.iter().flat_map(|document| &document.facets) {
        facets.entry(name).or_default().extend(values);
    }
    let facet = |(name, values): (&String, BTreeSet<&String>)| Facet {
        name: name.clone(),
        values: values.into_iter().cloned().collect(),
    };
    facets.into_iter().map(facet).collect()
}

/// What documents can be sorted by, each with the places of all documents.
fn orders_of(documents: &[BundleDocument]) -> BTreeMap<String, Vec<u32>> {
    let names: BTreeSet<&String> = documents.iter().flat_map(|document| document.sort.keys()).collect();
    let places = |name: &String| {
        let values: BTreeSet<String> =
            documents.iter().filter_map(|document| document.sort.get(name).cloned()).collect();
        let mut values: Vec<(Option<f64>, String)> =
            values.into_iter().map(|value| (value.trim().parse::<f64>().ok(), value)).collect();
        if values.iter().all(|(number, _)| number.is_some()) {
            values.sort_by(|(a, _), (b, _)| a.unwrap_or_default().total_cmp(&b.unwrap_or_default()));
        }
        let place_of: BTreeMap<String, u32> = values.into_iter().map(|(_, value)| value).zip(1..).collect();
        let place = |document: &BundleDocument| place_of.get(document.sort.get(name)?).copied();
        documents.iter().map(|document| place(document).unwrap_or(0)).collect()
    };
    names.into_iter().map(|name| (name.clone(), places(name))).collect()
}

/// A weight as the map has it: the number of times that it doubles 1, in eighths.
fn weight_steps(weight: f32) -> i8 {
    if weight > 0.0 { (libm::log2f(weight) * WEIGHT_STEPS).round() as i8 } else { 0 }
}

fn tokens_of(encoder: &BundleEncoder, near: usize) -> TokenParts {
    let all: Vec<&str> = encoder.tokens.iter().map(String::as_str).collect();
    let frequent: Vec<&str> = encoder.frequent.iter().map(String::as_str).collect();
    write_tokens(&all, &encoder.vectors, near, &frequent)
}

/// Builds a bundle of `documents`, of which [`write_text`](super::write_text) made `text`; `together` does the work.
///
/// # Panics
/// If the lengths of vectors and graph do not fit the chunks.
pub fn write_bundle(
    text: BundleText,
    documents: &[BundleDocument],
    vectors: &BundleVectors<'_>,
    model: ModelReference,
    options: &BundleOptions,
    together: Together<'_>,
) -> Bundle {
    let BundleText { projects, counts, lexical, pages, chunks_per_page, catalog, symbols, trigrams } = text;
    let dimensions = vectors.rotation.dimensions();
    let mut root = Root::empty(dimensions as u32);
    root.file_limit = options.file_limit;
    root.pins.clone_from(&options.pins);
    root.facets = facets_of(documents);
    let (orders, places): (Vec<String>, Vec<Vec<u32>>) = orders_of(documents).into_iter().unzip();
    root.orders = orders;
    root.projects = projects;
    let rows = counts.iter().map(|&count| count as usize).sum::<usize>();
    assert_eq!(vectors.rotated.len(), rows * dimensions, "a vector for each chunk");
    let is_near_only = vectors.graph.is_empty() && rows > 0;
    assert!(is_near_only || vectors.graph.len() as usize == rows, "a neighbour list for each chunk");

    root.documents = documents.len() as u32;
    root.chunks = rows as u32;
    root.tokens = lexical.tokens;
    root.chunk_lengths = lexical.lengths;
    root.chunks_per_page = chunks_per_page;
    root.term_separators = lexical.separators;
    root.spelling_keys = lexical.spelling_keys;
    root.graph_entry = vectors.graph_entry;
    let near = near_components(dimensions);
    let (definitions, first_documents) = symbols.definitions;
    let (names, name_separators) = symbols.names;
    let (mut stored, mut tokens) = (None, None);
    let (mut rotation, mut graph) = (PartWriter::default(), PartWriter::default());
    let (mut symbols, mut trigram_blocks) = (PartWriter::default(), PartWriter::default());
    together(vec![
        Box::new(|| stored = Some(write_vectors(vectors.rotated, dimensions, near, STEP, &counts))),
        Box::new(|| tokens = vectors.encoder.map(|encoder| tokens_of(encoder, near))),
        Box::new(|| rotation.push(&vectors.rotation.to_bytes())),
        Box::new(|| graph.push_stream(&vectors.graph.to_bytes(), WHOLE_BLOCK_BYTES)),
        Box::new(|| definitions.iter().chain(&names).for_each(|block| symbols.push(block))),
        Box::new(|| trigrams.blocks.iter().for_each(|block| trigram_blocks.push(block))),
    ]);
    let stored = stored.expect("its task was done");
    root.vectors = stored.layout;
    let tokens = tokens.map(|written: TokenParts| {
        root.token_separators = written.separators;
        root.frequent_tokens = written.frequent;
        written.tokens
    });
    if let Some(encoder) = vectors.encoder {
        root.normalizer = encoder.normalizer;
        root.floors = encoder.floors;
        root.is_general = encoder.is_general;
    }
    let mut parts: Vec<(Part, WrittenPart)> = Vec::new();
    for (part, writer) in [
        (Part::Terms, lexical.terms),
        (Part::Positions, lexical.positions),
        (Part::Spelling, lexical.spelling),
        (Part::Pages, pages),
        (Part::Catalog, catalog),
        (Part::Tokens, tokens.unwrap_or_default()),
        (Part::Rotation, rotation),
        (Part::Cells, stored.cells),
        (Part::Codes, stored.codes),
        (Part::Fine, if is_near_only { PartWriter::default() } else { stored.fine }),
        (Part::Graph, graph),
        (Part::Symbols, symbols),
        (Part::Trigrams, trigram_blocks),
    ] {
        parts.push((part, writer.finish(part, root.limit_of(part))));
    }
    let value = |facet: &Facet, document: &BundleDocument| {
        let values = document.facets.get(&facet.name).into_iter().flatten();
        values.filter_map(|value| facet.values.binary_search(value).ok()).map(|value| value as u32).collect()
    };
    let values_of = |facet| documents.iter().map(|document| value(facet, document)).collect();
    let values: Vec<Vec<Vec<u32>>> = root.facets.iter().map(values_of).collect();
    let weights: Vec<i8> = documents.iter().map(|document| weight_steps(document.weight)).collect();
    let latest: Vec<u32> = (0..).zip(documents).map(|(number, document)| document.latest.unwrap_or(number)).collect();
    let continues = |document: &BundleDocument| document.code.as_ref().is_some_and(|code| code.continues_file);
    let continues: Vec<bool> = documents.iter().map(continues).collect();
    let table = |wanted: Part| &parts.iter().find(|(part, _)| *part == wanted).expect("written above").1.table;
    let map = ChunkMap::to_blocks(&MapColumns {
        chunks_of_documents: &counts,
        facets: &values,
        weights: &weights,
        orders: &places,
        latest: &latest,
        continues_file: if root.has_code() { &continues } else { &[] },
        pages: table(Part::Pages),
        codes: table(Part::Codes),
    });
    let directory = Directory {
        symbols: table(Part::Symbols).clone(),
        first_documents,
        name_separators,
        trigrams: table(Part::Trigrams).clone(),
        first_trigrams: trigrams.firsts,
        inside_lines: trigrams.inside_lines,
    };
    let is_empty = directory.symbols.is_empty() && directory.trigrams.is_empty();
    let directory = if is_empty { Vec::new() } else { vec![directory.to_bytes()] };
    for (part, blocks) in [(Part::Map, map), (Part::Directory, directory)] {
        let mut writer = PartWriter::default();
        blocks.iter().for_each(|raw| writer.push(raw));
        parts.push((part, writer.finish(part, root.limit_of(part))));
    }

    let mut files = Vec::new();
    for (part, written) in parts {
        root.set_table(part, &written.table);
        for (number, bytes) in written.files.into_iter().enumerate() {
            files.push(BundleFile { name: root.file_name(part, number as u32), bytes });
        }
    }
    let manifest = Manifest::new(&root, model);
    Bundle { parts: files, root, manifest }
}
