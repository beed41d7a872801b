//! Checks the statements about unsafe code in SECURITY.md.

use std::fs;
use std::path::{Path, PathBuf};

/// The only folder in which unsafe code is allowed.
const KERNELS: &str = "core/kernels/";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is there")
}

/// Collects the project's own Rust files below `folder`.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if !matches!(name.to_str(), Some("target" | "node_modules" | ".git")) {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns whether a line of code contains the word `unsafe` outside comments. Lines with strings do not count.
fn has_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    !code.contains('"') && words.into_iter().any(|word| word == "unsafe")
}

#[test]
fn unsafe_code_matches_the_security_policy() {
    let root = workspace();
    let mut files = Vec::new();
    for folder in ["core", "wasm", "native-indexer", "tests"] {
        sources(&root.join(folder), &mut files);
    }
    let mut count = 0;
    for file in files {
        let lines = fs::read_to_string(&file).expect("a file").lines().filter(|line| has_unsafe(line)).count();
        let path = file.strip_prefix(&root).expect("inside").to_string_lossy().into_owned();
        assert!(lines == 0 || path.starts_with(KERNELS), "{path} has unsafe code");
        count += lines;
    }
    let said = fs::read_to_string(root.join("SECURITY.md")).expect("it is there");
    assert!(
        said.contains(&format!("`core/kernels`: {count} lines contain the word")),
        "{count} lines contain the word"
    );
}
