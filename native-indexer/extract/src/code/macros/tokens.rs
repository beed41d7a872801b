//! Splits C and C++ into tokens, with enough detail to find the start of statements, and words that are named like
//! macros.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    /// A string, a character or a number.
    Literal,
    /// A single punctuation character. `::` is two tokens.
    Sign(u8),
    /// A preprocessor directive: a whole line, with the lines that continue it.
    Directive(Directive),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    If,
    Else,
    EndIf,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub range: Range<usize>,
    /// The line, starting at 0.
    pub line: usize,
}

/// Returns the tokens of `text`, without comments.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut line, mut counted) = (0, 0, 0);
    let mut is_line_start = true;
    while at < bytes.len() {
        let start = at;
        let rest = &bytes[at..];
        let kind = match rest[0] {
            b'\n' => {
                is_line_start = true;
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() || byte == b'\\' => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at = end_of_line(bytes, at);
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                at = after(bytes, at + 2, b"*/");
                continue;
            }
            b'#' if is_line_start => {
                at = end_of_line(bytes, at);
                TokenKind::Directive(directive(&text[start + 1..at]))
            }
            b'"' | b'\'' => {
                at = after_quote(bytes, at);
                TokenKind::Literal
            }
            byte if byte.is_ascii_digit() => {
                // An apostrophe may separate groups of digits, as in `1'000`.
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'\'' | b'_');
                at += rest.iter().take_while(|byte| is_part(byte)).count();
                TokenKind::Literal
            }
            byte if is_word(byte) => {
                at += rest.iter().take_while(|byte| is_word(**byte)).count();
                match (&bytes[start..at], bytes.get(at)) {
                    (b"R" | b"LR" | b"uR" | b"UR" | b"u8R", Some(b'"')) => {
                        at = after_raw_string(bytes, at);
                        TokenKind::Literal
                    }
                    (b"L" | b"u" | b"U" | b"u8", Some(b'"' | b'\'')) => {
                        at = after_quote(bytes, at);
                        TokenKind::Literal
                    }
                    _ => TokenKind::Word,
                }
            }
            sign => {
                at += 1;
                TokenKind::Sign(sign)
            }
        };
        line += memchr::memchr_iter(b'\n', &bytes[counted..start]).count();
        counted = start;
        is_line_start = false;
        tokens.push(Token { kind, range: start..at, line });
    }
    tokens
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the end of a line. A backslash before the line break or an open comment continues it.
fn end_of_line(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() && bytes[at] != b'\n' {
        let is_comment = bytes[at..].starts_with(b"/*");
        at = match bytes[at] {
            _ if is_comment => after(bytes, at + 2, b"*/"),
            b'\\' => at + 2,
            _ => at + 1,
        };
    }
    at.min(bytes.len())
}

/// Returns the position after the next `end`.
fn after(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    let from = from.min(bytes.len());
    memchr::memmem::find(&bytes[from..], end).map_or(bytes.len(), |at| from + at + end.len())
}

/// Returns the position after a string or character. An unclosed string ends with its line.
fn after_quote(bytes: &[u8], from: usize) -> usize {
    let quote = bytes[from];
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte => {
                at += 1;
                if byte == quote {
                    return at;
                }
            }
        }
    }
    bytes.len()
}

/// Returns the position after a raw string `"mark( … )mark"`. `from` is the position of its first quote.
fn after_raw_string(bytes: &[u8], from: usize) -> usize {
    let mark: Vec<u8> = bytes[from + 1..].iter().copied().take(17).take_while(|byte| *byte != b'(').collect();
    if mark.len() > 16 || mark.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b'"') {
        return after_quote(bytes, from);
    }
    after(bytes, from + mark.len() + 2, &[b")", mark.as_slice(), b"\""].concat())
}

fn directive(line: &str) -> Directive {
    let word: String = line.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    match word.as_str() {
        "if" | "ifdef" | "ifndef" => Directive::If,
        "else" | "elif" | "elifdef" | "elifndef" => Directive::Else,
        "endif" => Directive::EndIf,
        _ => Directive::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn literals_comments_and_directives_are_one_token_or_none() {
        let text = "#define A \\\n {\nint a = 1'000; /* { */ // {\nL\"{\\\"\" R\"x(\")\" {)x\" '\\'' u8\"b\" b";
        let tokens = tokens(text);
        let texts: Vec<&str> = tokens.iter().map(|token| &text[token.range.clone()]).collect();
        let expected = [
            "#define A \\\n {",
            "int",
            "a",
            "=",
            "1'000",
            ";",
            "L\"{\\\"\"",
            "R\"x(\")\" {)x\"",
            "'\\''",
            "u8\"b\"",
            "b",
        ];
        assert_eq!(texts, expected);
        assert_eq!((tokens[1].line, tokens[6].line), (2, 3));
    }

    proptest! {
        #[test]
        fn tokens_are_in_order_and_inside(text in "[a/*\"'R(){}#\\\\\n é1]{0,40}") {
            let tokens = tokens(&text);
            prop_assert!(tokens.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
            let is_part = |token: &Token| text.get(token.range.clone()).is_some_and(|part| !part.is_empty());
            prop_assert!(tokens.iter().all(is_part));
        }
    }
}
