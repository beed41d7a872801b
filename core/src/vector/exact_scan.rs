//! Compares the query with every row. This scan is the oracle of [`super::graph_search`], and is faster for small
//! bundles.

use super::Neighbour;
use std::collections::BinaryHeap;

/// Returns the `limit` nearest rows, nearest first, given the score of each row.
///
/// ```
/// use nearfind_core::vector::exact_scan::nearest;
///
/// let found = nearest([1, 3, 9, 5].into_iter(), 2);
/// assert_eq!((found[0].chunk, found[0].score), (2, 9));
/// ```
pub fn nearest(scores: impl Iterator<Item = i32>, limit: usize) -> Vec<Neighbour> {
    // The top of the heap is the farthest row that is kept.
    let mut kept: BinaryHeap<Neighbour> = BinaryHeap::new();
    for (chunk, score) in (0u32..).zip(scores) {
        let found = Neighbour { chunk, score };
        if kept.len() < limit {
            kept.push(found);
        } else if let Some(mut farthest) = kept.peek_mut()
            && found < *farthest
        {
            *farthest = found;
        }
    }
    kept.into_sorted_vec()
}
