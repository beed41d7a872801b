//! Writes documents, chunks, vectors, graph and query encoder to the files of a bundle. The same input always produces
//! the same bytes.

use super::code::WrittenSymbols;
use super::columns::{facets_of, map_blocks, orders_of};
use super::input::{BundleDocument, BundleEncoder, BundleOptions, BundleVectors};
use super::text::{BundleText, Together, WHOLE_BLOCK_BYTES};
use crate::format::blocks::{BlockTable, PartWriter, WrittenPart};
use crate::format::manifest::{Manifest, ModelReference};
use crate::format::proof::proof_of;
use crate::format::root::{Root, chunk_length};
use crate::format::{Language, Part};
use crate::grep::WrittenTrigrams;
use crate::query_encoder::table::{TokenParts, write_tokens};
use crate::records::Directory;
use crate::vector::stored::{StoredVectors, write_vectors};

/// The size of a step in fine codes. With all-MiniLM-L6-v2, an exact scan of such codes finds .985 of the top ten that
/// f32 vectors find.
const STEP: f32 = 0.0042;
/// The maximum number of components with coarse codes and rows in the query encoder. In trials, fewer components made
/// the ranking worse, and more components were not worth their bytes.
const NEAR_COMPONENTS: u32 = 192;
/// The minimum number of vectors needed to tell whether they are crowded.
const FEWEST_VECTORS: usize = 8;
/// With this many vectors or more, similar pages no longer make a site look crowded.
const ENOUGH_VECTORS: usize = 50;
/// The mean cosine above which vectors are crowded, for few and for enough vectors. Within a site, the mean is .3 for
/// MiniLM and .85 for e5.
const CROWDED_COSINES: [f64; 2] = [0.75, 0.6];
/// A file of a bundle.
#[derive(Clone, Debug)]
pub struct BundleFile {
    /// The file's name in the bundle's folder.
    pub name: String,
    /// The file's content.
    pub bytes: Vec<u8>,
}

/// A bundle that is ready to be stored. Store all parts before the manifest.
///
/// [`crate::bundle`] has an example.
#[derive(Debug)]
pub struct Bundle {
    /// The immutable files. A shipped model pack is not among them, because the host has its bytes.
    pub parts: Vec<BundleFile>,
    /// The root.
    pub root: Root,
    /// The manifest, which contains the root.
    pub manifest: Manifest,
}

/// Whether `vectors`, row-major and of unit length, lie close together. With some models, all vectors have a cosine of
/// .8 with each other, whatever the texts. Returns `false` for too few vectors, which prove nothing.
pub fn is_crowded(vectors: &[f32], dimensions: usize) -> bool {
    let rows = vectors.chunks_exact(dimensions.max(1));
    let count = rows.len();
    let mut sum = vec![0.0f64; dimensions];
    rows.for_each(|row| sum.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value)));
    let pairs = (count * count.saturating_sub(1)) as f64;
    let cosines = sum.iter().map(|sum| sum * sum).sum::<f64>() - count as f64;
    count >= FEWEST_VECTORS && cosines > CROWDED_COSINES[usize::from(count >= ENOUGH_VECTORS)] * pairs
}

/// Returns the number of components with coarse codes in vectors of `dimensions` components.
pub const fn near_components(dimensions: usize) -> usize {
    if dimensions > NEAR_COMPONENTS as usize { NEAR_COMPONENTS as usize } else { dimensions }
}

fn tokens_of(encoder: &BundleEncoder, near: usize) -> TokenParts {
    let all: Vec<&str> = encoder.tokens.iter().map(String::as_str).collect();
    let frequent: Vec<&str> = encoder.frequent.iter().map(String::as_str).collect();
    write_tokens(&all, &encoder.vectors, near, &frequent)
}

