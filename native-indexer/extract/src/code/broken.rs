//! Finds definitions in a file that its grammar could not parse completely.
//!
//! A syntax error may hide everything after it, so this module searches the lines of the file for words that begin a
//! definition. It does not repeat a definition that the grammar found.

use super::definitions::Definition;
use super::parse::for_each_node;
use nearfind_core::symbols::SymbolKind;
use regex::Regex;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;
use tree_sitter::Tree;

/// Maximum number of bytes per line to search for the end of a definition.
const MAX_LINE_BYTES: usize = 500;
/// Maximum depth of the nodes that are checked for comments and strings.
const MAX_DEPTH: u32 = 200;

/// Matches a modifier, an annotation or a decorator, which may precede the keyword of a definition. The list is for all
/// languages except SQL and shells.
const MARKS: &str = r"(?:@\w+(?:\([^()\n]{0,80}\))?|public|private|protected|internal|fileprivate|open|abstract|sealed|data|inner|inline|value|override|suspend|external|operator|infix|prefix|postfix|tailrec|const|lateinit|enum|annotation|expect|actual|companion|static|final|async|export|default|declare|readonly|partial|virtual|extern|unsafe|mutating|nonmutating|class|indirect|weak|lazy|convenience|required|dynamic|nonisolated|implicit|case|pub(?:\([\w ]+\))?)";

/// Languages, the keywords that begin a definition in them, and a pattern for the text between a keyword and the name.
/// [`kind_of`] returns the kind of symbol for a keyword.
const HEADS: &[(&[&str], &str, &str)] = &[
    (&["kotlin"], "class|interface|object|fun|val|var|typealias", r"(?:<[^>\n]{0,80}>[ \t]*)?(?:[A-Z][\w<>?, ]*\.)*"),
    (&["swift"], "class|struct|enum|actor|protocol|extension|func|typealias|var|let", ""),
    (&["java", "csharp", "dart", "groovy"], "class|interface|enum|record|struct|mixin|extension", ""),
    (&["scala"], "class|object|trait|def|val|type|enum", ""),
    (&["typescript", "tsx", "javascript", "jsx"], "class|interface|type|namespace|function", r"\*?"),
    (&["php"], "class|interface|trait|enum|function", "&?"),
    (&["python"], "class|def", ""),
    (&["ruby"], "class|module|def", r"(?:self\.)?"),
    (&["rust"], "fn|struct|enum|trait|mod|static|type|union", ""),
    (&["go"], "func|type", r"(?:\([^()\n]{0,80}\)[ \t]*)?"),
    (
        &["sql"],
        "(?i:procedure|function|view|table|schema|sequence|trigger|type|domain|package)",
        r"(?i:if[ \t]+not[ \t]+exists[ \t]+)?(?:\w+\.)*",
    ),
];

/// Matches the beginning of a shell function. The keyword is optional.
const HEAD_OF_SHELL: &str = r"(?m)^[ \t]*(?P<head>(?:(?P<word>function)[ \t]+)?(?P<name>[\w:.-]+)[ \t]*\(\))";

/// Languages with the pattern that matches the beginning of a definition.
static PATTERNS: LazyLock<Vec<(&[&str], Regex)>> = LazyLock::new(|| {
    let pattern = |(languages, words, between): &(&'static [&'static str], &str, &str)| {
        // In SQL, every definition begins with one of these words.
        let (marks, times) = match languages {
            ["sql"] => (r"(?i:create|or|replace|temporary|temp|materialized|unlogged|global|local)", '+'),
            _ => (MARKS, '*'),
        };
        let head = format!(r"(?:{marks}[ \t]+){times}(?P<word>{words})[ \t]+{between}[`'\x22\[]?(?P<name>\w+)");
        (*languages, format!(r"(?m)(?:^|[{{}};])[ \t]*(?P<head>{head})"))
    };
    let shell: (&[&str], String) = (&["bash"], HEAD_OF_SHELL.to_owned());
    let all = HEADS.iter().map(pattern).chain([shell]);
    // A test checks that every pattern is valid.
    all.filter_map(|(languages, pattern)| Some((languages, Regex::new(&pattern).ok()?))).collect()
});

fn kind_of(word: &str) -> (SymbolKind, bool) {
    match word.to_ascii_lowercase().as_str() {
        "class" | "object" | "actor" | "record" | "mixin" => (SymbolKind::Class, false),
        "extension" => (SymbolKind::Class, true),
        "struct" | "union" | "table" => (SymbolKind::Struct, false),
        "interface" | "protocol" | "trait" => (SymbolKind::Interface, false),
        "enum" => (SymbolKind::Enum, false),
        "module" | "mod" | "namespace" | "schema" | "package" => (SymbolKind::Module, false),
        "type" | "typealias" | "view" | "domain" => (SymbolKind::Type, false),
        "val" | "var" | "let" => (SymbolKind::Constant, true),
        "static" | "sequence" => (SymbolKind::Constant, false),
        _ => (SymbolKind::Function, false),
    }
}

