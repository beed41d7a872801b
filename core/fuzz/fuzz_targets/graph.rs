#![no_main]
//! Reads a graph, and walks over it.
use libfuzzer_sys::fuzz_target;
use nearfind_core::vector::graph::Graph;
use nearfind_core::vector::graph_search::walk;

fuzz_target!(|input: (u16, u32, Vec<u8>)| {
    let (chunks, entry, bytes) = input;
    if let Ok(graph) = Graph::parse(&bytes, u32::from(chunks)) {
        graph.unreachable_from(entry);
        walk(&graph, entry, 10, |chunk| chunk as i32);
    }
});
