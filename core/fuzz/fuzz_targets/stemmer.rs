#![no_main]
//! Stems a word with the program of a stemmer. The stem may not be longer than the word or 1024 bytes.
use libfuzzer_sys::fuzz_target;
use nearfind_core::analysis::snowball::stem;

fuzz_target!(|input: (Vec<u8>, &str)| {
    let (program, word) = input;
    let stem = stem(&program, word);
    assert!(stem.len() <= word.len().max(1024));
});