/// Returns the definitions of `text` that are missing from `tree`. `known` contains the positions of the names that the
/// grammar found. Without a syntax error, only Kotlin is searched.
pub(super) fn missed(language: &str, tree: &Tree, text: &str, known: &BTreeSet<usize>) -> Vec<Definition> {
    let Some((_, pattern)) = PATTERNS.iter().find(|(languages, _)| languages.contains(&language)) else {
        return Vec::new();
    };
    // Kotlin's grammar parses a class after annotations as an expression, without an error.
    if !tree.root_node().has_error() && language != "kotlin" {
        return Vec::new();
    }
    let silent = silent_parts(tree);
    let is_silent = |at: usize| {
        let next = silent.partition_point(|part| part.end <= at);
        silent.get(next).is_some_and(|part| part.start <= at)
    };
    let Some(part) = tree.included_ranges().first().map(|part| part.start_byte..part.end_byte.min(text.len())) else {
        return Vec::new();
    };
    let Some(inside) = text.get(part.clone()) else { return Vec::new() };
    let blocks = Blocks::of(inside);
    let mut found = Vec::new();
    for head in pattern.captures_iter(inside) {
        let place_in = |group: &str| head.name(group).map_or(0..0, |found| found.range());
        let place = |group: &str| part.start + place_in(group).start..part.start + place_in(group).end;
        let (name, start) = (place("name"), place("head").start);
        let is_comment = blocks.is_comment[blocks.line_of(place_in("head").start)];
        if known.contains(&name.start) || is_silent(name.start) || is_comment {
            continue;
        }
        let (kind, is_detail) = kind_of(&text[place("word")]);
        let (end, body) = blocks.end_of(inside, place_in("name").end);
        let (end, body) = (part.start + end, part.start + body);
        let signature_range = start..body;
        found.push(Definition {
            name: text[name.clone()].to_owned(),
            kind: Some(kind),
            is_detail,
            owner: String::new(),
            range: start..end,
            name_at: name.start,
            signature: super::definitions::in_line(text[signature_range.clone()].trim_end_matches([' ', '\t', '='])),
            signature_range,
        });
    }
    found
}

/// Whether a line begins with a comment. The tree does not contain nodes for comments inside an error.
fn begins_with_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#", "*", "/*", "--"].iter().any(|sign| line.starts_with(sign))
}

/// Returns the byte ranges of comments and strings, in order. In an error, an apostrophe may open a string that
/// continues for pages, so only single-line strings count there.
fn silent_parts(tree: &Tree) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut end_of_error = 0;
    for_each_node(tree, MAX_DEPTH, |node| {
        if node.is_error() {
            end_of_error = end_of_error.max(node.end_byte());
        }
        let (kind, start) = (node.kind(), node.start_byte());
        let is_inside = parts.last().is_some_and(|last| start < last.end);
        let is_text =
            kind.contains("string") && (start >= end_of_error || node.start_position().row == node.end_position().row);
        if !is_inside && (is_text || kind.contains("comment")) {
            parts.push(node.byte_range());
        }
    });
    parts
}

/// Lines of a text and the blocks that begin on them. A block ends before the next line that is not indented further.
struct Blocks {
    starts: Vec<usize>,
    /// Whether each line begins with a comment.
    is_comment: Vec<bool>,
    /// Number of the last line of the block that begins on each line.
    lasts: Vec<usize>,
}

impl Blocks {
    fn of(text: &str) -> Self {
        let (mut starts, mut is_comment) = (Vec::new(), Vec::new());
        let mut lasts: Vec<usize> = Vec::new();
        // Indentation and number of the lines with open blocks, each indented further than the one before it.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let (mut start, mut before) = (0, 0);
        for (number, line) in text.split_inclusive('\n').enumerate() {
            starts.push(start);
            is_comment.push(begins_with_comment(line));
            lasts.push(number);
            start += line.len();
            let Some(depth) = depth_of(line) else { continue };
            while let Some((_, first)) = open.pop_if(|(other, _)| depth < *other || depth == *other && !continues(line))
            {
                lasts[first] = before;
            }
            // A line that closes the open block of its indentation does not begin a block.
            if !continues(line) || open.last().is_none_or(|(other, _)| *other < depth) {
                open.push((depth, number));
            }
            before = number;
        }
        for (_, first) in open {
            lasts[first] = before;
        }
        Self { starts, is_comment, lasts }
    }

    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// Returns the end of the definition whose name ends at `name`, and the start of its body.
    fn end_of(&self, text: &str, name: usize) -> (usize, usize) {
        let line = self.line_of(name);
        let end_of_line = |line: usize| self.starts.get(line + 1).map_or(text.len(), |next| next - 1);
        let end = end_of_line(line);
        let mut depth = 0usize;
        let mut body = None;
        for (at, byte) in text.as_bytes()[name..end].iter().enumerate().take(MAX_LINE_BYTES) {
            let at = name + at;
            match byte {
                b'{' | b'(' | b'[' => {
                    if *byte == b'{' {
                        body.get_or_insert(at);
                    }
                    depth += 1;
                }
                b'}' | b')' | b']' | b';' if depth == 0 => return (at, body.unwrap_or(at)),
                b'}' | b')' | b']' => {
                    depth -= 1;
                    if depth == 0 && *byte == b'}' {
                        return (at + 1, body.unwrap_or(at));
                    }
                }
                _ => {}
            }
        }
        let last = self.lasts.get(line).map_or(end, |last| end_of_line(*last));
        (last.max(end), body.unwrap_or(end))
    }
}

