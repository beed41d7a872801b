//! Finds the definitions that contain changed lines.

use super::line_changes::Hunk;
use nearfind_extract::code::{CodeFile, Symbol, SymbolKind};
use std::ops::Range;

/// Maximum number of changed lines per file to look up.
const MAX_LINES: usize = 2000;
/// Maximum number of definitions per file to name.
pub(super) const MAX_NAMES: usize = 12;

/// Returns the names of the innermost definitions in `file` that contain lines in `hunks`, with their scopes, in the
/// order of the lines.
pub(super) fn touched(file: &CodeFile, hunks: &[Hunk]) -> Vec<String> {
    let symbols: Vec<&Symbol> = symbols(file).collect();
    let mut names: Vec<String> = Vec::new();
    let mut left = MAX_LINES;
    for hunk in hunks {
        for line in lines_of(hunk).take(left) {
            left -= 1;
            let around = symbols.iter().filter(|symbol| (symbol.lines.0..=symbol.lines.1).contains(&line));
            // If two definitions have the same lines, the later one is inside the other.
            let innermost = around.rev().min_by_key(|symbol| symbol.lines.1 - symbol.lines.0);
            if let Some(name) = innermost.map(|symbol| name_of(symbol))
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        if names.len() >= MAX_NAMES || left == 0 {
            break;
        }
    }
    names.truncate(MAX_NAMES);
    names
}

/// Returns the names of the outer definitions in `file`.
pub(super) fn outer(file: &CodeFile) -> Vec<String> {
    symbols(file).filter(|symbol| symbol.is_outer).map(name_of).take(MAX_NAMES).collect()
}

fn symbols(file: &CodeFile) -> impl Iterator<Item = &Symbol> {
    let all = file.pieces.iter().flat_map(|piece| &piece.symbols);
    all.filter(|symbol| symbol.kind != SymbolKind::Declaration)
}

fn name_of(symbol: &Symbol) -> String {
    if symbol.scope.is_empty() { symbol.name.clone() } else { format!("{}.{}", symbol.scope, symbol.name) }
}

/// Returns the lines of a hunk, starting at 1. If lines were only removed, these are the line before and the line
/// after.
fn lines_of(hunk: &Hunk) -> Range<u32> {
    let Range { start, end } = hunk.after;
    if start < end { start + 1..end + 1 } else { start.max(1)..start + 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearfind_extract::Extraction;
    use nearfind_extract::apart::Readers;

    const TEXT: &str = "import os\n\nclass Session:\n    def send(self):\n        return 1\n\n    def close(self):\n        pass\n\n\ndef connect():\n    pass\n";

    fn file() -> CodeFile {
        match Readers::inside().read_code("a.py", TEXT.as_bytes()) {
            Ok(Extraction::Code(file)) => *file,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn changed_lines_are_in_the_innermost_definition() {
        let names = |line: u32| touched(&file(), &[Hunk { before: 0..1, after: line - 1..line }]);
        assert_eq!(names(5), ["Session.send"]);
        assert_eq!(names(3), ["Session"]);
        assert_eq!(names(12), ["connect"]);
        assert!(names(1).is_empty());
    }

    #[test]
    fn where_lines_were_removed_counts_what_is_around() {
        assert_eq!(touched(&file(), &[Hunk { before: 7..9, after: 7..7 }]), ["Session.close"]);
        assert_eq!(outer(&file()), ["Session", "connect"]);
    }
}
