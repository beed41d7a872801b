//! The text of a piece of source code that was found: all of it, or only its key lines.

use crate::library::ask::question::FoundHit;
use crate::library::open::content::Content;
use anyhow::Result;
use nearfind_core::analysis::Analyzer;
use nearfind_core::content::ContentMode;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The text of a piece of source code.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The number of the first line, starting at 1.
    pub first: usize,
    /// The lines.
    pub lines: Vec<String>,
    /// The indices of the lines where a definition begins.
    begins: BTreeSet<usize>,
    /// The terms that were searched for.
    terms: Arc<[String]>,
}

impl FoundHit {
    /// Returns the text of a piece of source code that begins on line `first`.
    pub fn piece(&self, first: usize) -> Result<Piece> {
        let whole = Content { mode: ContentMode::Full, most_chars: 0, notice: "" };
        let text = self.bundle.content(&[], &self.hit, whole)?.unwrap_or_default();
        let defined = self.bundle.definitions(self.hit.number..self.hit.number + 1)?;
        // A piece begins at its first line with text.
        let blank = text.lines().take_while(|line| line.trim().is_empty()).count();
        let line_of = |at: u32| text.get(..at as usize)?.matches('\n').count().checked_sub(blank);
        let begins = defined.iter().filter_map(|place| line_of(place.definition.signature.start)).collect();
        let lines = text.trim_end().lines().skip(blank).map(str::to_owned).collect();
        Ok(Piece { first, lines, begins, terms: Arc::clone(&self.terms) })
    }
}

impl Piece {
    /// Returns at most `most` lines with their numbers, in order. Lines with the most different terms of the question
    /// come first in the selection, then lines where a definition begins, and then the first lines.
    pub fn key_lines(&self, most: usize) -> Vec<(usize, &str)> {
        let terms_on = |line: &str| {
            let tokens = Analyzer::ENGLISH.code_tokens(line).into_iter().map(|token| token.term);
            tokens.filter(|term| self.terms.contains(term)).collect::<BTreeSet<String>>().len()
        };
        let mut lines: Vec<usize> = (0..self.lines.len()).filter(|&at| is_telling(&self.lines[at])).collect();
        lines.sort_by_cached_key(|&at| (Reverse(terms_on(&self.lines[at])), !self.begins.contains(&at), at));
        lines.truncate(most);
        lines.sort_unstable();
        lines.into_iter().map(|at| (self.first + at, self.lines[at].as_str())).collect()
    }
}

/// Whether a line contains more than punctuation.
fn is_telling(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, begins: &[usize], terms: &[&str]) -> Piece {
        Piece {
            first: 10,
            lines: text.lines().map(str::to_owned).collect(),
            begins: begins.iter().copied().collect(),
            terms: terms.iter().map(|&term| term.to_owned()).collect(),
        }
    }

    const CODE: &str =
        "/// Closes it.\nfn close(&mut self) {\n    self.flush();\n\n    self.closeSocket(timeout);\n}\n";

    #[test]
    fn lines_with_more_terms_come_first_and_stay_in_order() {
        let piece = piece(CODE, &[1], &["socket", "timeout", "flush"]);
        assert_eq!(piece.key_lines(1), [(14, "    self.closeSocket(timeout);")], "two terms, one inside a name");
        let lines: Vec<usize> = piece.key_lines(3).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [11, 12, 14], "the definition fills the rest, before the comment");
    }

    #[test]
    fn without_terms_definitions_and_the_beginning_are_shown_but_no_punctuation() {
        let piece = piece(CODE, &[1], &[]);
        assert_eq!(piece.key_lines(1), [(11, "fn close(&mut self) {")]);
        assert_eq!(piece.key_lines(9).len(), 4);
    }
}
