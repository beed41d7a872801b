//! Blanks C and C++ macros that the grammars cannot parse.
//!
//! Such macros are export marks before a type, calls that are a return type or the head of a function, and statements
//! without a semicolon. A single such macro may turn the rest of a file into an error. The preprocessor would expand
//! them, but the headers are not available. So macros are recognized by their names, `LIKE_THIS`, and their positions,
//! and are replaced with spaces before the text is parsed. All positions stay the same. A doubtful word stays, because
//! a type may also be in capitals.

mod definers;
mod heads;
mod names;
mod scopes;
mod tokens;

use names::{is_keyword, is_macro};
use scopes::{Scope, Scopes};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use tokens::{Directive, Token, TokenKind, tokens};

/// Maximum number of tokens in a macro call. Longer calls are tables.
const MAX_TOKENS: usize = 400;

/// A text that its grammar can parse.
#[derive(Debug)]
pub(super) struct Unmacroed<'a> {
    pub text: Cow<'a, str>,
    /// Names of functions with a macro call as their head, by the position of their placeholder in `text`.
    pub functions: BTreeMap<usize, MacroName>,
    /// Bytes and names of variables that a macro defines.
    pub variables: Vec<(Range<usize>, MacroName)>,
    /// Bytes of words that are blank in `text`.
    pub words: Vec<Range<usize>>,
}

/// Bytes of a name in the arguments of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MacroName {
    pub name: Range<usize>,
    /// The byte range of the test suite's name. Empty for other names.
    pub owner: Range<usize>,
}

