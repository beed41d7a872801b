#![no_main]
//! Reads a block of the dictionary with its posting lists, a block of words for corrections, and positions.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::bytes::Cursor;
use nearfind_core::lexical::{postings, spelling, term_dictionary};

fuzz_target!(|input: (u32, Vec<u32>, Vec<u8>)| {
    let (chunks, frequencies, bytes) = input;
    let _ = term_dictionary::for_each(&bytes, |_, entry| {
        postings::for_each(entry.postings, chunks, |chunk, _| assert!(chunk < chunks)).is_ok()
    });
    let _ = spelling::correct("channels", &bytes, None);
    let chunks: Vec<(u32, u32)> = (0..).zip(frequencies).collect();
    let _ = postings::for_each_position(&mut Cursor::new("fuzz", &bytes), &chunks, |_, _| {});
});
