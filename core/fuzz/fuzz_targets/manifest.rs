#![no_main]
//! Reads a manifest and its root. A manifest that is read must survive being written.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::manifest::Manifest;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(manifest) = Manifest::parse(bytes) {
        let _ = manifest.root();
        assert_eq!(Manifest::parse(&manifest.to_bytes()), Ok(manifest));
    }
});
