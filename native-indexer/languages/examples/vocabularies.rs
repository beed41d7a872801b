//! Compares stems with Snowball's for every word of its vocabularies, in a checkout of `snowballstem/snowball-data`:
//!   `cargo run --release -p nearfind-languages --example vocabularies FOLDER`

use nearfind_core::analysis::snowball::stem;
use nearfind_languages::snowball::compile;
use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let vocabularies = PathBuf::from(std::env::args_os().nth(1).ok_or("say where the vocabularies are")?);
    let mut out = std::io::stdout().lock();
    let mut stemmers: Vec<PathBuf> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("stemmers"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    stemmers.retain(|path| path.extension().is_some_and(|extension| extension == "sbl"));
    stemmers.sort();
    for path in stemmers {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let program = compile(&std::fs::read_to_string(&path)?)?;
        let read = |file: &str| std::fs::read_to_string(vocabularies.join(&*name).join(file));
        let (Ok(words), Ok(stems)) = (read("voc.txt"), read("output.txt")) else {
            writeln!(out, "{name}: {} bytes, no vocabulary", program.len())?;
            continue;
        };
        let all = words.lines().count();
        let other = words.lines().zip(stems.lines()).filter(|(word, expected)| stem(&program, word) != **expected);
        let other: Vec<&str> = other.map(|(word, _)| word).collect();
        let shown = &other[..other.len().min(5)];
        writeln!(
            out,
            "{name}: {} bytes, {} of {all} words as Snowball stems them {shown:?}",
            program.len(),
            all - other.len()
        )?;
    }
    Ok(())
}
