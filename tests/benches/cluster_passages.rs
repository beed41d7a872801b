//! Measures how long it takes to cluster passages for research, including merging. Prints milliseconds and clusters for
//! several numbers of passages. Research reads a thousand at most.
//!
//! `cargo bench -p nearfind-tests --bench cluster_passages`

use fastrand::Rng;
use nearfind_bundles::research::{CLUSTER_TOKENS, Likeness, cluster};
use std::hint::black_box;
use std::time::Instant;

const DIMENSIONS: usize = 384;
const TOPICS: u64 = 60;
const ROUNDS: usize = 7;

/// Returns a vector near a topic, or near no topic.
fn vector(random: &mut Rng) -> Vec<f32> {
    let mut topic = Rng::with_seed(random.u64(..TOPICS));
    let spread = if random.u8(..) < 50 { 3.0 } else { 0.5 };
    let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| topic.f32() - 0.5 + spread * (random.f32() - 0.5)).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

fn main() {
    println!("{:>9} {:>9} {:>9} {:>9} {:>9}", "passages", "ms", "native", "outliers", "clusters");
    for count in [100, 300, 1_000] {
        let mut random = Rng::with_seed(7);
        let vectors: Vec<Vec<f32>> = (0..count).map(|_| vector(&mut random)).collect();
        let tokens: Vec<usize> = (0..count).map(|_| random.usize(20..250)).collect();
        let mut times = Vec::new();
        let mut found = cluster(&Likeness::of_vectors(&vectors), &tokens, CLUSTER_TOKENS);
        for _ in 0..ROUNDS {
            let started = Instant::now();
            found = cluster(&Likeness::of_vectors(black_box(&vectors)), &tokens, CLUSTER_TOKENS);
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let (ms, clusters) = (times[ROUNDS / 2], found.clusters.len());
        println!("{count:>9} {ms:>9.1} {:>9} {:>9} {clusters:>9}", found.native, found.outliers);
    }
}
