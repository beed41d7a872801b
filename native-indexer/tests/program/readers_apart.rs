//! Files are read in separate processes, so that a crash of a reader only affects its file.

use nearfind_extract::apart::{Limits, Readers};
use nearfind_extract::{ExtractError, Extraction, extract};
use std::path::PathBuf;
use std::time::Duration;

fn apart(limits: Limits) -> Readers {
    Readers::apart(PathBuf::from(env!("CARGO_BIN_EXE_nearfind")), limits)
}

/// Returns a page that is long enough to be read in a separate process.
fn page(title: &str) -> String {
    let paragraphs: String = (0..1500).map(|n| format!("<p>Paragraph {n} says what it is about.</p>\n")).collect();
    format!("<!doctype html><title>{title}</title><main><h1 id='top'>{title}</h1>{paragraphs}</main>")
}

/// Returns a page with three million elements, which takes seconds to read.
fn slow_page() -> String {
    format!("<main>{}</main>", "<p>a<p>b".repeat(1_500_000))
}

#[test]
fn a_file_is_read_the_same_way_in_a_separate_process() {
    let readers = apart(Limits::default());
    let markdown = format!("# Guide\n\n{}", "Words that fill the page.\n\n".repeat(4000));
    for (name, text) in [("a.html", page("A")), ("b.md", markdown), ("c.ipynb", " ".repeat(80_000))] {
        assert_eq!(readers.read(name, text.as_bytes()), extract(name, text.as_bytes()), "{name}");
    }
    let binary = "a\0".repeat(40_000);
    assert_eq!(readers.read("a.md", binary.as_bytes()), Err(ExtractError::Binary));
}

#[test]
fn slow_readers_are_ended_and_the_next_file_is_read() {
    let readers = apart(Limits { time: Duration::from_secs(1), memory: 16 << 30 });
    assert_eq!(readers.read("slow.html", slow_page().as_bytes()), Err(ExtractError::TooSlow(1)));
    assert!(matches!(readers.read("next.html", page("Next").as_bytes()), Ok(Extraction::Document(_))));
}

#[test]
#[cfg(any(target_os = "linux", windows))]
fn a_reader_that_uses_too_much_memory_affects_only_its_file() {
    // This is enough for the program itself, but not for a tree of a million elements.
    let readers = apart(Limits { memory: 320 << 20, ..Limits::default() });
    assert_eq!(readers.read("large.html", slow_page().as_bytes()), Err(ExtractError::OutOfMemory));
    assert!(matches!(readers.read("next.html", page("Next").as_bytes()), Ok(Extraction::Document(_))));
}

#[test]
fn many_threads_get_the_results_of_their_own_files() {
    let readers = apart(Limits::default());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let readers = &readers;
            scope.spawn(move || {
                for number in 0..80 {
                    let title = format!("Page {thread} {number}");
                    let Ok(Extraction::Document(document)) = readers.read("a.html", page(&title).as_bytes()) else {
                        panic!("{title}");
                    };
                    assert_eq!(document.title, title);
                }
            });
        }
    });
}

#[test]
#[cfg(unix)]
fn invalid_and_missing_reader_programs_are_reported() {
    let limits = Limits { time: Duration::from_secs(5), ..Limits::default() };
    let readers = |program: &str| Readers::apart(PathBuf::from(program), limits);
    assert_eq!(readers("/bin/true").read("a.html", page("A").as_bytes()), Err(ExtractError::ReaderDied));
    let missing = readers("/nowhere/nearfind").read("a.html", page("A").as_bytes());
    assert!(matches!(missing, Err(ExtractError::NoReader(_))), "{missing:?}");
}

#[test]
#[cfg(unix)]
fn a_hanging_grammar_affects_only_its_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("hangs");
    std::fs::write(&program, "#!/bin/sh\nexec sleep 60\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let readers = Readers::apart(program, Limits { time: Duration::from_secs(1), memory: 16 << 30 });
    assert_eq!(readers.read_code("a.py", b"a = 1\n"), Err(ExtractError::TooSlow(1)));
}

#[test]
fn source_code_is_read_the_same_way_in_a_separate_process() {
    let readers = apart(Limits::default());
    let code = b"# Adds.\ndef add(a, b):\n    return a + b\n";
    let Ok(Extraction::Code(file)) = readers.read_code("a.py", code) else { panic!() };
    assert_eq!(nearfind_extract::extract_code("a.py", code), Extraction::Code(file));
}
