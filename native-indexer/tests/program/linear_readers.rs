//! A file of twice the length takes twice the work to read, whatever its content. Work is measured in instructions of
//! the reading process, not in seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Length of the shorter file. The longer one is twice as long.
const SHORT: usize = 16 << 10;
/// Maximum ratio of the work for the longer and the shorter file.
const MOST: f64 = 2.3;

/// Generates a file of this length in bytes.
type Write = fn(usize) -> String;

fn repeated(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes / unit.len())
}

/// Fills the first half of `bytes` with `first`, and the second half with `second`.
fn halves(first: &str, second: &str, bytes: usize) -> String {
    repeated(first, bytes / 2) + &repeated(second, bytes / 2)
}

fn page(content: &str) -> String {
    format!("<!doctype html><body>{content}")
}

fn front_matter(lines: &str) -> String {
    format!("---\n{lines}\n---\nText\n")
}

/// Inputs that once took quadratic time to read, and similar ones.
const PATTERNS: &[(&str, &str, Write)] = &[
    ("elements left open by unmatched end tags", "html", |n| page(&repeated("<b></x>", n))),
    ("blocks left open by unmatched end tags", "html", |n| page(&repeated("<div></x>", n))),
    ("paragraphs before cells", "html", |n| page(&format!("<table><tr><td>{}", halves("<p>x", "<td>x", n)))),
    ("paragraphs before headings", "html", |n| page(&halves("<p>", "<h1>", n))),
    ("headings in open elements", "html", |n| page(&("<span>".repeat(400) + &repeated("<h1>", n)))),
    ("headings beside elements", "html", |n| {
        page(&format!("<section id=a>{}", halves("<span></span>", "<h1>a</h1>", n)))
    }),
    ("empty headings after blocks", "html", |n| page(&halves("<p>x</p>", "<h1></h1>", n))),
    ("attributes", "html", |n| page(&format!("<p {}>", (0..n / 8).map(|at| format!("a{at}=1 ")).collect::<String>()))),
    ("attributes of one element, one after the other", "html", |n| {
        page(&(0..n / 12).map(|at| format!("<body a{at}>")).collect::<String>())
    }),
    ("places of content", "html", |n| page(&repeated("<main>x</main>", n))),
    ("elements that are made again", "html", |n| {
        page(&(0..n / 18).map(|at| format!("<p><b a{at}></p>")).collect::<String>())
    }),
    ("links in blocks", "html", |n| page(&("<a><div>".repeat(100) + &repeated("</a>", n)))),
    ("names of a value", "html", |n| {
        let names: String = (0..n / 16).map(|at| format!("n{at},")).collect();
        page(&format!("<main><p data-pagefind-meta='{names}'>{}", "x ".repeat(n / 4)))
    }),
    ("values in values", "html", |n| page(&format!("<main>{}", "<p data-pagefind-meta=a>x".repeat(n / 25)))),
    ("tags that do not end", "html", |n| page(&repeated("<a ", n))),
    ("braces", "md", |n| repeated("{", n)),
    ("names after braces", "md", |n| repeated("{a", n)),
    ("roles", "md", |n| repeated("{a}`", n)),
    ("headings", "md", |n| repeated("# a\n", n)),
    ("headings of every level", "md", |n| repeated("# a\n## a\n### a\n#### a\n##### a\n###### a\n", n)),
    ("underlined headings", "md", |n| repeated("a\n=\n", n)),
    ("a heading of all lines", "md", |n| repeated("a\n", n) + "=\n"),
    ("brackets", "md", |n| repeated("[", n)),
    ("links that do not end", "md", |n| repeated("[a](", n)),
    ("emphasis", "md", |n| repeated("*a **a ", n)),
    ("quotes in quotes", "md", |n| repeated("> ", n)),
    ("lines in quotes", "md", |n| halves(">", "a\n", n)),
    ("lines in lists", "md", |n| halves("* ", "a\n", n)),
    ("comments that do not end", "md", |n| repeated("<!-- ", n)),
    ("footnotes", "md", |n| repeated("[^1]: a\n", n)),
    ("fences", "md", |n| repeated(":::{a}\n", n)),
    ("one line", "md", |n| repeated("a", n)),
    ("brackets in front matter", "md", |n| front_matter(&format!("a: {}", repeated("[", n)))),
    ("indents in front matter", "md", |n| front_matter(&repeated("- ", n))),
    ("keys in front matter", "md", |n| front_matter(&repeated("? ", n))),
    ("merges in front matter", "md", |n| front_matter(&format!("a: &a {{x: 1}}\n{}", repeated("<<: *a\n", n)))),
    ("components that do not end", "mdx", |n| repeated("<A a={", n)),
    ("comments of MDX", "mdx", |n| repeated("{/*", n)),
    ("headings of reStructuredText", "rst", |n| repeated("aaa\n===\n", n)),
    ("backticks", "rst", |n| repeated("`a", n)),
    ("literal blocks", "rst", |n| repeated("a::\n\n", n)),
    ("links of reStructuredText", "rst", |n| repeated("`a <", n)),
    ("blocks of AsciiDoc", "adoc", |n| repeated("====\n", n)),
    ("marks of AsciiDoc", "adoc", |n| repeated("*", n)),
    ("attributes of AsciiDoc", "adoc", |n| repeated(":a: {a}{a}\n", n)),
    ("one cell", "ipynb", |n| {
        format!(r#"{{"cells": [{{"cell_type": "code", "source": "{}"}}]}}"#, "x = 1 ".repeat(n / 6))
    }),
    ("lines of text", "txt", |n| repeated("A\n=\n\n", n)),
    ("cells", "csv", |n| repeated("a,b\n", n)),
    ("rows after a wide one", "csv", |n| halves(";", ";\r\n", n)),
    ("quotes", "csv", |n| repeated("\"", n)),
    ("functions of Python", "py", |n| repeated("def a(): pass\n", n)),
    ("modules in modules", "rs", |n| repeated("mod a{\n", n)),
    ("statements that go wrong", "c", |n| repeated("int x\n", n)),
    ("conditions that do not end", "c", |n| repeated("#if a\n", n)),
];

/// Returns the number of instructions for reading a file with this content.
fn work(ending: &str, content: &str) -> u64 {
    let is_code = matches!(ending, "py" | "rs" | "c");
    let mut child = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", env!("CARGO_BIN_EXE_nearfind"), "read-apart"])
        // Effectively no limit, because valgrind itself needs memory.
        .arg((1u64 << 40).to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("valgrind is needed: install its package");
    let mut input = child.stdin.take().expect("a pipe");
    for message in [if is_code { "code" } else { "document" }, &format!("page.{ending}"), content] {
        input.write_all(&(message.len() as u32).to_le_bytes()).expect("a length");
        input.write_all(message.as_bytes()).expect("a message");
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    let counted = said.split("Collected : ").nth(1).and_then(|rest| rest.split_whitespace().next());
    counted.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("no count in {said}"))
}

#[test]
#[ignore = "needs valgrind and takes a minute"]
fn work_grows_linearly_with_the_file() {
    // Instructions for starting the program are subtracted.
    let endings: BTreeSet<&str> = PATTERNS.iter().map(|(_, ending, _)| *ending).collect();
    let nothing: BTreeMap<&str, u64> = endings.into_iter().map(|ending| (ending, work(ending, ""))).collect();
    let patterns = std::sync::Mutex::new(PATTERNS.iter());
    let next = || patterns.lock().expect("no thread panics with it").next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((what, ending, write)) = next() {
                    let [short, long] =
                        [SHORT, 2 * SHORT].map(|bytes| work(ending, &write(bytes)).saturating_sub(nothing[ending]));
                    let ratio = long as f64 / short.max(1) as f64;
                    assert!(
                        ratio <= MOST,
                        "{what} (.{ending}): {short} and {long} instructions, a ratio of {ratio:.2}"
                    );
                }
            });
        }
    });
}
