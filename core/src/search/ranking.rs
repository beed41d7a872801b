//! Ranked documents from postings and from vectors.

use super::answer::VectorCost;
use super::method::{VectorMethod, choose_method};
use super::searcher::Searcher;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::lexical::bm25::{inverse_document_frequency, term_score};
use crate::lexical::postings;
use crate::lexical::term_dictionary::TermEntry;
use crate::records::{CHUNK_MAP_ROW, ChunkMapRow};
use crate::vector::quantize::QueryCodes;
use crate::vector::{Neighbour, exact_scan, graph_search};
use std::collections::{BTreeMap, BTreeSet};

/// Documents that each list ranks, at least: deep enough for a document low in both lists to surface.
pub(super) const LIST_DEPTH: usize = 100;
/// Chunks kept for each document ranked by meaning: a document may hold several of the nearest.
const CHUNKS_PER_DOCUMENT: usize = 3;

/// A document with its best chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) document: u32,
    pub(super) chunk: u32,
    pub(super) score: f32,
}

/// Frequencies of the query's terms, by chunk.
#[derive(Debug, Default)]
pub(super) struct TermMatches {
    /// Inverse document frequency of each term.
    weights: Vec<f32>,
    /// `(term, frequency)` by chunk.
    chunks: BTreeMap<u32, Vec<(usize, u32)>>,
}

impl TermMatches {
    /// Reads the posting lists of `entries`.
    pub(super) fn read(searcher: &Searcher, entries: &[TermEntry]) -> Result<Self, FormatError> {
        let chunks = searcher.root().chunks;
        let mut matches = Self::default();
        for (term, entry) in entries.iter().enumerate() {
            matches.weights.push(inverse_document_frequency(chunks, entry.chunks));
            let list = searcher.raw(Part::Postings, entry.start, u64::from(entry.length))?;
            postings::for_each(&list, entry.chunks, chunks, |chunk, frequency| {
                matches.chunks.entry(chunk).or_default().push((term, frequency));
            })?;
        }
        Ok(matches)
    }

    /// The matching chunks.
    pub(super) fn chunks(&self) -> impl Iterator<Item = u32> {
        self.chunks.keys().copied()
    }

    /// Documents by BM25 of their best chunk, best first.
    pub(super) fn rank(&self, searcher: &Searcher, depth: usize) -> Result<Vec<Ranked>, FormatError> {
        let root = searcher.root();
        let mean_length = root.tokens as f32 / root.chunks.max(1) as f32;
        let mut scored = Vec::with_capacity(self.chunks.len());
        for (&chunk, terms) in &self.chunks {
            let row = chunk_map_row(searcher, chunk)?;
            let score =
                |&(term, frequency): &(usize, u32)| term_score(self.weights[term], frequency, row.tokens, mean_length);
            scored.push(Ranked { document: row.document, chunk, score: terms.iter().map(score).sum() });
        }
        Ok(best_by_document(scored, depth))
    }
}

/// Chunks that meaning keeps for `depth` documents.
pub(super) const fn chunks_kept(depth: usize) -> usize {
    depth * CHUNKS_PER_DOCUMENT
}

/// The blocks that [`nearest_chunks`] reads.
pub(super) fn vector_blocks(searcher: &Searcher, depth: usize) -> Vec<BlockId> {
    let walks = choose_method(searcher.root().chunks as usize, chunks_kept(depth)) == VectorMethod::Walk;
    let parts = [Some(Part::Vectors), walks.then_some(Part::Graph)];
    let blocks = |part| (0..searcher.root().table(part).len()).map(move |block| BlockId { part, block });
    parts.into_iter().flatten().flat_map(blocks).collect()
}

/// The chunks nearest to the query, nearest first.
pub(super) fn nearest_chunks(
    searcher: &Searcher,
    query: &QueryCodes,
    depth: usize,
) -> Result<(Vec<Neighbour>, VectorCost), FormatError> {
    let root = searcher.root();
    let kept = chunks_kept(depth);
    let blocks = searcher.all_blocks(Part::Vectors)?;
    let method = choose_method(root.chunks as usize, kept);
    let (nearest, compared) = match method {
        VectorMethod::Scan => (exact_scan::nearest(query, &blocks, kept), root.chunks),
        VectorMethod::Walk => {
            let row_bytes = root.dimensions as usize;
            let rows = root.rows_per_block(Part::Vectors, row_bytes as u64);
            let row = |chunk: u32| {
                let start = (chunk % rows) as usize * row_bytes;
                &blocks[(chunk / rows) as usize][start..start + row_bytes]
            };
            let walk = graph_search::walk(query, searcher.graph()?, root.graph_entry, kept, row);
            (walk.nearest, walk.compared)
        }
    };
    Ok((nearest, VectorCost { method, compared }))
}

/// Documents by the cosine of their best chunk, best first.
pub(super) fn rank_neighbours(
    searcher: &Searcher,
    query: &QueryCodes,
    nearest: &[Neighbour],
    depth: usize,
) -> Result<Vec<Ranked>, FormatError> {
    let unit = query.scale * searcher.root().vector_step;
    let mut seen = BTreeSet::new();
    let mut ranked = Vec::new();
    for neighbour in nearest {
        let document = chunk_map_row(searcher, neighbour.chunk)?.document;
        if seen.insert(document) {
            // The cosine only labels: the order is that of the exact integers.
            ranked.push(Ranked { document, chunk: neighbour.chunk, score: neighbour.score as f32 * unit });
        }
        if ranked.len() == depth {
            break;
        }
    }
    Ok(ranked)
}

/// The block of the chunk map that holds `chunk`.
pub(super) fn chunk_map_block(searcher: &Searcher, chunk: u32) -> BlockId {
    let rows = searcher.root().rows_per_block(Part::ChunkMap, CHUNK_MAP_ROW);
    BlockId { part: Part::ChunkMap, block: chunk / rows }
}

fn chunk_map_row(searcher: &Searcher, chunk: u32) -> Result<ChunkMapRow, FormatError> {
    let id = chunk_map_block(searcher, chunk);
    let rows = searcher.root().rows_per_block(Part::ChunkMap, CHUNK_MAP_ROW);
    let block = searcher.block(id.part, id.block)?.as_chunks().0;
    let row = block.get((chunk % rows) as usize).copied().map(ChunkMapRow::from_bytes);
    let row = row.filter(|row| row.document < searcher.root().documents);
    row.ok_or(FormatError::Corrupt { part: id.part.name(), what: "document number" })
}

/// Keeps the best chunk of each document: by score, then by chunk number.
fn best_by_document(scored: Vec<Ranked>, depth: usize) -> Vec<Ranked> {
    let mut best: BTreeMap<u32, Ranked> = BTreeMap::new();
    for candidate in scored {
        let kept = best.entry(candidate.document).or_insert(candidate);
        if candidate.score > kept.score {
            *kept = candidate;
        }
    }
    let mut ranked: Vec<_> = best.into_values().collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
    ranked.truncate(depth);
    ranked
}
