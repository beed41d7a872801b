//! Builds the proximity graph with hnsw_rs, and exports it in the form that core reads. No other file mentions hnsw_rs.
//!
//! Points are inserted one by one in the order of chunks. The level generator of hnsw_rs has a constant seed, so the
//! graph is always the same. With parallel insertion it would not be.

use hnsw_rs::prelude::{Distance, Hnsw};
use nearfind_base::progress::Bar;
use nearfind_core::search::is_ever_walked;
use nearfind_core::vector::floats::dot;
use nearfind_core::vector::graph::Graph;

/// Number of links that a point seeks when it is inserted. The base layer keeps up to twice as many.
pub const LINKS: usize = 16;
/// Number of candidates for these links. More candidates improve the graph and slow down the build.
pub const WALKED_CANDIDATES: usize = 200;
/// Number of candidates if the bundle is so small that hosts compare all vectors. No host walks its graph.
const CANDIDATES_UNWALKED: usize = 24;

/// Maximum number of chunks in a site with a graph and fine codes. Inserting a chunk takes more than a millisecond on
/// one core, and a host that walks the graph needs 800 bytes of memory per chunk. Larger sites are searched by
/// clusters, and their memory use hardly grows.
const MAX_CHUNKS: usize = 200_000;

/// Maximum number of unreachable chunks. Up to this number, the nearest of all reachable chunks is searched for.
const MAX_SEARCHED: usize = 1_000;

/// Half the squared Euclidean distance of unit vectors. Rounding makes it negative for equal vectors, so it is clamped.
/// The crate's own distance would panic.
#[derive(Clone, Copy, Default)]
struct UnitDistance;

impl Distance<f32> for UnitDistance {
    fn eval(&self, a: &[f32], b: &[f32]) -> f32 {
        (1.0 - dot(a, b)).max(0.0)
    }
}

/// Returns the number of candidates for a point's links in a graph with this many `chunks`.
pub const fn candidates(chunks: usize) -> usize {
    if is_ever_walked(chunks) { WALKED_CANDIDATES } else { CANDIDATES_UNWALKED }
}

/// Whether a site with this many chunks has a graph.
pub(crate) const fn has_graph(chunks: usize) -> bool {
    chunks <= MAX_CHUNKS
}

/// Returns the graph over `vectors`, `[chunks × dimensions]` row-major, and the chunk where walks begin. The graph is
/// empty if there are more than 200,000 chunks.
pub fn build_graph(vectors: &[f32], dimensions: usize, bar: &Bar) -> (Graph, u32) {
    if !has_graph(vectors.len() / dimensions.max(1)) {
        return (Graph::default(), 0);
    }
    build_graph_with(candidates(vectors.len() / dimensions.max(1)), vectors, dimensions, bar)
}

/// Builds the graph with this many `candidates` for each point's links, for any number of chunks. See
/// [`WALKED_CANDIDATES`].
pub fn build_graph_with(candidates: usize, vectors: &[f32], dimensions: usize, bar: &Bar) -> (Graph, u32) {
    let rows = vectors.len() / dimensions.max(1);
    if rows == 0 {
        return (Graph::new(Vec::new()), 0);
    }
    let hnsw = Hnsw::<f32, UnitDistance>::new(LINKS, rows, 16, candidates, UnitDistance);
    for (chunk, row) in vectors.chunks_exact(dimensions).enumerate() {
        hnsw.insert((row, chunk));
        bar.advance(1);
    }
    let mut lists = vec![Vec::new(); rows];
    for point in hnsw.get_point_indexation() {
        // Layer 0 contains every point. Lists of layers above a point's own are leftovers of its insertion.
        if let Some(base) = point.get_neighborhood_id().into_iter().next() {
            lists[point.get_origin_id()] = base.iter().map(|neighbor| neighbor.d_id as u32).collect();
        }
    }
    let entry = medoid(vectors, dimensions);
    (
        connect(lists, entry, |a, b| {
            let row = |chunk: u32| &vectors[chunk as usize * dimensions..][..dimensions];
            UnitDistance.eval(row(a), row(b))
        }),
        entry,
    )
}

