use crate::collection::best_first;
use crate::records::ChunkMap;

/// A document in one list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ranked {
    /// Document number.
    pub document: u32,
    /// Its best chunk, where the list knows its chunks.
    pub chunk: Option<u32>,
    /// The list's own score.
    pub score: f32,
}

/// The `depth` best of `ranked`, best first; equal ones in the order given.
pub(super) fn sorted(ranked: &[Ranked], depth: usize) -> Vec<Ranked> {
    let order = best_first(ranked.iter().map(|ranked| ranked.score));
    order.into_iter().take(depth).map(|at| ranked[at as usize]).collect()
}

/// The best chunk of each document, of equal ones the first; the `depth` best documents, best first.
pub(super) fn best_by_document(map: &ChunkMap, scored: impl Iterator<Item = (u32, f32)>, depth: usize) -> Vec<Ranked> {
    let mut best: Vec<Option<Ranked>> = vec![None; map.documents()];
    for (chunk, score) in scored {
        let candidate = Ranked { document: map.document_of(chunk), chunk: Some(chunk), score };
        let kept = best[candidate.document as usize].get_or_insert(candidate);
        let order = score.total_cmp(&kept.score).then(kept.chunk.cmp(&candidate.chunk));
        if order.is_gt() {
            *kept = candidate;
        }
    }
    let found: Vec<Ranked> = best.into_iter().flatten().collect();
    sorted(&found, depth)
}
