#![no_main]
//! Blocks of document and chunk records.
use libfuzzer_sys::fuzz_target;
use nearfind_core::records::{self, ChunkRecord, DocumentRecord};

fuzz_target!(|bytes: &[u8]| {
    let _ = records::all::<DocumentRecord>("documents", bytes);
    for chunk in records::all::<ChunkRecord>("chunks", bytes).unwrap_or_default() {
        chunk.section_at(bytes.len());
    }
});
