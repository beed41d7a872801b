//! Orders documents by the scores of a model that has read each document together with the question.

/// Default weight of the model's score. The document's earlier score has the remaining weight.
pub const RERANK_WEIGHT: f32 = 0.7;

/// A document to reorder.
///
/// [`rerank`] has an example.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reranked {
    /// The document's earlier place.
    pub place: usize,
    /// The document's score: see [`super::relevance`]. [`rerank`] replaces it.
    pub score: f32,
    /// Whether the site owner put the document first.
    pub pinned: bool,
    /// How well the document answers the question according to the model, from 0 to 1, or `None` if the model has not
    /// read it.
    pub relevance: Option<f32>,
}

/// Reorders documents that are sorted by score, best first. The first `count` documents are sorted by the weighted mean
/// of their score and the model's score, and the others follow. Documents that the owner put first stay first.
///
/// ```
/// use nearfind_core::rank::{RERANK_WEIGHT, Reranked, rerank};
///
/// let found = |place, score, relevance| Reranked { place, score, pinned: false, relevance };
/// let mut documents = [found(0, 0.8, Some(0.1)), found(1, 0.7, Some(0.9)), found(2, 0.6, None)];
/// // The model has read the first two.
/// rerank(&mut documents, 2, RERANK_WEIGHT);
/// assert_eq!(documents.map(|document| document.place), [1, 0, 2]);
/// ```
pub fn rerank(documents: &mut [Reranked], count: usize, weight: f32) {
    let (scored, rest) = documents.split_at_mut(count.min(documents.len()));
    for document in &mut *scored {
        document.score = weight * document.relevance.unwrap_or(0.0) + (1.0 - weight) * document.score;
    }
    scored.sort_by(|a, b| match (a.pinned, b.pinned) {
        (false, false) => b.score.total_cmp(&a.score),
        (a, b) => b.cmp(&a),
    });
    // Scores never rise along the answer. A document gets at least the scores of the documents after it. A document
    // that the model has not read gets at most the score of the last document that it has read.
    for at in (1..scored.len()).rev() {
        scored[at - 1].score = scored[at - 1].score.max(scored[at].score);
    }
    let least = scored.last().map_or(1.0, |last| last.score);
    rest.iter_mut().for_each(|document| document.score = document.score.min(least));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn documents(all: &[(f32, bool, Option<f32>)]) -> Vec<Reranked> {
        let document = |(place, &(score, pinned, relevance))| Reranked { place, score, pinned, relevance };
        all.iter().enumerate().map(document).collect()
    }

    #[test]
    fn the_model_moves_what_it_read_and_nothing_else() {
        let mut all =
            documents(&[(0.9, true, Some(0.0)), (0.8, false, Some(0.1)), (0.6, false, Some(0.9)), (0.5, false, None)]);
        rerank(&mut all, 3, 0.7);
        let order: Vec<usize> = all.iter().map(|document| document.place).collect();
        // The pinned document stays first, .27 + .18 is above .07 + .24, and the unread document stays last.
        assert_eq!(order, [0, 2, 1, 3]);
        assert!((all[1].score - 0.81).abs() < 1e-6 && (all[2].score - 0.31).abs() < 1e-6, "{all:?}");
        assert!(all[0].score >= all[1].score && all[3].score <= all[2].score);
    }

    proptest! {
        #[test]
        fn scores_fall_and_nothing_is_lost(
            all in prop::collection::vec((0.0f32..1.0, any::<bool>(), prop::option::of(0.0f32..1.0)), 0..20),
            count in 0usize..25,
            weight in 0.0f32..1.0,
        ) {
            let mut sorted = all;
            sorted.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.total_cmp(&a.0)));
            let mut reranked = documents(&sorted);
            rerank(&mut reranked, count, weight);
            let read = &reranked[..count.min(reranked.len())];
            prop_assert!(read.is_sorted_by(|a, b| a.score >= b.score));
            prop_assert!(reranked[read.len()..].iter().all(|after| read.iter().all(|before| before.score >= after.score)));
            let mut places: Vec<usize> = reranked.iter().map(|document| document.place).collect();
            places.sort_unstable();
            prop_assert_eq!(places, (0..sorted.len()).collect::<Vec<_>>());
        }
    }
}
