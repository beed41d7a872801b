//! Prepares Kotlin code that closes a brace on the last member's line, as in `object A { val all = 1 }`.
//!
//! Kotlin's grammar expects a line break or a semicolon before the brace. Without it, the rest of the file is an error.

use super::parse::for_each_node;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Replaces the space between a member and a closing brace on the same line with a semicolon. All positions stay the
/// same.
pub(super) fn with_semicolons(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    // The last byte that is not a space, and the position of the first space after it.
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
    // Only spaces were overwritten, so the text is still UTF-8.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns the number of bytes in a tree that are part of errors.
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
            // The end of one match may be the beginning of the next.
            let expected = pattern.replace_all(&expected, "$1;$2");
            prop_assert_eq!(with_semicolons(&text), expected);
        }
    }
}