/// Returns the indentation of a line in bytes, or `None` for a blank line.
fn depth_of(line: &str) -> Option<usize> {
    let text = line.trim_start();
    (!text.is_empty()).then(|| line.len() - text.len())
}

/// Whether a line continues the block of an earlier line with the same indentation.
fn continues(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with(['{', '}', ')', ']']) || text.trim_end() == "end"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::grammars::grammar;
    use crate::code::languages::Language;
    use crate::code::parse::parse;
    use proptest::prelude::*;

    fn names(language: &'static str, text: &str) -> Vec<(String, String)> {
        let tree = parse(grammar(Language(language)).unwrap(), text, &[]).unwrap();
        let found = missed(language, &tree, text, &BTreeSet::new());
        found.into_iter().map(|known| (known.name, text[known.range].to_owned())).collect()
    }

    #[test]
    fn what_an_error_hides_is_found_by_line() {
        let text = "object A { val all = 1 }\n// class B\nclass C {\n    fun <T> List<T>.d(): Int {\n    }\n}\nval text = \"\"\"\nclass E\n\"\"\"\n%% ((\n";
        let found = names("kotlin", text);
        let expected = [
            ("A", "object A { val all = 1 }"),
            ("all", "val all = 1 "),
            ("C", "class C {\n    fun <T> List<T>.d(): Int {\n    }\n}"),
            ("d", "fun <T> List<T>.d(): Int {\n    }"),
        ];
        for (name, range) in expected {
            assert!(found.contains(&(name.to_owned(), range.to_owned())), "{name}: {found:?}");
        }
        assert!(!found.iter().any(|(name, _)| name == "B"), "{found:?}");
        let found = names(
            "kotlin",
            "class A\ninternal actual constructor(\n  val a: Int\n) : B {\n  /** It's one. */\n  open fun f() = 1\n\n  fun g() = \"class X\"\n}\n",
        );
        assert!(found.iter().any(|(name, _)| name == "g") && !found.iter().any(|(name, _)| name == "X"), "{found:?}");
        assert!(names("swift", "class A {}\n").is_empty(), "a file that is read has nothing to look for");
    }

    #[test]
    fn every_expression_is_one() {
        assert_eq!(PATTERNS.len(), HEADS.len() + 1);
    }

    #[test]
    fn functions_of_a_shell_need_no_word() {
        let found = names("bash", "case $x in\n  ;;;\nmain() {\n  f() { x; }\n}\nfunction g () {\n}\nif (( x\n");
        let found: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, ["main", "f", "g"]);
    }

    #[test]
    fn statements_of_sql_are_found_by_line() {
        let found = names(
            "sql",
            "CREATE OR REPLACE PROCEDURE app.pay(IN a INT) BEGIN SELECT 1; END;\ncreate domain \"d1\" AS int;\n",
        );
        let found: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, ["pay", "d1"]);
    }

    /// Finds the last line of the block that begins on the line `first`, by checking each line after it.
    fn naive_last(lines: &[&str], first: usize) -> usize {
        let Some(depth) = depth_of(lines[first]) else { return first };
        let is_part_of_other = continues(lines[first])
            && (0..first).rev().find_map(|other| depth_of(lines[other]).filter(|d| *d <= depth)) == Some(depth);
        if is_part_of_other {
            return first;
        }
        let mut last = first;
        for (number, line) in lines.iter().enumerate().skip(first + 1) {
            match depth_of(line) {
                Some(other) if other < depth || other == depth && !continues(line) => break,
                Some(_) => last = number,
                None => {}
            }
        }
        last
    }

    proptest! {
        #[test]
        fn blocks_end_where_looking_at_all_lines_ends_them(lines in prop::collection::vec("[ ]{0,3}[a{}]{0,1}", 1..30)) {
            let text = lines.join("\n");
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let blocks = Blocks::of(&text);
            for (first, last) in blocks.lasts.iter().enumerate() {
                prop_assert_eq!(*last, naive_last(&lines, first), "line {} of {:?}", first, &text);
            }
        }

        #[test]
        fn any_text_is_looked_through(text in "(class |fun |object |val |[a-z{}();\"\n ]){0,30}") {
            let tree = parse(grammar(Language("kotlin")).unwrap(), &text, &[]).unwrap();
            for found in missed("kotlin", &tree, &text, &BTreeSet::new()) {
                prop_assert!(found.range.start <= found.name_at && found.name_at < found.range.end);
                prop_assert!(text.get(found.range.clone()).is_some() && text.get(found.signature_range).is_some());
            }
        }
    }
}