/// Replaces the macros in `text` with spaces.
pub(super) fn without_macros(text: &str) -> Unmacroed<'_> {
    let tokens = tokens(text);
    let mut reader = Reader {
        text,
        scopes: Scopes::default(),
        masked: Vec::new(),
        functions: BTreeMap::new(),
        variables: Vec::new(),
        words: Vec::new(),
        tokens,
    };
    reader.read();
    let text = match String::from_utf8(std::mem::take(&mut reader.masked)) {
        Ok(masked) if !masked.is_empty() => Cow::Owned(masked),
        _ => Cow::Borrowed(text),
    };
    Unmacroed { text, functions: reader.functions, variables: reader.variables, words: reader.words }
}

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    scopes: Scopes,
    /// The text with blanks, or empty as long as there are none.
    masked: Vec<u8>,
    functions: BTreeMap<usize, MacroName>,
    variables: Vec<(Range<usize>, MacroName)>,
    words: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut at = 0;
        // The first token of the current statement, and whether the next token begins a new one.
        let (mut start, mut begins) = (0, true);
        while at < self.tokens.len() {
            if begins && !matches!(self.tokens[at].kind, TokenKind::Directive(_)) {
                let next = self.statement(at);
                if next > at {
                    at = next;
                    continue;
                }
                (start, begins) = (at, false);
            }
            match self.tokens[at].kind {
                TokenKind::Directive(directive) => self.directive(directive, at),
                TokenKind::Sign(b'{') => {
                    let head: Vec<&str> =
                        self.tokens[start..at].iter().map(|token| &self.text[token.range.clone()]).collect();
                    self.scopes.open(&head);
                    begins = true;
                }
                TokenKind::Sign(b'}') => {
                    self.scopes.close();
                    begins = true;
                }
                TokenKind::Sign(b';') => begins = true,
                // A statement begins after `public:` and `case 1:`.
                TokenKind::Sign(b':') if self.is_label(start) => begins = true,
                _ => {}
            }
            at += 1;
        }
    }

    /// Blanks the condition, and all branches except the first, of a conditional that changes which braces are open. A
    /// tree cannot contain branches that open and close different braces.
    fn directive(&mut self, directive: Directive, at: usize) {
        let Some(condition) = self.scopes.directive(directive, at) else { return };
        self.blank(condition.begins..condition.begins + 1);
        self.blank(condition.branches..at + 1);
    }

    /// Blanks the macros at the start of the statement at `at`. Returns the token where a statement begins again, or
    /// `at` if there is none.
    fn statement(&mut self, at: usize) -> usize {
        match self.scopes.current() {
            Scope::Values => at,
            Scope::Body => self.statement_of_body(at),
            Scope::Outer | Scope::Class => self.declaration(at),
        }
    }

    fn statement_of_body(&mut self, at: usize) -> usize {
        let is_call = self.sign(at + 1) == Some(b'(') && !is_keyword(self.word(at));
        if let Some(close) = self.closing(at + 1).filter(|close| is_call && self.sign(close + 1) == Some(b'{')) {
            // This is the head of a loop, such as `foreach (x, list) {`.
            return if self.word(at).is_empty() { at } else { self.blank(at..close + 1) };
        }
        if !is_macro(self.word(at)) {
            self.class_head(at);
            return at;
        }
        if self.sign(at + 1) == Some(b'(') {
            // A call before an operator or a semicolon is an expression.
            return match self.closing(at + 1) {
                Some(close) if self.begins_statement(close + 1) => self.blank(at..close + 1),
                _ => at,
            };
        }
        let end = self.end_of_run(at);
        let is_alone = self.is_line_start(at) && self.is_line_start(end);
        let is_last = self.sign(end) == Some(b'}');
        // A declaration begins with at most two such words: a type and a name.
        if is_last || (end - at >= 3 && self.sign(end).is_none()) || (is_alone && self.begins_statement(end)) {
            return self.blank(at..end);
        }
        at
    }

    /// Blanks Qt's `signals:`, and `slots` in `public slots:`, which are not part of C++.
    fn qt_label(&mut self, at: usize) -> bool {
        let is_label = |word: &str| matches!(word, "signals" | "slots" | "Q_SIGNALS" | "Q_SLOTS");
        let word = at + usize::from(matches!(self.word(at), "public" | "private" | "protected"));
        let is_qt = is_label(self.word(word)) && self.sign(word + 1) == Some(b':') && self.sign(word + 2) != Some(b':');
        if is_qt {
            self.blank(word..if word > at { word + 1 } else { word + 2 });
        }
        is_qt
    }

    /// Blanks these tokens, and returns the token after them.
    fn blank(&mut self, tokens: Range<usize>) -> usize {
        if self.masked.is_empty() {
            self.masked = self.text.as_bytes().to_vec();
        }
        for token in &self.tokens[tokens.clone()] {
            let bytes = &mut self.masked[token.range.clone()];
            bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            if token.kind == TokenKind::Word && !is_keyword(&self.text[token.range.clone()]) {
                self.words.push(token.range.clone());
            }
        }
        tokens.end
    }

    /// Returns the word at `at`, or an empty text if the token is not a word.
    fn word(&self, at: usize) -> &str {
        match self.tokens.get(at) {
            Some(token) if token.kind == TokenKind::Word => &self.text[token.range.clone()],
            _ => "",
        }
    }

    fn sign(&self, at: usize) -> Option<u8> {
        match self.tokens.get(at)?.kind {
            TokenKind::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    /// Returns the token that closes the bracket at `open` in the same statement.
    fn closing(&self, open: usize) -> Option<usize> {
        let (opens, closes) = match self.sign(open)? {
            b'(' => (b'(', b')'),
            b'[' => (b'[', b']'),
            b'{' => (b'{', b'}'),
            b'<' => (b'<', b'>'),
            _ => return None,
        };
        let mut depth = 0usize;
        for at in open..(open + MAX_TOKENS).min(self.tokens.len()) {
            match self.sign(at) {
                Some(sign) if sign == opens => depth += 1,
                Some(sign) if sign == closes => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                Some(b';' | b'{' | b'}') if opens != b'{' => return None,
                _ => {}
            }
        }
        None
    }

    /// Returns the end of a run of words that are named like macros.
    fn end_of_run(&self, at: usize) -> usize {
        let rest = at..self.tokens.len();
        let is_part = |token: &usize| is_macro(self.word(*token)) && self.sign(*token + 1) != Some(b'(');
        let end = at + rest.take_while(is_part).count();
        end.max(at + 1)
    }

    /// Whether a token is the first of its line, or the text ends before it.
    fn is_line_start(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|before| self.tokens.get(before)) else { return true };
        self.tokens.get(at).is_none_or(|token| token.line > before.line)
    }

    /// Whether the token at `at` may begin a statement rather than continue one.
    fn begins_statement(&self, at: usize) -> bool {
        match self.tokens.get(at).map(|token| token.kind) {
            None | Some(TokenKind::Word | TokenKind::Directive(_)) => true,
            Some(TokenKind::Sign(sign)) => matches!(sign, b'}' | b'{' | b'~'),
            Some(TokenKind::Literal) => false,
        }
    }

    fn is_label(&self, start: usize) -> bool {
        matches!(
            self.word(start),
            "public" | "private" | "protected" | "signals" | "Q_SIGNALS" | "case" | "default" | "slots"
        )
    }
}

#[cfg(test)]
mod tests;
