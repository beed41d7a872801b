#![no_main]
//! Unpacks an archive of any bytes, and reads its files. No file may point outside the archive.
use libfuzzer_sys::fuzz_target;
use nearfind_extract::archive::{ArchiveFormat, unpack};
use nearfind_extract::extract;

fuzz_target!(|input: (bool, Vec<u8>)| {
    let (is_zip, bytes) = input;
    let format = if is_zip { ArchiveFormat::Zip } else { ArchiveFormat::Tar };
    let contents = unpack(format, &bytes, &mut |path, bytes| {
        assert!(!path.starts_with('/') && path.split('/').all(|part| part != ".."));
        let _ = extract(path, &bytes);
    });
    assert!(contents.problems.iter().all(|problem| !problem.what.contains("its reader failed")));
});
