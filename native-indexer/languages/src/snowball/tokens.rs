//! Splits a Snowball source into words, numbers, strings and signs.

use super::error::CompileError;
use std::collections::HashMap;

/// A token of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a keyword.
    Name(String),
    /// A number.
    Number(u8),
    /// A string in quotes, with its escapes replaced.
    Text(String),
    /// A sign such as `(`, `<=` or `->`.
    Sign(&'static str),
}

/// Longer signs come before their own prefixes.
const SIGNS: &[&str] = &[
    "==", "!=", "<=", ">=", "<-", "<+", "+=", "-=", "->", "=>", "(", ")", "[", "]", "$", "<", ">", "=", "+", "-", "*",
    "/",
];

/// Returns the tokens of `source`, each with its line number.
pub(super) fn tokens(source: &str) -> Result<Vec<(usize, Token)>, CompileError> {
    let mut reader = Reader { rest: source, line: 1, escapes: None, names: HashMap::new() };
    let mut tokens = Vec::new();
    while let Some(token) = reader.next()? {
        tokens.push((reader.line, token));
    }
    Ok(tokens)
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    /// Characters that open and close an escape in a string.
    escapes: Option<(char, char)>,
    /// Named escapes.
    names: HashMap<String, String>,
}

impl Reader<'_> {
    fn error(&self, what: impl Into<String>) -> CompileError {
        CompileError { line: self.line, what: what.into() }
    }

    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.matches('\n').count();
        self.rest = rest;
    }

    fn skip(&mut self) -> Result<(), CompileError> {
        loop {
            let space = self.rest.len() - self.rest.trim_start().len();
            self.advance(space);
            if self.rest.starts_with("//") {
                self.advance(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/").ok_or_else(|| self.error("a comment does not end"))?;
                self.advance(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn next(&mut self) -> Result<Option<Token>, CompileError> {
        self.skip()?;
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        if first == '\'' {
            return Ok(Some(Token::Text(self.text()?)));
        }
        let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = &self.rest[..self.rest.find(|c| !of_name(c)).unwrap_or(self.rest.len())];
        if first.is_ascii_digit() {
            let number = word.parse().map_err(|_| self.error(format!("{word} is not a number up to 255")))?;
            self.advance(word.len());
            return Ok(Some(Token::Number(number)));
        }
        if !word.is_empty() {
            let word = word.to_owned();
            self.advance(word.len());
            match word.as_str() {
                "stringescapes" => self.escapes()?,
                "stringdef" => self.name_escape()?,
                _ => return Ok(Some(Token::Name(word))),
            }
            return self.next();
        }
        let sign = SIGNS.iter().find(|sign| self.rest.starts_with(**sign));
        let sign = sign.ok_or_else(|| self.error(format!("{first:?} means nothing here")))?;
        self.advance(sign.len());
        Ok(Some(Token::Sign(sign)))
    }

    fn escapes(&mut self) -> Result<(), CompileError> {
        self.skip()?;
        let mut chars = self.rest.chars().filter(|c| !c.is_whitespace());
        let (Some(open), Some(close)) = (chars.next(), chars.next()) else {
            return Err(self.error("stringescapes takes two signs"));
        };
        self.escapes = Some((open, close));
        let end = self.rest.find(close).unwrap_or_default() + close.len_utf8();
        self.advance(end);
        Ok(())
    }

    fn name_escape(&mut self) -> Result<(), CompileError> {
        self.skip()?;
        let name = self.rest.split(char::is_whitespace).next().unwrap_or_default().to_owned();
        self.advance(name.len());
        self.skip()?;
        if !self.rest.starts_with('\'') {
            return Err(self.error(format!("stringdef {name} takes a text")));
        }
        let text = self.text()?;
        self.names.insert(name, text);
        Ok(())
    }

    /// Reads a string, starting at its first quote.
    fn text(&mut self) -> Result<String, CompileError> {
        self.advance(1);
        let mut text = String::new();
        loop {
            let first = self.rest.chars().next().filter(|c| *c != '\n');
            let first = first.ok_or_else(|| self.error("a text does not end"))?;
            self.advance(first.len_utf8());
            match self.escapes {
                _ if first == '\'' => return Ok(text),
                Some((open, close)) if first == open => {
                    let end = self.rest.find(close).ok_or_else(|| self.error("an escape does not end"))?;
                    let name = self.rest[..end].to_owned();
                    self.advance(end + close.len_utf8());
                    // An escape across the end of a line continues the string on the next line.
                    if !(name.contains('\n') && name.trim().is_empty()) {
                        text.push_str(&self.escape(&name, open)?);
                    }
                }
                _ => text.push(first),
            }
        }
    }

    fn escape(&self, name: &str, open: char) -> Result<String, CompileError> {
        if let Some(text) = self.names.get(name) {
            return Ok(text.clone());
        }
        if name == "'" || name == open.to_string() {
            return Ok(name.to_owned());
        }
        let code = name.strip_prefix("U+").and_then(|code| u32::from_str_radix(code, 16).ok());
        let letter = code.and_then(char::from_u32);
        letter.map(String::from).ok_or_else(|| self.error(format!("escape {name:?} has no meaning")))
    }
}
