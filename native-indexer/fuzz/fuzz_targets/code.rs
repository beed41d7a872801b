#![no_main]
//! Reads any bytes as source code of any language. The pieces must cover the text.
use libfuzzer_sys::fuzz_target;
use nearfind_extract::{Extraction, extract_code};

const ENDINGS: [&str; 38] = [
    "py", "js", "jsx", "ts", "tsx", "java", "kt", "groovy", "c", "cpp", "cs", "go", "rs", "hs", "swift", "sh", "m", "mk",
    "php", "vue", "zig", "json", "yaml", "toml", "tf", "dart", "ex", "lua", "ps1", "sql", "svelte", "html", "scss", "j2",
    "rb", "scala", "proto", "graphql",
];

fuzz_target!(|input: (u8, Vec<u8>)| {
    let (ending, bytes) = input;
    let name = format!("file.{}", ENDINGS[usize::from(ending) % ENDINGS.len()]);
    if let Extraction::Code(file) = extract_code(&name, &bytes) {
        let covered: String = file.pieces.iter().map(|piece| &file.text[piece.range.clone()]).collect();
        assert_eq!(covered, file.text, "the pieces cover the text");
    }
});
