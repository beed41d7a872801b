//! Checks the symbols that are found in each language, with a sample file and its expected findings.
#![cfg(feature = "formats")]

use nearfind_extract::code::{CodeFile, read};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// If this environment variable is set, the findings are written to the expected files instead of compared with them.
const ACCEPT: &str = "NEARFIND_ACCEPT";

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut samples: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending != "golden")).collect();
    samples.sort();
    samples
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap()
}

/// Returns a line for each piece, and a line for each of its symbols.
fn findings(file: &CodeFile) -> String {
    let mut lines = format!("{}\n", file.language);
    for piece in &file.pieces {
        let (first, last) = piece.lines;
        let scope = if piece.scope.is_empty() { String::new() } else { format!(" in {}", piece.scope) };
        lines += &format!("{first}-{last} {}{scope}\n", piece.class.name());
        for symbol in &piece.symbols {
            let indent = if symbol.is_outer { "  " } else { "    " };
            let dot = if symbol.scope.is_empty() { "" } else { "." };
            lines += &format!(
                "{indent}{} {}{dot}{} | {}\n",
                symbol.kind.name(),
                symbol.scope,
                symbol.name,
                symbol.signature
            );
        }
        lines += &format!("    mentions {}\n", piece.mentions.names.replace('\n', " "));
    }
    lines
}

#[test]
fn definitions_of_every_language_are_found() {
    let mut differ = Vec::new();
    for path in samples() {
        let name = name_of(&path);
        let found = findings(&read(name, &std::fs::read_to_string(&path).unwrap()).unwrap());
        let golden = path.with_file_name(format!("{name}.golden"));
        if std::env::var_os(ACCEPT).is_some() {
            std::fs::write(&golden, &found).unwrap();
        }
        if std::fs::read_to_string(&golden).unwrap_or_default() != found {
            differ.push(format!("{name}:\n{found}"));
        }
    }
    assert!(differ.is_empty(), "look at these, and accept them with {ACCEPT}=1:\n{}", differ.join("\n"));
}

#[test]
fn every_language_has_a_query_and_a_sample() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    let queries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // Folders contain queries that several languages share.
    let queries: BTreeSet<String> = queries
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let languages: BTreeSet<String> = samples()
        .iter()
        .map(|path| read(name_of(path), &std::fs::read_to_string(path).unwrap()).unwrap().language)
        .collect();
    let missing: Vec<_> = queries.difference(&languages).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(languages.len(), 40);
}
