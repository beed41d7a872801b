#![no_main]
//! Reads streams of codes: those of documents, of chunks, and fine ones.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::root::Root;
use nearfind_core::vector::cells::Cells;
use nearfind_core::vector::codes::{CodeTables, Components};
use nearfind_core::vector::query_codes::QueryCodes;
use nearfind_core::vector::stored::{FineRows, read_codes};

fuzz_target!(|input: (u8, Vec<u8>, Vec<u8>, Vec<u8>)| {
    let (documents, first, second, third) = input;
    let mut root = Root::empty(6);
    root.vectors.near = Components { centers: vec![0; 4], spreads: vec![8, 20, 30, 40] };
    (root.documents, root.chunks) = (u32::from(documents), u32::from(documents));
    let tables = CodeTables::default();
    if let Ok(cells) = Cells::parse(&first, &root, &tables) {
        assert!(cells.all().documents().iter().all(|&document| document < root.documents));
        if let Ok(cluster) = cells.parse_cluster(&second, root.documents, &tables) {
            assert!(cluster.documents().iter().all(|&document| document < root.documents));
            cluster.each(&QueryCodes::new(&[0.5; 4]), &root.vectors.near, 0.01, |document, _| {
                assert!(document < root.documents);
            });
        }
    }
    let _ = read_codes(&first, usize::from(documents), &root, &tables);
    root.chunks = 1;
    if let Ok(coarse) = read_codes(&first, 1, &root, &tables) {
        let _ = FineRows::decode(&coarse, &[&second, &third], &root, &tables);
    }
});
