//! Best-first walk over the graph (the base-layer search of Malkov and Yashunin, "Efficient and robust approximate
//! nearest neighbor search using Hierarchical Navigable Small World graphs", 2016).

use super::graph::Graph;
use super::quantize::QueryCodes;
use super::{Neighbour, dot};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a walk found and what it cost.
#[derive(Debug)]
pub struct Walk {
    /// Nearest first, at most `width` of them.
    pub nearest: Vec<Neighbour>,
    /// Number of rows compared.
    pub compared: u32,
}

/// Walks from `entry`, keeping the `width` nearest rows seen. A wider walk finds more and compares more.
///
/// `row` gives the codes of a chunk.
pub fn walk<'a>(query: &QueryCodes, graph: &Graph, entry: u32, width: usize, row: impl Fn(u32) -> &'a [u8]) -> Walk {
    let mut seen = vec![false; graph.len() as usize];
    // `Neighbour` orders the nearest as the smallest: the heap's top is the farthest kept, a reversed heap's the nearest.
    let mut kept: BinaryHeap<Neighbour> = BinaryHeap::new();
    let mut open: BinaryHeap<Reverse<Neighbour>> = BinaryHeap::new();
    let mut compared = 0;
    let mut visit = |chunk: u32, kept: &mut BinaryHeap<Neighbour>, open: &mut BinaryHeap<Reverse<Neighbour>>| {
        if std::mem::replace(&mut seen[chunk as usize], true) {
            return;
        }
        compared += 1;
        let found = Neighbour { chunk, score: dot(&query.codes, row(chunk)) };
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
        for &neighbour in graph.neighbours(nearest.chunk) {
            visit(neighbour, &mut kept, &mut open);
        }
    }
    Walk { nearest: kept.into_sorted_vec(), compared }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::vector::exact_scan;
    use crate::vector::quantize::quantize_row;
    use proptest::prelude::*;

    fn vectors(count: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
        prop::collection::vec(prop::collection::vec(-1.0f32..1.0, 8), count)
    }

    proptest! {
        /// The oracle is the exact scan: a walk as wide as the bundle over a connected graph finds the same list.
        #[test]
        fn a_wide_walk_equals_the_scan(vectors in vectors(40), query in prop::collection::vec(-1.0f32..1.0, 8)) {
            let mut rows = Vec::new();
            for vector in &vectors {
                quantize_row(vector, 1.0 / 127.0, &mut rows);
            }
            let query = QueryCodes::new(&query);
            let ring = Graph::new((0..40).map(|chunk| vec![(chunk + 1) % 40, (chunk + 7) % 40]).collect());
            let walked = walk(&query, &ring, 3, 40, |chunk| &rows[chunk as usize * 8..][..8]);
            prop_assert_eq!(walked.nearest, exact_scan::nearest(&query, &[&rows], 40));
            prop_assert_eq!(walked.compared, 40);
        }

        #[test]
        fn the_scan_is_the_sorted_list(vectors in vectors(30), query in prop::collection::vec(-1.0f32..1.0, 8), limit in 0usize..40) {
            let mut rows = Vec::new();
            for vector in &vectors {
                quantize_row(vector, 1.0 / 127.0, &mut rows);
            }
            let query = QueryCodes::new(&query);
            let mut all: Vec<_> = (0..30).map(|chunk| Neighbour { chunk, score: dot(&query.codes, &rows[chunk as usize * 8..][..8]) }).collect();
            all.sort_by_key(|found| (-i64::from(found.score), found.chunk));
            all.truncate(limit);
            let (first, second) = rows.split_at(8 * 11);
            prop_assert_eq!(exact_scan::nearest(&query, &[first, second], limit), all);
        }
    }

    #[test]
    fn an_entry_outside_the_graph_finds_nothing() {
        let query = QueryCodes::new(&[1.0]);
        assert!(walk(&query, &Graph::default(), 0, 10, |_| &[]).nearest.is_empty());
    }
}
