//! Hashes the sources that decide what an index holds: caches keep by it what another build may find out otherwise.

#![expect(clippy::disallowed_macros, reason = "cargo reads what a build script prints")]

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// From this package; commands and the server read what these made.
const SOURCES: [&str; 9] = [
    "../Cargo.lock",
    "../core/kernels/src",
    "../core/src",
    "base/src",
    "bundles/src",
    "extract/queries",
    "extract/src",
    "indexing/src",
    "models/src",
];

fn main() {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut files);
    }
    files.sort();
    // The compiler is pinned, and another one is another build.
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.to_string_lossy().replace('\\', "/").hash(&mut hasher);
        // A checkout may have line ends of its own.
        String::from_utf8_lossy(&fs::read(&file).expect("a source")).replace("\r\n", "\n").hash(&mut hasher);
    }
    println!("cargo::rustc-env=NEARFIND_SOURCES={:016x}", hasher.finish());
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        fs::read_dir(path).expect("a folder").for_each(|entry| collect(&entry.expect("an entry").path(), files));
    } else {
        files.push(path.to_owned());
    }
}
