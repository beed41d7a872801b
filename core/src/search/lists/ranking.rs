use crate::collection::best_first;
use crate::records::ChunkMap;

/// A document in a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RankedDocument {
    /// Document number.
    pub document: u32,
    /// The document's score in this list.
    pub score: f32,
}

/// Returns the `depth` best of `ranked`, best first. Documents with equal scores stay in order.
pub(crate) fn sorted(ranked: &[RankedDocument], depth: usize) -> Vec<RankedDocument> {
    let order = best_first(ranked.iter().map(|ranked| ranked.score));
    order.into_iter().take(depth).map(|at| ranked[at as usize]).collect()
}

/// Ranks documents by their known chunks, and returns the `depth` best, best first.
///
/// `score` computes a document's score from the score of its best chunk, the score of its next best chunk or 0, and its
/// number of chunks, because the best of many chunks is better by chance.
pub(crate) fn by_document(
    map: &ChunkMap,
    scored: impl Iterator<Item = (u32, f32)>,
    depth: usize,
    score: impl Fn(f32, f32, f32) -> f32,
) -> Vec<RankedDocument> {
    let mut best: Vec<Option<[f32; 2]>> = vec![None; map.documents()];
    for (chunk, score) in scored {
        let known = &mut best[map.document_of(chunk) as usize];
        *known = Some(match *known {
            None => [score, 0.0],
            Some([first, _]) if score > first => [score, first],
            Some([first, next]) => [first, next.max(score)],
        });
    }
    let ranked = |(document, best): (u32, Option<[f32; 2]>)| {
        let [first, next] = best?;
        Some(RankedDocument { document, score: score(first, next, map.chunks_of(document).len() as f32) })
    };
    let found: Vec<RankedDocument> = (0u32..).zip(best).filter_map(ranked).collect();
    sorted(&found, depth)
}
