//! Compares the query with every row. The oracle of [`super::graph_search`], and the faster of the two for small bundles.

use super::Neighbour;
use std::collections::BinaryHeap;

/// The `limit` nearest rows, nearest first, given the score of each.
pub fn nearest(scores: impl Iterator<Item = i32>, limit: usize) -> Vec<Neighbour> {
    // The farthest of those kept is on top.
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
