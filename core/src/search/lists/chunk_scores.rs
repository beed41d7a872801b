//! Chooses the passages of a document to show: those with the best scores by words and meaning together. In a long
//! document, one of the two scores alone is often wrong.

use crate::collection::best_first;
use std::ops::Range;

/// How much lower than the first passage a further passage may score. In each list, the best chunk of the document
/// scores 1.
const NEAR: f32 = 0.5;

/// The scores of chunks in both lists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkScores<'a> {
    /// The score of each chunk, or 0 if the chunk contains no word of the query. Empty if words take no part.
    pub words: &'a [f32],
    /// The chunks that were compared, with their cosines.
    pub cosines: &'a [(u32, f32)],
}

impl ChunkScores<'_> {
    /// Returns the best of a document's `chunks`, at least one and at most `most`, best first. Chunks with equal scores
    /// stay in order.
    pub(crate) fn passages(&self, chunks: Range<u32>, most: usize) -> Vec<u32> {
        let words = |chunk: u32| self.words.get(chunk as usize).copied().unwrap_or_default();
        let most_words = chunks.clone().map(words).fold(f32::MIN_POSITIVE, f32::max);
        let mut shares: Vec<f32> = chunks.clone().map(|chunk| words(chunk) / most_words).collect();
        let compared = || self.cosines.iter().filter(|(chunk, _)| chunks.contains(chunk));
        let farthest = compared().fold(f32::INFINITY, |least, (_, cosine)| least.min(*cosine));
        let nearest = compared().fold(f32::NEG_INFINITY, |most, (_, cosine)| most.max(*cosine));
        for &(chunk, cosine) in compared() {
            let share = if nearest > farthest { (cosine - farthest) / (nearest - farthest) } else { 1.0 };
            shares[(chunk - chunks.start) as usize] += share;
        }
        let order = best_first(shares.iter().copied());
        let least = order.first().map_or(0.0, |&first| shares[first as usize] - NEAR);
        let near = order.into_iter().take(most).filter(|&at| shares[at as usize] >= least);
        near.map(|at| chunks.start + at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_passage_that_both_lists_speak_for_comes_first() {
        // Chunk 4 is best by words, and 6 by meaning. Chunk 5 is nearly as good in both.
        let words = [9.0, 9.0, 9.0, 9.0, 5.0, 4.5, 0.0, 9.0];
        let cosines = [(1, 0.9), (4, 0.2), (5, 0.58), (6, 0.6)];
        let scores = ChunkScores { words: &words, cosines: &cosines };
        // The sums are 1.85 out of 2, 1 and 1. The latter two are too low.
        assert_eq!(scores.passages(4..7, 3), [5]);
        assert_eq!(ChunkScores { cosines: &[], ..scores }.passages(4..7, 3), [4, 5]);
        assert_eq!(ChunkScores { words: &[], ..scores }.passages(4..7, 3), [6, 5]);
    }

    #[test]
    fn a_document_that_nothing_is_known_of_is_shown_from_its_beginning() {
        assert_eq!(ChunkScores { words: &[], cosines: &[] }.passages(3..9, 1), [3]);
    }

    proptest! {
        #[test]
        fn passages_are_different_chunks_of_the_document(words in prop::collection::vec(0.0f32..9.0, 0..20), cosines in prop::collection::btree_map(0u32..20, -1.0f32..1.0, 0..20), from in 0u32..10, count in 1u32..10, most in 1usize..5) {
            let cosines: Vec<(u32, f32)> = cosines.into_iter().collect();
            let passages = ChunkScores { words: &words, cosines: &cosines }.passages(from..from + count, most);
            let different: std::collections::BTreeSet<_> = passages.iter().collect();
            prop_assert!(!passages.is_empty() && passages.len() <= most && different.len() == passages.len());
            prop_assert!(passages.iter().all(|chunk| (from..from + count).contains(chunk)));
        }
    }
}
