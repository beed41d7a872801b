//! Reads the heads of declarations: the text before a function's or class's name, and the text after the parameters.
//!
//! A mark is a macro that adds an attribute to a declaration, such as `DLLEXPORT`.

use super::names::{follows_parameters, is_convention, is_keyword, is_macro, is_type_word, leads_type};
use super::scopes::Scope;
use super::tokens::TokenKind;
use super::{MAX_TOKENS, Reader};

/// The role of a macro call in a head.
enum Call {
    None,
    /// The call is the return type. The value is its last token.
    Type(usize),
    /// The call is a mark. The value is its last token.
    Mark(usize),
    /// The call is the whole head.
    Head,
}

impl Reader<'_> {
    pub(super) fn declaration(&mut self, at: usize) -> usize {
        if self.qt_label(at) {
            return at;
        }
        if is_macro(self.word(at)) {
            if self.sign(at + 1) == Some(b'(') {
                let next = self.leading_call(at);
                if next > at {
                    return next;
                }
            } else {
                let end = self.end_of_run(at);
                let is_alone = self.is_line_start(at) && self.is_line_start(end);
                let is_before_label =
                    matches!(self.word(end), "public" | "private" | "protected" | "signals" | "slots");
                // A type may have its own line, as in GNU's style. A name follows it.
                let is_type = self.sign(end + 1) == Some(b'(')
                    && !is_keyword(self.word(end))
                    && !self.scopes.is_class(self.word(end))
                    && !is_macro(self.word(end));
                if is_before_label || (is_alone && self.begins_statement(end) && !(is_type && end == at + 1)) {
                    return self.blank(at..if is_alone && is_type { end - 1 } else { end });
                }
            }
        }
        self.head(at);
        at
    }

    /// Blanks the macro call before a declaration, and returns the token after the call, or `at` if the call is part of
    /// the declaration.
    fn leading_call(&mut self, at: usize) -> usize {
        let Some(close) = self.closing(at + 1) else { return at };
        if self.is_return_type(at, close) || !self.begins_statement(close + 1) || self.sign(close + 1) == Some(b'{') {
            return at;
        }
        self.blank(at..close + 1)
    }

    /// Whether the call from `at` to `close` is the return type of the function whose name follows the call.
    fn is_return_type(&self, at: usize, close: usize) -> bool {
        let mut name = close + 1;
        while self.sign(name + 1) == Some(b':') && self.sign(name + 2) == Some(b':') {
            name += 3;
        }
        let is_name = !self.word(name).is_empty() && !is_keyword(self.word(name)) && self.sign(name + 1) == Some(b'(');
        let is_other = is_macro(self.word(name)) && name == close + 1 || self.scopes.is_class(self.word(name));
        let is_near = self.tokens.get(name).is_some_and(|name| name.line == self.tokens[at].line);
        let may_be_below = matches!(self.scopes.current(), Scope::Outer);
        let is_type = |token: usize| match self.tokens[token].kind {
            TokenKind::Word => true,
            TokenKind::Sign(sign) => matches!(sign, b'*' | b'&' | b':' | b'<' | b'>'),
            _ => false,
        };
        is_name && !is_other && (is_near || may_be_below) && close > at + 2 && (at + 2..close).all(is_type)
    }

    /// Reads the head of a declaration: marks before and after its type, a call that is its type, or a call that is the
    /// whole head.
    fn head(&mut self, start: usize) {
        let (mut at, mut marks, mut types) = (start, Vec::new(), 0);
        let mut name = None;
        let limit = start + MAX_TOKENS;
        while at < limit {
            let word = self.word(at);
            match self.sign(at) {
                Some(b':') if self.sign(at + 1) == Some(b':') => {
                    name = None;
                    at += 2;
                }
                Some(b'*' | b'&' | b':') => at += 1,
                // A destructor does not have a type, so none of its marks can be the type.
                Some(b'~') => {
                    types += 1;
                    at += 1;
                }
                Some(b'<') => match self.closing(at) {
                    Some(close) => at = close + 1,
                    None => return,
                },
                Some(b'[') if self.sign(at + 1) == Some(b'[') => match self.closing(at) {
                    Some(close) => at = close + 1,
                    None => return,
                },
                Some(b'(') => break,
                Some(_) => return,
                None if word.is_empty() => match self.tokens.get(at) {
                    // `extern "C"`
                    Some(token) if token.kind == TokenKind::Literal => at += 1,
                    _ => return,
                },
                None if matches!(word, "class" | "struct" | "union" | "enum") => {
                    self.class_head(at);
                    types += 1;
                    at += 2;
                }
                None if word == "operator" => {
                    let before = name.replace(at).filter(|before| is_macro(self.word(*before)));
                    marks.extend(before);
                    // A conversion operator such as `operator bool` names its type.
                    types += usize::from(!self.word(at + 1).is_empty());
                    break;
                }
                None if matches!(word, "__attribute__" | "__declspec" | "alignas" | "explicit" | "decltype") => {
                    types += usize::from(word == "decltype");
                    at = match self.sign(at + 1) {
                        Some(b'(') => self.closing(at + 1).map_or(at + 1, |close| close + 1),
                        _ => at + 1,
                    };
                }
                None if is_type_word(word) => {
                    types += 1;
                    at += 1;
                }
                None if leads_type(word) => at += 1,
                None if is_keyword(word) => return,
                None => match self.macro_call(start, at, types) {
                    // A name with template arguments is a type.
                    Call::None if self.sign(at + 1) == Some(b'<') => {
                        types += 1;
                        at += 1;
                    }
                    Call::None => {
                        if let Some(before) = name.replace(at) {
                            if is_macro(self.word(before)) { marks.push(before) } else { types += 1 }
                        }
                        at += 1;
                        // In a qualified name, only the last part counts as a word.
                        while self.sign(at) == Some(b':') && self.sign(at + 1) == Some(b':') {
                            at += 2;
                            if !self.word(at).is_empty() && self.word(at) != "operator" && self.sign(at) != Some(b'~') {
                                name = Some(at);
                                at += 1;
                            }
                        }
                    }
                    Call::Type(close) => {
                        types += 1;
                        at = close + 1;
                    }
                    Call::Mark(close) => at = close + 1,
                    Call::Head => return,
                },
            }
        }
        let Some(name) = name.filter(|_| at < limit) else { return };
        if self.scopes.is_class(self.word(name)) {
            types += 1;
        }
        self.blank_marks(marks, types);
        if let Some(close) = self.closing(at).filter(|_| self.sign(at) == Some(b'(')) {
            self.behind(close + 1);
        }
    }

    /// Blanks the marks in a head. If `types` is 0, the last mark that is not a calling convention stays as the type.
    fn blank_marks(&mut self, mut marks: Vec<usize>, types: usize) {
        if types == 0 {
            let last = marks.iter().rposition(|mark| !is_convention(self.word(*mark)));
            last.map(|last| marks.remove(last));
        }
        for mark in marks {
            self.blank(mark..mark + 1);
        }
    }

    /// Determines the role of the macro call at `at` in the head that begins at `start`. `types` is the number of types
    /// before it.
    fn macro_call(&mut self, start: usize, at: usize, types: usize) -> Call {
        if !is_macro(self.word(at)) || self.sign(at + 1) != Some(b'(') {
            return Call::None;
        }
        let Some(close) = self.closing(at + 1) else { return Call::None };
        let is_constructor = self.scopes.is_class(self.word(at));
        let leads = (start..at).all(|token| leads_type(self.word(token)) || is_macro(self.word(token)));
        match self.sign(close + 1) {
            Some(b'{') if types == 0 && leads && !is_constructor => {
                self.define_function(at, close);
                Call::Head
            }
            // `BENCHMARK_DEFINE_F(Suite, Case)(State& state) {`
            Some(b'(') if types == 0 && leads && !is_constructor => {
                if let Some(end) = self.closing(close + 1).filter(|end| self.sign(end + 1) == Some(b'{')) {
                    self.define_function(at, close);
                    self.blank(close + 1..end + 1);
                }
                Call::Head
            }
            Some(b';' | b'=') if types == 0 && leads && self.scopes.current() == Scope::Outer => {
                self.define_variable(start, at, close);
                Call::Head
            }
            None if types == 0 && self.is_return_type(at, close) => {
                self.blank(at..at + 2);
                self.blank(close..close + 1);
                Call::Type(close)
            }
            None if !is_constructor && self.is_before_type(close + 1, types) => {
                self.blank(at..close + 1);
                Call::Mark(close)
            }
            _ => Call::None,
        }
    }

    /// Whether a return type, or the rest of one, may begin at `at`. A word such as `const` after parameters does not
    /// begin a type.
    fn is_before_type(&self, at: usize, types: usize) -> bool {
        let word = self.word(at);
        let may_be_type = types == 0 || !is_macro(word);
        !word.is_empty() && !follows_parameters(word) && may_be_type
    }

    /// Blanks the marks between the parameters of a function and its body.
    fn behind(&mut self, from: usize) {
        let (mut at, mut marks) = (from, Vec::new());
        while at < from + MAX_TOKENS {
            let word = self.word(at);
            if word.is_empty() || !(is_macro(word) || follows_parameters(word)) {
                break;
            }
            let end = match self.sign(at + 1) {
                Some(b'(') => match self.closing(at + 1) {
                    Some(close) => close + 1,
                    None => return,
                },
                _ => at + 1,
            };
            if is_macro(word) {
                marks.push(at..end);
            }
            at = end;
        }
        if matches!(self.sign(at), Some(b'{' | b';' | b':' | b'=')) {
            marks.into_iter().for_each(|mark| _ = self.blank(mark));
        }
    }

    /// Blanks the marks between the keyword, such as `class`, at `at` and the name that it defines.
    pub(super) fn class_head(&mut self, at: usize) {
        if !matches!(self.word(at), "class" | "struct" | "union" | "enum" | "typedef") {
            return;
        }
        let from = (at..at + 3).take_while(|token| is_keyword(self.word(*token))).count() + at;
        let (mut end, mut marks) = (from, Vec::new());
        while !self.word(end).is_empty() && end < from + MAX_TOKENS {
            let next = match self.sign(end + 1) {
                Some(b'(') => match self.closing(end + 1) {
                    Some(close) => close + 1,
                    None => return,
                },
                _ => end + 1,
            };
            if is_macro(self.word(end)) {
                marks.push(end..next);
            }
            end = next;
        }
        let is_definition = match self.sign(end) {
            Some(b'{' | b'<') => true,
            Some(b':') => {
                let rest = end..(end + MAX_TOKENS).min(self.tokens.len());
                rest.map(|token| self.sign(token)).find(|sign| matches!(sign, Some(b'{' | b';' | b'(')))
                    == Some(Some(b'{'))
            }
            _ => false,
        };
        // The last word is the name.
        let last = end - if self.word(end - 1) == "final" { 2 } else { 1 };
        let is_definition = is_definition && !self.word(last).is_empty();
        marks.retain(|mark| mark.start != last);
        if is_definition {
            marks.into_iter().for_each(|mark| _ = self.blank(mark));
        }
    }
}
