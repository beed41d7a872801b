#![no_main]
//! A block of the dictionary and a posting list.
use libfuzzer_sys::fuzz_target;
use nearfind_core::lexical::{postings, term_dictionary};

fuzz_target!(|input: (u32, u32, Vec<u8>)| {
    let (count, chunks, bytes) = input;
    let _ = term_dictionary::find(&bytes, "term");
    let _ = postings::decode(&bytes, count, chunks);
    let _ = postings::for_each(&bytes, count, chunks, |chunk, _| assert!(chunk < chunks));
});
