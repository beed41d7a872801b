#![no_main]
//! One stored block with a table that fits it: what inflating it can do.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::Part;
use nearfind_core::format::blocks::{BlockEntry, BlockId, BlockTable};

fuzz_target!(|input: (u32, u64, Vec<u8>)| {
    let (raw_bytes, hash, stored) = input;
    let entry = BlockEntry { stored_bytes: stored.len() as u32, raw_bytes, hash };
    if let Ok(table) = BlockTable::new(Part::Text, vec![entry]) {
        let _ = table.decode(BlockId { part: Part::Text, block: 0 }, &stored);
    }
});
