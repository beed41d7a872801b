#![no_main]
//! Reads a `nearfind.toml` of plausible lines and any text after them. It must be read or refused.
use libfuzzer_sys::fuzz_target;
use nearfind_indexing::config::Config;

const LINES: [&str; 12] = [
    "[[project]]\n",
    "name = \"docs\"\n",
    "path = \"docs\"\n",
    "git = \"https://example.org/a.git\"\n",
    "url = \"https://docs.example.org\"\n",
    "code = [\"src\", \"lib\"]\n",
    "[[rule]]\n",
    "paths = [\"**/*.md\"]\n",
    "weight = 2.5\n",
    "[[synonyms]]\n",
    "words = [\"a\", \"b\"]\n",
    "model = \"tiny\"\n",
];

fuzz_target!(|input: (Vec<u8>, String)| {
    let (lines, rest) = input;
    let text: String = lines.iter().map(|line| LINES[usize::from(*line) % LINES.len()]).collect();
    let path = std::env::temp_dir().join(format!("nearfind-fuzz-{}.toml", std::process::id()));
    std::fs::write(&path, text + &rest).expect("a file");
    if let Ok(config) = Config::read(&path, true) {
        let _ = (config.sources(), config.search_settings(), config.output());
    }
});