/// Returns the chunk nearest to the mean of all vectors. Walks that begin there are short.
fn medoid(vectors: &[f32], dimensions: usize) -> u32 {
    let mut mean = vec![0.0f32; dimensions];
    for row in vectors.chunks_exact(dimensions) {
        for (sum, x) in mean.iter_mut().zip(row) {
            *sum += x;
        }
    }
    let length = mean.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    for x in &mut mean {
        *x /= length;
    }
    let rows = vectors.chunks_exact(dimensions).map(|row| UnitDistance.eval(&mean, row));
    let nearest = rows.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.map_or(0, |(chunk, _)| chunk as u32)
}

/// Links every chunk that no walk from `entry` reaches with the nearest chunk that is reached, in both directions. If
/// there are very many such chunks, as among pages that are all alike, later ones are linked with the previous chunk
/// instead, which is probably near because documents are ordered.
fn connect(mut lists: Vec<Vec<u32>>, entry: u32, distance: impl Fn(u32, u32) -> f32) -> Graph {
    let mut reached = vec![false; lists.len()];
    let mut searched = 0;
    reach(&lists, entry, &mut reached);
    for island in 0..lists.len() as u32 {
        if reached[island as usize] {
            continue;
        }
        searched += 1;
        let near = match island.checked_sub(1).filter(|_| searched > MAX_SEARCHED) {
            Some(before) => Some(before),
            None => (0..lists.len() as u32)
                .filter(|&chunk| reached[chunk as usize])
                .min_by(|&a, &b| distance(a, island).total_cmp(&distance(b, island))),
        };
        let near = near.unwrap_or(entry);
        lists[near as usize].push(island);
        lists[island as usize].push(near);
        reach(&lists, island, &mut reached);
    }
    Graph::new(lists)
}

/// Marks the chunks that can be reached from `start` in `reached`.
fn reach(lists: &[Vec<u32>], start: u32, reached: &mut [bool]) {
    let mut open = vec![start];
    reached[start as usize] = true;
    while let Some(chunk) = open.pop() {
        for &next in &lists[chunk as usize] {
            if !std::mem::replace(&mut reached[next as usize], true) {
                open.push(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearfind_core::vector::codes::code_rows;
    use nearfind_core::vector::query_codes::QueryCodes;
    use nearfind_core::vector::{dot_fine, exact_scan, graph_search};

    /// Returns unit vectors from a generator with a fixed seed (xorshift32).
    fn vectors(rows: usize, dimensions: usize) -> Vec<f32> {
        let mut state = 7u32;
        let mut vectors: Vec<f32> = (0..rows * dimensions)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                state as f32 / u32::MAX as f32 - 0.5
            })
            .collect();
        for row in vectors.chunks_exact_mut(dimensions) {
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            for x in row {
                *x /= length;
            }
        }
        vectors
    }

    #[test]
    fn two_builds_are_equal_connected_and_find_what_the_scan_finds() {
        let (rows, dimensions) = (1500, 24);
        let vectors = vectors(rows, dimensions);
        let (graph, entry) = build_graph_with(WALKED_CANDIDATES, &vectors, dimensions, &Bar::hidden());
        assert_eq!((graph.clone(), entry), build_graph_with(WALKED_CANDIDATES, &vectors, dimensions, &Bar::hidden()));
        assert!(graph.unreachable_from(entry).is_empty());

        let codes = code_rows(&vectors, dimensions, 0.004).codes;
        let mut found = 0;
        for query in vectors.chunks_exact(dimensions).step_by(30) {
            let query = QueryCodes::new(query);
            let score = |chunk: u32| dot_fine(&query.codes, &codes[chunk as usize * dimensions..][..dimensions]);
            let exact = exact_scan::nearest((0..rows as u32).map(score), 10);
            let walked = graph_search::walk(&graph, entry, 100, score).nearest;
            found += exact.iter().filter(|near| walked[..10].contains(near)).count();
        }
        let recall = found as f32 / 500.0;
        assert!(recall >= 0.95, "recall@10 of a walk is {recall}");
    }

    #[test]
    fn equal_vectors_do_not_disturb_the_build() {
        for rows in [50, 3 * MAX_SEARCHED] {
            let vectors = [0.6f32, 0.8].repeat(rows);
            let (graph, entry) = build_graph(&vectors, 2, &Bar::hidden());
            assert!(graph.unreachable_from(entry).is_empty());
        }
    }

    #[test]
    fn islands_are_linked() {
        let graph = connect(vec![vec![1], vec![0], vec![3], vec![2]], 0, |a, b| a.abs_diff(b) as f32);
        assert!(graph.unreachable_from(0).is_empty());
        assert_eq!(graph.neighbors(1), [0, 2]);
    }
}