/// Builds a bundle of `documents`. [`write_text`](super::write_text) made `text` from them. `together` runs the tasks.
///
/// # Panics
/// Panics if the lengths of vectors and graph do not match the chunks.
pub fn write_bundle(
    text: BundleText,
    documents: &[BundleDocument],
    vectors: &BundleVectors<'_>,
    model: ModelReference,
    options: &BundleOptions,
    together: Together<'_>,
) -> Bundle {
    let is_near_only = lacks_graph(vectors, &text.counts);
    let compressed = Compressed::of(vectors, &text.counts, &text.symbols, &text.trigrams, together);
    let (orders, places): (Vec<String>, Vec<Vec<u32>>) = orders_of(documents).into_iter().unzip();
    let mut root = root_of(&text, documents, vectors, options);
    root.orders = orders;
    root.vectors = compressed.vectors.layout.clone();
    if let Some(tokens) = &compressed.tokens {
        root.token_separators.clone_from(&tokens.separators);
        root.frequent_tokens.clone_from(&tokens.frequent);
    }
    let BundleText { counts, lexical, pages, catalog, symbols, trigrams, .. } = text;
    let mut parts = Parts::default();
    for (part, writer) in [
        (Part::Terms, lexical.terms),
        (Part::Positions, lexical.positions),
        (Part::Spelling, lexical.spelling),
        (Part::Pages, pages),
        (Part::Catalog, catalog),
        (Part::Tokens, compressed.tokens.map(|tokens| tokens.tokens).unwrap_or_default()),
        (Part::Rotation, compressed.rotation),
        (Part::Cells, compressed.vectors.cells),
        (Part::Codes, compressed.vectors.codes),
        (Part::Fine, if is_near_only { PartWriter::default() } else { compressed.vectors.fine }),
        (Part::Graph, compressed.graph),
        (Part::Symbols, compressed.symbols),
        (Part::Trigrams, compressed.trigrams),
    ] {
        parts.finish(part, writer, &root);
    }
    // These two parts contain the tables of other parts.
    let map = map_blocks(documents, &root, &counts, &places, parts.table(Part::Pages), parts.table(Part::Codes));
    parts.finish(Part::Map, blocks_of(&map), &root);
    let directory = directory_of(symbols, trigrams, &parts);
    parts.finish(Part::Directory, blocks_of(&directory), &root);
    parts.into_bundle(root, model)
}

/// Whether there is a vector for each chunk and no graph, as in a bundle that has only the data for pages.
fn lacks_graph(vectors: &BundleVectors<'_>, counts: &[u32]) -> bool {
    let chunks = counts.iter().map(|&count| count as usize).sum::<usize>();
    assert_eq!(vectors.rotated.len(), chunks * vectors.rotation.dimensions(), "a vector for each chunk");
    let is_near_only = vectors.graph.is_empty() && chunks > 0;
    assert!(is_near_only || vectors.graph.len() as usize == chunks, "a neighbor list for each chunk");
    is_near_only
}

/// The parts whose compression takes time.
struct Compressed {
    vectors: StoredVectors,
    tokens: Option<TokenParts>,
    rotation: PartWriter,
    graph: PartWriter,
    symbols: PartWriter,
    trigrams: PartWriter,
}

impl Compressed {
    fn of(
        vectors: &BundleVectors<'_>,
        counts: &[u32],
        symbols: &WrittenSymbols,
        trigrams: &WrittenTrigrams,
        together: Together<'_>,
    ) -> Self {
        let dimensions = vectors.rotation.dimensions();
        let near = near_components(dimensions);
        let (mut stored, mut tokens) = (None, None);
        let (mut rotation, mut graph) = (PartWriter::default(), PartWriter::default());
        let (mut symbol_blocks, mut trigram_blocks) = (PartWriter::default(), PartWriter::default());
        let of_symbols = || symbols.definitions.0.iter().chain(&symbols.names.0);
        together(vec![
            Box::new(|| stored = Some(write_vectors(vectors.rotated, dimensions, near, STEP, counts))),
            Box::new(|| tokens = vectors.encoder.map(|encoder| tokens_of(encoder, near))),
            Box::new(|| rotation.push(&vectors.rotation.to_bytes())),
            Box::new(|| graph.push_stream(&vectors.graph.to_bytes(), WHOLE_BLOCK_BYTES)),
            Box::new(|| of_symbols().for_each(|block| symbol_blocks.push(block))),
            Box::new(|| trigrams.blocks.iter().for_each(|block| trigram_blocks.push(block))),
        ]);
        Self {
            vectors: stored.expect("its task was done"),
            tokens,
            rotation,
            graph,
            symbols: symbol_blocks,
            trigrams: trigram_blocks,
        }
    }
}

