//! Parses source code into a tree, in limited time.

use super::grammars::Grammar;
use cpu_time::ThreadTime;
use std::ops::ControlFlow;
use std::time::Duration;
use tree_sitter::{Node, ParseOptions, Parser, Range, Tree};

/// Maximum processor time for one file. A file of 100 kB usually takes about ten milliseconds.
const MAX_TIME: Duration = Duration::from_secs(2);

/// Parses `text`, or only its `parts` if there are any. Returns `None` if the grammar takes too long.
pub(super) fn parse(grammar: &Grammar, text: &str, parts: &[Range]) -> Option<Tree> {
    parse_within(grammar, text, parts, MAX_TIME)
}

fn parse_within(grammar: &Grammar, text: &str, parts: &[Range], time: Duration) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    parser.set_included_ranges(parts).ok()?;
    let began = ThreadTime::now();
    let mut is_in_time = |_: &tree_sitter::ParseState| {
        if began.elapsed() < time { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut is_in_time);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Calls `visit` with every node in `tree` down to `depth`, with outer nodes before inner nodes. It does not recurse,
/// because a hostile tree is as deep as its text is long.
pub(super) fn for_each_node<'tree>(tree: &'tree Tree, depth: u32, mut visit: impl FnMut(Node<'tree>)) {
    let mut cursor = tree.walk();
    // The depth is kept here, because a cursor recounts it at each request.
    let mut at = 0;
    loop {
        visit(cursor.node());
        if at < depth && cursor.goto_first_child() {
            at += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::grammars::grammar;
    use crate::code::languages::Language;

    #[test]
    fn a_grammar_that_takes_too_long_is_stopped() {
        let grammar = grammar(Language("python")).unwrap();
        let text = "x = [1, 2, 3]\n".repeat(20_000);
        assert!(parse_within(grammar, &text, &[], Duration::ZERO).is_none());
        assert!(parse_within(grammar, &text, &[], MAX_TIME).is_some());
    }
}
