use crate::collection::best_first;
use crate::records::ChunkMap;

/// A next best chunk with less than this share of the best one's score is not worth showing.
const NEAR: f32 = 0.7;

/// A document in one list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RankedDocument {
    /// Document number.
    pub document: u32,
    /// Its best chunk, where the list knows its chunks.
    pub chunk: Option<u32>,
    /// Its next best chunk, if that is nearly as good.
    pub next: Option<u32>,
    /// The list's own score.
    pub score: f32,
}

/// The `depth` best of `ranked`, best first; equal ones in the order given.
pub(super) fn sorted(ranked: &[RankedDocument], depth: usize) -> Vec<RankedDocument> {
    let order = best_first(ranked.iter().map(|ranked| ranked.score));
    order.into_iter().take(depth).map(|at| ranked[at as usize]).collect()
}

/// Documents of which chunks are known, with their best chunk, of equal ones the first; the `depth` best, best first.
///
/// `score` makes a document's score of that of its best chunk, that of its next best one or 0, and its number of chunks:
/// the more chunks a document has, the better its best one is by chance.
pub(super) fn by_document(
    map: &ChunkMap,
    scored: impl Iterator<Item = (u32, f32)>,
    depth: usize,
    score: impl Fn(f32, f32, f32) -> f32,
) -> Vec<RankedDocument> {
    let mut best: Vec<Option<(RankedDocument, f32)>> = vec![None; map.documents()];
    for (chunk, score) in scored {
        let candidate = RankedDocument { document: map.document_of(chunk), chunk: Some(chunk), next: None, score };
        match &mut best[candidate.document as usize] {
            None => best[candidate.document as usize] = Some((candidate, 0.0)),
            Some((kept, next)) => {
                let order = score.total_cmp(&kept.score).then(kept.chunk.cmp(&candidate.chunk));
                if order.is_gt() {
                    (*kept, *next) = (RankedDocument { next: kept.chunk, ..candidate }, kept.score);
                } else if kept.next.is_none() || score > *next {
                    (kept.next, *next) = (candidate.chunk, score);
                }
            }
        }
    }
    let chunks = |document: u32| map.chunks_of(document).len() as f32;
    let found: Vec<RankedDocument> = best
        .into_iter()
        .flatten()
        .map(|(kept, next)| RankedDocument {
            score: score(kept.score, next, chunks(kept.document)),
            next: kept.next.filter(|_| next >= kept.score * NEAR),
            ..kept
        })
        .collect();
    sorted(&found, depth)
}
