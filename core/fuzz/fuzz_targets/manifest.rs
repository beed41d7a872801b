#![no_main]
//! The manifest, and what sealing it again gives.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::manifest::Manifest;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(manifest) = Manifest::parse(bytes) {
        assert_eq!(Manifest::parse(&manifest.to_bytes()), Ok(manifest));
    }
});
