//! Best-first walk over the graph: the base-layer search of Malkov and Yashunin, "Efficient and robust approximate
//! nearest neighbor search using Hierarchical Navigable Small World graphs", 2016.

use super::Neighbour;
use super::graph::Graph;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The result of a walk, and its cost.
#[derive(Debug)]
pub struct Walk {
    /// At most `width` rows, nearest first.
    pub nearest: Vec<Neighbour>,
    /// Number of rows compared.
    pub compared: u32,
}

/// Walks from `entry`, and keeps the `width` nearest rows seen. A wider walk finds more rows and compares more of them.
///
/// `score` compares the query with a chunk. A higher score is nearer.
///
/// ```
/// use nearfind_core::vector::graph::Graph;
/// use nearfind_core::vector::graph_search::walk;
///
/// let graph = Graph::new(vec![vec![1], vec![0, 2], vec![1, 3], vec![2]]);
/// let scores = [1, 3, 9, 5];
/// let found = walk(&graph, 0, 2, |chunk| scores[chunk as usize]);
/// let nearest: Vec<u32> = found.nearest.iter().map(|neighbor| neighbor.chunk).collect();
/// assert_eq!(nearest, [2, 3]);
/// ```
pub fn walk(graph: &Graph, entry: u32, width: usize, score: impl Fn(u32) -> i32) -> Walk {
    let mut seen = vec![false; graph.len() as usize];
    // The nearest `Neighbour` is the smallest, so the top of a heap is the farthest row, and the top of a reversed heap
    // is the nearest.
    let mut kept: BinaryHeap<Neighbour> = BinaryHeap::new();
    let mut open: BinaryHeap<Reverse<Neighbour>> = BinaryHeap::new();
    let mut compared = 0;
    let mut visit = |chunk: u32, kept: &mut BinaryHeap<Neighbour>, open: &mut BinaryHeap<Reverse<Neighbour>>| {
        if std::mem::replace(&mut seen[chunk as usize], true) {
            return;
        }
        compared += 1;
        let found = Neighbour { chunk, score: score(chunk) };
        if kept.len() < width || kept.peek().is_some_and(|farthest| found < *farthest) {
            kept.push(found);
            if kept.len() > width {
                kept.pop();
            }
            open.push(Reverse(found));
        }
    };
    if entry < graph.len() && width > 0 {
        visit(entry, &mut kept, &mut open);
    }
    while let Some(Reverse(nearest)) = open.pop() {
        if kept.len() >= width && kept.peek().is_some_and(|farthest| nearest > *farthest) {
            break;
        }
        for &neighbor in graph.neighbors(nearest.chunk) {
            visit(neighbor, &mut kept, &mut open);
        }
    }
    Walk { nearest: kept.into_sorted_vec(), compared }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::exact_scan;
    use proptest::prelude::*;

    proptest! {
        /// On a ring, a walk that keeps everything sees everything, so it must agree with the scan.
        #[test]
        fn a_wide_walk_is_the_scan(scores in prop::collection::vec(-100i32..100, 40)) {
            let ring = Graph::new((0..40u32).map(|chunk| vec![(chunk + 1) % 40, (chunk + 39) % 40]).collect());
            let walked = walk(&ring, 3, 40, |chunk| scores[chunk as usize]);
            prop_assert_eq!(walked.nearest, exact_scan::nearest(scores.iter().copied(), 40));
            prop_assert_eq!(walked.compared, 40);
        }

        #[test]
        fn the_scan_is_the_sorted_list(scores in prop::collection::vec(-100i32..100, 30), limit in 0usize..40) {
            let mut all: Vec<_> = (0..30).map(|chunk| Neighbour { chunk, score: scores[chunk as usize] }).collect();
            all.sort_by_key(|found| (-i64::from(found.score), found.chunk));
            all.truncate(limit);
            prop_assert_eq!(exact_scan::nearest(scores.iter().copied(), limit), all);
        }
    }

    #[test]
    fn an_entry_outside_the_graph_finds_nothing() {
        assert!(walk(&Graph::default(), 0, 10, |_| 0).nearest.is_empty());
    }
}
