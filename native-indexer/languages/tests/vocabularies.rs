//! Compares the stems with those of Snowball's own program, for a part of its vocabularies. `examples/vocabularies.rs`
//! compares all.

use nearfind_core::analysis::snowball::stem;
use nearfind_languages::snowball::compile;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns the name and the program of each language.
fn programs() -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(folder("stemmers")).unwrap().map(|entry| entry.unwrap().path());
    let sources = files.filter(|path| path.extension().is_some_and(|extension| extension == "sbl"));
    let program = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, compile(&std::fs::read_to_string(path).unwrap()).unwrap())
    };
    sources.map(program).collect()
}

#[test]
fn stems_are_equal_to_those_of_snowball() {
    let programs = programs();
    assert!(programs.len() > 30);
    for (name, program) in programs {
        let pairs = std::fs::read_to_string(folder("tests/vocabulary").join(format!("{name}.tsv"))).unwrap();
        assert!(pairs.lines().count() > 50, "{name}");
        for (word, expected) in pairs.lines().filter_map(|line| line.split_once('\t')) {
            assert_eq!(stem(&program, word), expected, "{name}: {word}");
        }
    }
}
