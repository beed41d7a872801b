//! Compares the query with every row. The oracle of [`super::graph_search`], and the faster of the two for small bundles.

use super::quantize::QueryCodes;
use super::{Neighbour, dot};

/// The `limit` nearest rows of `blocks`, nearest first. Rows are numbered through all blocks; each block holds whole rows.
pub fn nearest(query: &QueryCodes, blocks: &[&[u8]], limit: usize) -> Vec<Neighbour> {
    let rows = blocks.iter().flat_map(|block| block.chunks_exact(query.codes.len().max(1)));
    let mut scored: Vec<Neighbour> =
        rows.enumerate().map(|(chunk, row)| Neighbour { chunk: chunk as u32, score: dot(&query.codes, row) }).collect();
    if limit < scored.len() {
        scored.select_nth_unstable(limit);
        scored.truncate(limit);
    }
    scored.sort_unstable();
    scored
}
