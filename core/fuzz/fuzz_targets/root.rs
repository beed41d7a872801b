#![no_main]
//! Reads the root of a bundle.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::root::Root;

fuzz_target!(|bytes: &[u8]| {
    let _ = Root::parse(bytes);
});
