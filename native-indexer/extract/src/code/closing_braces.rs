//! Kotlin on one line: `object A { val all = 1 }`. Its grammar wants a line break or a semicolon between the last member and the
//! brace, and makes an error of all that follows.

use super::parse::for_each_node;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// The text with a semicolon for the space before a brace that closes on the line of what is before it. Every other byte keeps its
/// place.
pub(super) fn with_semicolons(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    // The last byte that is not a space, with the space after it.
    let mut before: Option<(u8, Option<usize>)> = None;
    for (at, byte) in text.bytes().enumerate() {
        match (byte, before) {
            (b' ', Some((last, None))) => before = Some((last, Some(at))),
            (b' ' | b'\t', _) => {}
            (b'\n', _) => before = None,
            (b'}', Some((last, Some(space)))) if !matches!(last, b'{' | b';') => {
                bytes[space] = b';';
                before = Some((byte, None));
            }
            _ => before = Some((byte, None)),
        }
    }
    // Only spaces were written over.
    String::from_utf8(bytes).unwrap_or_default()
}

/// How many bytes of a tree are in errors.
pub(super) fn bytes_in_errors(tree: &Tree) -> usize {
    let mut ends = 0;
    let mut sum = 0;
    let mut count = |node: Node<'_>| {
        let Range { start, end } = node.byte_range();
        if node.is_error() && end > ends {
            sum += end - start.max(ends);
            ends = end;
        }
    };
    for_each_node(tree, u32::MAX, &mut count);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn last_members_of_a_line_end_with_a_semicolon() {
        let text = "object A { fun f() {} ; val all = 1 }\nclass B { }\nval c = 1; }\n  }\n";
        let expected = "object A { fun f() {} ; val all = 1;}\nclass B { }\nval c = 1; }\n  }\n";
        assert_eq!(with_semicolons(text), expected);
    }

    proptest! {
        #[test]
        fn an_expression_finds_the_same_spaces(text in "[a{};\t\n é]{0,40}") {
            let pattern = regex::Regex::new(r"([^ \t\n{;]\t*) ([ \t]*\})").unwrap();
            let expected = pattern.replace_all(&text, "$1;$2");
            // What a match ends with may begin the next one.
            let expected = pattern.replace_all(&expected, "$1;$2");
            prop_assert_eq!(with_semicolons(&text), expected);
        }
    }
}
