#![no_main]
//! A stemmer's program, and a word that it stems.
use libfuzzer_sys::fuzz_target;
use nearfind_core::analysis::snowball::stem;

fuzz_target!(|input: (Vec<u8>, &str)| {
    let (program, word) = input;
    let stem = stem(&program, word);
    assert!(stem.len() <= word.len().max(1024));
});
