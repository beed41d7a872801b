#![no_main]
//! Inflates a stored block of any bytes, with a table that fits it. Also reads a multilevel table.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::Part;
use nearfind_core::format::blocks::{BlockId, BlockTable, StoredRange, checksum};
use nearfind_core::format::bytes::Cursor;

fuzz_target!(|input: (u64, Vec<u8>)| {
    let (identity, body) = input;
    let mut stored = body.clone();
    stored.extend(checksum(identity, 0, &body));
    if let Ok(table) = BlockTable::new(Part::Pages, identity, &[stored.len() as u32], 0) {
        let _ = table.decode(BlockId { part: Part::Pages, block: 0 }, &stored);
    }
    if let Ok(table) = BlockTable::read_levels(&mut Cursor::new("fuzz", &body), Part::Pages, identity, identity as u32)
    {
        for group in 0..=table.groups_elsewhere().min(9) {
            let _ = table.provide_group(Part::Pages, group, &stored);
        }
        for block in (0..=table.len()).step_by(99) {
            let is_inside = |place: StoredRange| place.start + u64::from(place.bytes) <= table.file_bytes(place.file);
            assert!(table.place(block).is_none_or(is_inside));
        }
    }
});
