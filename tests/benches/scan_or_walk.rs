//! Which is cheaper, scanning all vectors or walking the graph? Prints rows and microseconds of both for bundles of
//! several sizes; the constants of `nearfind_core::search::choose_method` come from here.
//!
//! `cargo bench -p nearfind-tests`

use nearfind::build::build_graph;
use nearfind::progress::Bar;
use nearfind_core::vector::codes::code_rows;
use nearfind_core::vector::query_codes::QueryCodes;
use nearfind_core::vector::{dot_fine, exact_scan, graph_search};
use std::hint::black_box;
use std::time::Instant;

const DIMENSIONS: usize = 384;
const KEPT: usize = 600;
const STEP: f32 = 0.0042;
const QUERIES: usize = 50;

struct Random(u32);

impl Random {
    /// xorshift32: the same numbers each time.
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// A vector near one of 200 topics.
    fn vector(&mut self) -> Vec<f32> {
        let mut topic = Self(self.next() % 200 + 1);
        let mut vector: Vec<f32> =
            (0..DIMENSIONS).map(|_| (topic.next() as f32 + 0.6 * self.next() as f32) / u32::MAX as f32 - 0.8).collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        for x in &mut vector {
            *x /= length;
        }
        vector
    }
}

fn main() {
    println!("{:>8} {:>10} {:>10} {:>12} {:>8}", "chunks", "scan us", "walk us", "walk rows", "recall");
    for rows in [1_000, 3_000, 10_000, 30_000] {
        let mut random = Random(7);
        let vectors: Vec<Vec<f32>> = (0..rows).map(|_| random.vector()).collect();
        let codes = code_rows(&vectors.concat(), DIMENSIONS, STEP).codes;
        let row = |chunk: u32| &codes[chunk as usize * DIMENSIONS..][..DIMENSIONS];
        let (graph, entry) = build_graph(&vectors.concat(), DIMENSIONS, &Bar::hidden());
        let queries: Vec<QueryCodes> = (0..QUERIES).map(|_| QueryCodes::new(&random.vector())).collect();
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
