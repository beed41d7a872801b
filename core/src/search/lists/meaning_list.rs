//! The list by meaning: documents by the cosine of their best chunk.
//!
//! Near: every document has a few codes of its own. On a small site, they are fetched for all documents, and on a large
//! site, for the clusters that are nearest to the query. They tell which documents are promising, and coarse codes are
//! fetched only for the chunks of these documents. The others keep an estimate, so that the list has the same
//! statistics.
//!
//! Full: the fine codes of all chunks are compared, by scan or walk, if the host has them.

use super::found::VectorCost;
use super::method::{VectorMethod, choose_method};
use super::ranking::{RankedDocument, by_document, sorted};
use crate::collection::{SortedSet, best_first};
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::rank::LIST_DOCUMENTS;
use crate::reader::BundleReader;
use crate::search::query::query_settings::Reach;
use crate::search::query::scope::Scope;
use crate::vector::cells::Cluster;
use crate::vector::codes::COARSE;
use crate::vector::query_codes::QueryCodes;
use crate::vector::{dot_coarse, dot_fine, exact_scan, graph_search};

/// The number of chunks to keep for each requested document, because documents repeat among the nearest chunks.
const CHUNKS_PER_DOCUMENT: usize = 3;
/// The number of documents, best by their own codes, whose chunks are compared.
const PROMISING_BY_MEANING: usize = 40;
/// The number of documents, best by words, whose chunks are compared as well.
const PROMISING_BY_WORDS: usize = 16;

/// How many of a bundle's codes are compared, if not all are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Breadth {
    /// The number of clusters to read first, and the maximum number.
    pub clusters: [usize; 2],
    /// The number of documents whose chunks are compared: best by their own codes, and best by words.
    promising: [usize; 2],
}

impl Breadth {
    /// Returns the breadth for `reach`. It is larger than that of a page for a host that has the bundle, if the bundle
    /// has no fine codes.
    pub(crate) const fn of(reach: Reach) -> Self {
        let times = if matches!(reach, Reach::Near) { 1 } else { 4 };
        Self {
            clusters: [times * CLUSTERS[0], times * CLUSTERS[1]],
            promising: [times * PROMISING_BY_MEANING, times * PROMISING_BY_WORDS],
        }
    }
}

/// The list, and how it was made.
#[derive(Debug, Default)]
pub(crate) struct MeaningList {
    /// Documents, best first.
    pub ranked: Vec<RankedDocument>,
    /// Chunks with their cosines: all chunks of promising documents, or the nearest ones.
    pub cosines: Vec<(u32, f32)>,
    /// How vectors were searched, or `None` if no word of the query has a vector, so that nothing is near.
    pub cost: Option<VectorCost>,
}

/// The number of clusters of documents' codes that are read first for a question, and the maximum number. More clusters
/// are read if filters leave few documents.
const CLUSTERS: [usize; 2] = [48, 192];

/// Returns the cosine of each document's nearest code, by document number, in `clusters`, or in all codes if there are
/// no clusters. For a document without a code that was read, the cosine is not finite.
pub(crate) fn cell_cosines(
    reader: &BundleReader,
    query: &QueryCodes,
    clusters: &[u32],
) -> Result<Vec<f32>, FormatError> {
    let layout = &reader.root().vectors;
    let mut cosines = vec![f32::NEG_INFINITY; reader.root().documents as usize];
    let mut note = |codes: &Cluster| {
        codes.each(query, &layout.near, layout.step, |document, cosine| {
            let known = &mut cosines[document as usize];
            *known = known.max(cosine);
        });
    };
    note(reader.cells()?.all());
    for &cluster in clusters {
        note(reader.cluster(cluster)?);
    }
    Ok(cosines)
}

/// Returns how many documents in `scope` have a code that was read.
pub(crate) fn read_in_scope(cell_cosines: &[f32], scope: &Scope) -> usize {
    let read = (0u32..).zip(cell_cosines).filter(|(_, cosine)| cosine.is_finite());
    read.filter(|(document, _)| scope.admits(*document)).count()
}

/// Returns the documents in `scope` whose chunks are worth comparing, ascending.
pub(crate) fn promising(
    cell_cosines: &[f32],
    by_words: &[RankedDocument],
    scope: &Scope,
    breadth: Breadth,
) -> SortedSet<u32> {
    let [most_by_meaning, most_by_words] = breadth.promising;
    let by_meaning = best_first(cell_cosines.iter().copied()).into_iter();
    let is_read = |document: &u32| cell_cosines[*document as usize].is_finite() && scope.admits(*document);
    let by_meaning = by_meaning.filter(is_read).take(most_by_meaning);
    by_meaning.chain(by_words.iter().take(most_by_words).map(|ranked| ranked.document)).collect()
}

/// Returns the blocks with the coarse codes of `documents`.
pub(crate) fn code_blocks(documents: &SortedSet<u32>) -> impl Iterator<Item = BlockId> {
    documents.as_slice().iter().map(|&document| BlockId { part: Part::Codes, block: document })
}

