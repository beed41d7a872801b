#![no_main]
//! Reads a block of pages, the catalog, and the map.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::root::Root;
use nearfind_core::records::{Catalog, ChunkMap, page};

fuzz_target!(|input: (u8, u8, Vec<u8>)| {
    let (documents, chunks, bytes) = input;
    let _ = page::for_each(&bytes, &mut |_, chunk| chunk.section_at(bytes.len()).is_some());
    let mut root = Root::empty(4);
    (root.documents, root.chunks) = (u32::from(documents), u32::from(chunks));
    if let Ok(catalog) = Catalog::parse(&bytes, &root) {
        for document in 0..root.documents {
            assert!(
                catalog
                    .entry(document)
                    .is_some_and(|entry| entry.area(1).is_none_or(|area| area.len() <= entry.path.len()))
            );
        }
        catalog.find(&root, "a");
    }
    if let Ok(map) = ChunkMap::parse(&bytes, &root) {
        for block in 0..3 {
            let _ = map.provide_group(block, &bytes);
        }
        for document in 0..root.documents {
            assert!(map.latest_of(document) < root.documents);
        }
        for chunk in 0..root.chunks {
            map.page_of(chunk);
            assert!(map.chunks_of(map.document_of(chunk)).contains(&chunk));
        }
    }
});
