#![no_main]
//! The manifest and the root in it.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::manifest::Manifest;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(manifest) = Manifest::parse(bytes) {
        let _ = manifest.root();
        assert_eq!(Manifest::parse(&manifest.to_bytes()), Ok(manifest));
    }
});