/// Returns the known documents in `scope`, best first: the `promising` ones by their best chunk, and the others by an
/// estimate.
pub(crate) fn rank_near(
    reader: &BundleReader,
    query: &QueryCodes,
    cell_cosines: &[f32],
    promising: &SortedSet<u32>,
    scope: &Scope,
) -> Result<MeaningList, FormatError> {
    let (root, map) = (reader.root(), reader.map()?);
    let layout = &root.vectors;
    let cosine = query.cosine_of(&layout.near.centers, layout.step, COARSE);
    let mut ranked = Vec::with_capacity(cell_cosines.len());
    let mut cosines = Vec::new();
    let (mut lead, mut leading) = (0.0f64, 0.0f64);
    for &document in promising.as_slice() {
        let chunks = map.chunks_of(document);
        let rows = reader.codes_of(document)?.chunks_exact(layout.near.len().max(1));
        let mut best: Option<f32> = None;
        for (row, chunk) in rows.zip(chunks.clone()) {
            let score = cosine.of(dot_coarse(&query.codes, row));
            cosines.push((chunk, score));
            best = Some(best.map_or(score, |best| best.max(score)));
        }
        if let Some(best) = best {
            if cell_cosines[document as usize].is_finite() {
                lead += f64::from(best - cell_cosines[document as usize]);
                leading += 1.0;
            }
            ranked.push(RankedDocument { document, score: best });
        }
    }
    let read = cell_cosines.iter().filter(|cosine| cosine.is_finite()).count();
    let compared = (read + cosines.len()) as u32;
    // A document's best chunk is nearer than its mean. The difference is estimated from the documents that were
    // compared.
    let lead = (lead / leading.max(1.0)) as f32;
    let is_read = |document: &u32| cell_cosines[*document as usize].is_finite();
    let is_other = |document: &u32| is_read(document) && scope.admits(*document) && !promising.contains(document);
    let others = (0..root.documents).filter(is_other);
    ranked.extend(others.map(|document| RankedDocument { document, score: cell_cosines[document as usize] + lead }));
    for found in &mut ranked {
        found.score = score_of(found.score, map.chunks_of(found.document).len() as f32, root.chunk_length);
    }
    let cost = VectorCost { method: VectorMethod::Cells, compared };
    Ok(MeaningList { ranked: sorted(&ranked, usize::MAX), cosines, cost: Some(cost) })
}

/// Returns a document's score by meaning, computed from the cosine of its best chunk: see
/// [`Root::chunk_length`](crate::format::root::Root::chunk_length).
pub(crate) fn score_of(cosine: f32, chunks: f32, length: f32) -> f32 {
    cosine - length * libm::logf(chunks)
}

/// Whether any query walks the graph of a bundle with `chunks` chunks. Even a query for few documents needs as many
/// chunks as are fused.
pub const fn is_ever_walked(chunks: usize) -> bool {
    matches!(choose_method(chunks, LIST_DOCUMENTS * CHUNKS_PER_DOCUMENT), VectorMethod::Walk)
}

/// Returns the method of searching all chunks for `depth` documents. A walk cannot be limited to a scope.
pub(crate) fn full_method(reader: &BundleReader, depth: usize, scope: &Scope) -> VectorMethod {
    match choose_method(reader.root().chunks as usize, depth * CHUNKS_PER_DOCUMENT) {
        VectorMethod::Walk if !scope.is_everything() => VectorMethod::Scan,
        method => method,
    }
}

/// Returns the blocks that [`rank_full`] reads. The map must be loaded.
pub(crate) fn full_blocks(reader: &BundleReader, depth: usize, scope: &Scope) -> Result<Vec<BlockId>, FormatError> {
    let graph = (full_method(reader, depth, scope) == VectorMethod::Walk).then_some(Part::Graph);
    let mut blocks = Vec::new();
    for part in [Some(Part::Codes), Some(Part::Fine), graph].into_iter().flatten() {
        blocks.extend((0..reader.table(part)?.len()).map(|block| BlockId { part, block }));
    }
    Ok(blocks)
}

/// Ranks the documents in `scope` by their best chunk, best first.
pub(crate) fn rank_full(
    reader: &BundleReader,
    query: &QueryCodes,
    depth: usize,
    scope: &Scope,
) -> Result<MeaningList, FormatError> {
    let (root, map) = (reader.root(), reader.map()?);
    let fine = reader.fine()?;
    let kept = depth * CHUNKS_PER_DOCUMENT;
    let method = full_method(reader, depth, scope);
    let (nearest, compared) = if method == VectorMethod::Walk {
        let score = |chunk| dot_fine(&query.codes, fine.row(chunk));
        let walk = graph_search::walk(reader.graph()?, root.graph_entry, kept, score);
        (walk.nearest, walk.compared)
    } else {
        let rows = (0..).zip(fine.codes().chunks_exact(root.vectors.dimensions as usize));
        let in_scope = |chunk| scope.is_everything() || scope.admits(map.document_of(chunk));
        let score = |(chunk, row)| if in_scope(chunk) { dot_fine(&query.codes, row) } else { i32::MIN };
        (exact_scan::nearest(rows.map(score), kept), root.chunks)
    };
    let cosine = query.cosine_of(&fine.centers, root.vectors.step, 1);
    let nearest = nearest.into_iter().filter(|found| found.score > i32::MIN);
    let cosines: Vec<(u32, f32)> = nearest.map(|found| (found.chunk, cosine.of(found.score))).collect();
    let ranked =
        by_document(map, cosines.iter().copied(), depth, |best, _, chunks| score_of(best, chunks, root.chunk_length));
    Ok(MeaningList { ranked, cosines, cost: Some(VectorCost { method, compared }) })
}
