//! Finds the definitions that macro calls make: variables, and functions whose head is the call.

use super::names::{is_keyword, is_type_word};
use super::tokens::TokenKind;
use super::{MacroName, Reader};
use std::ops::Range;

impl Reader<'_> {
    /// Converts a call to the head of a function: `TEST(Suite, Case)` into `T x( )`.
    pub(super) fn define_function(&mut self, at: usize, close: usize) {
        let Some(name) = self.defined(at, close) else { return };
        let head = self.tokens[at].range.clone();
        let place = head.end - 1;
        self.blank(at..at + 1);
        self.blank(at + 2..close);
        self.masked[head.start] = b'T';
        self.masked[place] = b'x';
        self.functions.insert(place, name);
    }

    /// Records the variable of a call such as `DEFINE_MUTEX(name);` or `DECLARE_LIST(name);`.
    pub(super) fn define_variable(&mut self, start: usize, at: usize, close: usize) {
        if ["DEFINE_", "DECLARE_"].iter().any(|start| self.word(at).starts_with(start))
            && let Some(name) = self.defined(at, close)
        {
            self.variables.push((self.tokens[start].range.start..self.tokens[close].range.end, name));
        }
    }

    /// Returns the name that a macro defines, which is one of its arguments.
    fn defined(&self, at: usize, close: usize) -> Option<MacroName> {
        let mut arguments: Vec<Range<usize>> = Vec::new();
        let mut from = at + 2;
        let mut token = from;
        while token <= close {
            match self.sign(token) {
                Some(b'(' | b'[' | b'{') => token = self.closing(token)?,
                Some(b',' | b')') => {
                    arguments.push(from..token);
                    from = token + 1;
                }
                _ => {}
            }
            token += 1;
        }
        let called = self.word(at);
        let nothing = 0..0;
        let of_test = ["TEST", "BENCH", "FIXTURE", "SCENARIO"].iter().any(|part| called.contains(part));
        if let [first, second, ..] = arguments.as_slice()
            && of_test
            && let (Some(owner), Some(name)) = (self.name(first), self.name(second))
        {
            return Some(MacroName { name, owner });
        }
        let first = arguments.first()?;
        if first.len() == 1 && self.tokens[first.start].kind == TokenKind::Literal {
            let range = self.tokens[first.start].range.clone();
            return self.text[range.clone()].starts_with('"').then_some(MacroName { name: range, owner: nothing });
        }
        let is_type = self.name(first).is_none() || called.ends_with("PER_CPU");
        let name = if is_type { self.name(arguments.get(1)?)? } else { self.name(first)? };
        Some(MacroName { name, owner: nothing })
    }

    /// Returns the bytes of an argument if it is a name.
    fn name(&self, argument: &Range<usize>) -> Option<Range<usize>> {
        let word = self.word(argument.start);
        let is_name = argument.len() == 1 && !word.is_empty() && !is_type_word(word) && !is_keyword(word);
        is_name.then(|| self.tokens[argument.start].range.clone())
    }
}
