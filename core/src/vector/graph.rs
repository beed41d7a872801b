//! The proximity graph, which lists the nearby chunks of each chunk. It has a single layer: on embeddings of documents,
//! the upper layers of HNSW bring no gain (Munyampirwa et al., arXiv 2412.01940, and our own measurements), so only the
//! base layer is kept.
//!
//! For each chunk, the stream has a varint degree, and its neighbors, ascending, each as the varint difference from
//! one more than the previous one (from 0 for the first).

use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "graph";

/// Neighbor lists in a single array, ready to be walked.
///
/// ```
/// use nearfind_core::vector::graph::Graph;
///
/// let graph = Graph::new(vec![vec![1], vec![2, 0], vec![1], vec![0]]);
/// assert_eq!(graph.neighbors(1), [0, 2]);
/// // No list has chunk 3.
/// assert_eq!(graph.unreachable_from(0), [3]);
/// assert_eq!(Graph::parse(&graph.to_bytes(), 4)?, graph);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    starts: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Graph {
    /// Builds a graph from a list for each chunk. Lists need not be sorted.
    pub fn new(lists: Vec<Vec<u32>>) -> Self {
        let mut graph = Self { starts: vec![0], neighbors: Vec::new() };
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            graph.neighbors.extend(list);
            graph.starts.push(graph.neighbors.len() as u32);
        }
        graph
    }

    /// Reads the uncompressed stream of `chunks` lists.
    pub fn parse(bytes: &[u8], chunks: u32) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(NAME, bytes);
        if chunks as usize > bytes.len() {
            return Err(FormatError::truncated(NAME, "lists"));
        }
        let mut graph = Self { starts: vec![0], neighbors: Vec::new() };
        for _ in 0..chunks {
            let degree = cursor.count(1, "degree")?;
            let mut next = 0u32;
            for _ in 0..degree {
                let neighbor = next.checked_add(cursor.varint("neighbor")?).filter(|&chunk| chunk < chunks);
                let neighbor = neighbor.ok_or(FormatError::corrupt(NAME, "neighbor"))?;
                graph.neighbors.push(neighbor);
                next = neighbor + 1;
            }
            graph.starts.push(graph.neighbors.len() as u32);
        }
        cursor.finish("bytes after the last list")?;
        Ok(graph)
    }

    /// Returns the uncompressed stream, which [`Graph::parse`] reads.
    #[cfg(feature = "write")]
    pub fn to_bytes(&self) -> Vec<u8> {
        use crate::format::bytes::put_varint;
        let mut out = Vec::new();
        for chunk in 0..self.len() {
            let list = self.neighbors(chunk);
            put_varint(&mut out, list.len() as u64);
            let mut next = 0;
            for &neighbor in list {
                put_varint(&mut out, u64::from(neighbor - next));
                next = neighbor + 1;
            }
        }
        out
    }

    /// Returns the number of chunks.
    pub fn len(&self) -> u32 {
        self.starts.len().saturating_sub(1) as u32
    }

    /// Whether there are no chunks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of edges.
    pub fn edges(&self) -> usize {
        self.neighbors.len()
    }

    /// Returns the neighbors of `chunk`, ascending.
    pub fn neighbors(&self, chunk: u32) -> &[u32] {
        let chunk = chunk as usize;
        &self.neighbors[self.starts[chunk] as usize..self.starts[chunk + 1] as usize]
    }

    /// Returns the chunks that no walk from `entry` can reach.
    pub fn unreachable_from(&self, entry: u32) -> Vec<u32> {
        let mut reached = vec![false; self.len() as usize];
        let mut open = Vec::new();
        if let Some(first) = reached.get_mut(entry as usize) {
            *first = true;
            open.push(entry);
        }
        while let Some(chunk) = open.pop() {
            for &neighbor in self.neighbors(chunk) {
                if !std::mem::replace(&mut reached[neighbor as usize], true) {
                    open.push(neighbor);
                }
            }
        }
        (0..self.len()).filter(|&chunk| !reached[chunk as usize]).collect()
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn graphs_round_trip(lists in prop::collection::vec(prop::collection::vec(0u32..30, 0..8), 30)) {
            let graph = Graph::new(lists);
            prop_assert_eq!(Graph::parse(&graph.to_bytes(), 30).unwrap(), graph);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64), chunks in 0u32..20) {
            if let Ok(graph) = Graph::parse(&bytes, chunks) {
                graph.unreachable_from(0);
            }
        }
    }

    #[test]
    fn islands_are_found() {
        let graph = Graph::new(vec![vec![1], vec![0], vec![1]]);
        assert_eq!(graph.unreachable_from(0), [2]);
        assert_eq!(graph.unreachable_from(9), [0, 1, 2]);
    }
}
