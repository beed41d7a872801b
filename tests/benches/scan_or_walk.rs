//! Compares the costs of scanning all vectors and of walking the graph. For bundles of several sizes, prints the
//! microseconds of both, the rows that a walk compares, and its recall. The constants of
//! `nearfind_core::search::choose_method` come from this benchmark.
//!
//! `cargo bench -p nearfind-tests --bench scan_or_walk`

use fastrand::Rng;
use nearfind_base::progress::Bar;
use nearfind_core::vector::codes::code_rows;
use nearfind_core::vector::query_codes::QueryCodes;
use nearfind_core::vector::{dot_fine, exact_scan, graph_search};
use nearfind_indexing::run::{WALKED_CANDIDATES, build_graph_with};
use std::hint::black_box;
use std::time::Instant;

const DIMENSIONS: usize = 384;
const KEPT: usize = 600;
const STEP: f32 = 0.0042;
const QUERIES: usize = 50;

/// Returns a vector near one of 200 topics.
fn vector(random: &mut Rng) -> Vec<f32> {
    let mut topic = Rng::with_seed(random.u64(..200));
    let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| topic.f32() + 0.6 * random.f32() - 0.8).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    for x in &mut vector {
        *x /= length;
    }
    vector
}

fn main() {
    println!("{:>8} {:>10} {:>10} {:>12} {:>8}", "chunks", "scan us", "walk us", "walk rows", "recall");
    for rows in [1_000, 3_000, 10_000, 30_000] {
        let mut random = Rng::with_seed(7);
        let vectors: Vec<Vec<f32>> = (0..rows).map(|_| vector(&mut random)).collect();
        let codes = code_rows(&vectors.concat(), DIMENSIONS, STEP).codes;
        let row = |chunk: u32| &codes[chunk as usize * DIMENSIONS..][..DIMENSIONS];
        let (graph, entry) = build_graph_with(WALKED_CANDIDATES, &vectors.concat(), DIMENSIONS, &Bar::hidden());
        let queries: Vec<QueryCodes> = (0..QUERIES).map(|_| QueryCodes::new(&vector(&mut random))).collect();
        let started = Instant::now();
        let scan_all = |query: &QueryCodes| {
            let rows = black_box(&codes).chunks_exact(DIMENSIONS);
            exact_scan::nearest(rows.map(|row| dot_fine(&query.codes, row)), KEPT)
        };
        let exact: Vec<_> = queries.iter().map(scan_all).collect();
        let scan = started.elapsed().as_secs_f64() * 1e6 / QUERIES as f64;
        let started = Instant::now();
        let walk_for = |query: &QueryCodes| {
            graph_search::walk(&graph, entry, KEPT, |chunk| dot_fine(&black_box(query).codes, row(chunk)))
        };
        let walks: Vec<_> = queries.iter().map(walk_for).collect();
        let walk = started.elapsed().as_secs_f64() * 1e6 / QUERIES as f64;
        let compared: u32 = walks.iter().map(|walk| walk.compared).sum();
        let found = exact
            .iter()
            .zip(&walks)
            .map(|(exact, walk)| exact[..10].iter().filter(|near| walk.nearest.contains(near)).count());
        let recall = found.sum::<usize>() as f64 / (10 * QUERIES) as f64;
        println!("{rows:>8} {scan:>10.0} {walk:>10.0} {:>12} {recall:>8.3}", compared as usize / QUERIES);
    }
}
