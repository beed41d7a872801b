#![no_main]
//! One stored block with a table that fits it: what inflating it can do.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::Part;
use nearfind_core::format::blocks::{BlockId, BlockTable, checksum};

fuzz_target!(|input: (u64, Vec<u8>)| {
    let (identity, body) = input;
    let mut stored = body.clone();
    stored.extend(checksum(identity, 0, &body));
    if let Ok(table) = BlockTable::new(Part::Pages, identity, &[stored.len() as u32], 0) {
        let _ = table.decode(BlockId { part: Part::Pages, block: 0 }, &stored);
    }
});
