//! Reciprocal rank fusion (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet", 2009).

use std::collections::BTreeMap;

/// How much a rank matters: with 60, first and tenth place differ by a seventh.
pub const RRF_K: f32 = 60.0;

/// Scores nearer than this may change order between hosts whose vectors differ in the last bits: a neighbouring pair
/// swapped in one list changes a fused score by at most half of this.
pub const TIE_MARGIN: f32 = 0.01;

/// A document of the fused list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fused {
    /// Document number.
    pub document: u32,
    /// In 0…1: 1 is first in every list that took part.
    pub score: f32,
    /// Its rank in each list, from 1.
    pub ranks: [Option<u32>; 2],
}

/// Fuses ranked documents, best first. `None` is a list that takes no part; a document missing from a list gets nothing
/// from it. Equal scores are ordered by document number.
pub fn fuse(lists: [Option<&[u32]>; 2]) -> Vec<Fused> {
    let taking_part = lists.iter().flatten().count().max(1) as f32;
    let mut ranks: BTreeMap<u32, [Option<u32>; 2]> = BTreeMap::new();
    for (number, list) in lists.into_iter().enumerate() {
        for (at, &document) in list.into_iter().flatten().enumerate() {
            ranks.entry(document).or_default()[number].get_or_insert(at as u32 + 1);
        }
    }
    let score = |ranks: &[Option<u32>; 2]| {
        let sum: f32 = ranks.iter().flatten().map(|&rank| (RRF_K + 1.0) / (RRF_K + rank as f32)).sum();
        sum / taking_part
    };
    let mut fused: Vec<_> =
        ranks.into_iter().map(|(document, ranks)| Fused { document, score: score(&ranks), ranks }).collect();
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn being_in_both_lists_beats_being_first_in_one() {
        let fused = fuse([Some(&[1, 2, 3]), Some(&[4, 2])]);
        // 2 is second in both; 1 and 4 are first in one list; 3 is third in one.
        assert_eq!(fused.iter().map(|fused| fused.document).collect::<Vec<_>>(), [2, 1, 4, 3]);
    }

    #[test]
    fn first_everywhere_scores_one() {
        assert!((fuse([Some(&[7]), Some(&[7])])[0].score - 1.0).abs() < 1e-6);
        assert!((fuse([Some(&[7]), None])[0].score - 1.0).abs() < 1e-6);
    }

    proptest! {
        /// The explanation adds up: the score is the mean of the contributions of the ranks.
        #[test]
        fn scores_follow_from_ranks(a in prop::collection::vec(0u32..50, 0..20), b in prop::collection::vec(0u32..50, 0..20)) {
            for fused in fuse([Some(&a), Some(&b)]) {
                let from_ranks: f32 = fused.ranks.iter().flatten().map(|&rank| 61.0 / (60.0 + rank as f32)).sum::<f32>() / 2.0;
                prop_assert!((fused.score - from_ranks).abs() < 1e-6);
                prop_assert!((0.0..=1.0).contains(&fused.score));
                prop_assert_eq!(fused.ranks[0], a.iter().position(|&x| x == fused.document).map(|at| at as u32 + 1));
            }
        }
    }
}