/// Returns the root, without the entries that depend on finished parts.
fn root_of(
    text: &BundleText,
    documents: &[BundleDocument],
    vectors: &BundleVectors<'_>,
    options: &BundleOptions,
) -> Root {
    let mut root = Root::empty(vectors.rotation.dimensions() as u32);
    root.file_limit = options.file_limit;
    root.pins.clone_from(&options.pins);
    root.facets = facets_of(documents);
    root.projects.clone_from(&text.projects);
    root.documents = documents.len() as u32;
    root.chunks = text.counts.iter().sum();
    root.tokens = text.lexical.tokens;
    root.chunk_lengths = text.lexical.lengths;
    root.chunks_per_page = text.chunks_per_page;
    root.term_separators.clone_from(&text.lexical.separators);
    root.spelling_keys.clone_from(&text.lexical.spelling_keys);
    root.graph_entry = vectors.graph_entry;
    root.languages = Language::write_all(&options.languages);
    root.knows_latin_alone = vectors.knows_latin_alone;
    root.chunk_length = chunk_length(is_crowded(vectors.rotated, vectors.rotation.dimensions()));
    if let Some(encoder) = vectors.encoder {
        root.normalizer = encoder.normalizer;
        root.floors = encoder.floors;
        root.is_general = encoder.is_general;
    }
    root
}

/// Returns the directory, if it has any content.
fn directory_of(symbols: WrittenSymbols, trigrams: WrittenTrigrams, parts: &Parts) -> Vec<Vec<u8>> {
    let directory = Directory {
        symbols: parts.table(Part::Symbols).clone(),
        first_documents: symbols.definitions.1,
        name_separators: symbols.names.1,
        trigrams: parts.table(Part::Trigrams).clone(),
        first_trigrams: trigrams.firsts,
        inside_lines: trigrams.inside_lines,
    };
    let is_empty = directory.symbols.is_empty() && directory.trigrams.is_empty();
    if is_empty { Vec::new() } else { vec![directory.to_bytes()] }
}

fn blocks_of(blocks: &[Vec<u8>]) -> PartWriter {
    let mut writer = PartWriter::default();
    blocks.iter().for_each(|raw| writer.push(raw));
    writer
}

/// Parts in their stored form.
#[derive(Default)]
struct Parts(Vec<(Part, WrittenPart)>);

impl Parts {
    fn finish(&mut self, part: Part, writer: PartWriter, root: &Root) {
        self.0.push((part, writer.finish(part, root.limit_of(part))));
    }

    /// Returns the table of a finished part.
    fn table(&self, part: Part) -> &BlockTable {
        &self.0.iter().find(|(finished, _)| *finished == part).expect("finished before").1.table
    }

    fn into_bundle(self, mut root: Root, model: ModelReference) -> Bundle {
        let mut files = Vec::new();
        let hash = |part: Part| self.0.iter().find(|(finished, _)| *finished == part).map(|(_, written)| written.hash);
        let proof = proof_of(Part::ALL.into_iter().filter_map(hash));
        for (part, written) in self.0 {
            root.set_table(part, &written.table);
            for (number, bytes) in written.files.into_iter().enumerate() {
                files.push(BundleFile { name: root.file_name(part, number as u32), bytes });
            }
        }
        let manifest = Manifest::new(&root, model, proof);
        Bundle { parts: files, root, manifest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_crowded_where_all_lie_close_together() {
        let around = |centre: f32, count: usize| -> Vec<f32> {
            let row = |number: usize| {
                let angle = centre + number as f32;
                [angle.cos() * 0.3, angle.sin() * 0.3, (1.0f32 - 0.09).sqrt()]
            };
            (0..count).flat_map(row).collect()
        };
        assert!(is_crowded(&around(0.0, 60), 3), "a cosine of .9");
        assert!(is_crowded(&around(0.0, 10), 3), "few with a cosine of .9");
        assert!(!is_crowded(&around(0.0, 5), 3), "too few to tell");
        let apart: Vec<f32> =
            (0..60).flat_map(|number| if number % 2 == 0 { [1.0, 0.0] } else { [0.0, 1.0] }).collect();
        assert!(!is_crowded(&apart, 2), "a cosine of one half");
    }
}
