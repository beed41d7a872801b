#![no_main]
//! Encodes a question with a block of the query encoder's table.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::root::Root;
use nearfind_core::query_encoder;
use nearfind_core::vector::codes::Components;

fuzz_target!(|input: (Vec<String>, Vec<u8>)| {
    let (words, block) = input;
    let mut root = Root::empty(6);
    root.vectors.near = Components { centers: vec![0; 4], spreads: vec![0; 4] };
    let _ = query_encoder::encode(&words, &root, |_| Some(&block));
});
