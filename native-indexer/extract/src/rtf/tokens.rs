//! Splits Rich Text Format into braces, control words and bytes of text.

/// Maximum length of a control word in bytes.
const MAX_WORD_BYTES: usize = 32;
/// Maximum number of digits in a number.
const MAX_DIGITS: usize = 10;

/// A token in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// A control word and its number, if it has one: `\b0`.
    Word(&'a str, Option<i32>),
    /// A control symbol, such as `\~`.
    Symbol(u8),
    /// A byte of text, as it is or escaped: `\'e9`.
    Byte(u8),
}

/// The tokens in a file.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let (&first, rest) = self.rest.split_first()?;
        if !first.is_ascii_alphabetic() {
            self.rest = rest;
            return match first {
                // An escaped line break ends a paragraph.
                b'\r' | b'\n' => Some(Token::Word("par", None)),
                _ => Some(Token::Symbol(first)),
            };
        }
        let letters = self.rest.iter().take(MAX_WORD_BYTES).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, rest) = self.rest.split_at(letters);
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest.iter().skip(sign).take(MAX_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = if digits > 0 { rest.split_at(sign + digits) } else { (&[][..], rest) };
        let number = str::from_utf8(number).ok().and_then(|number| number.parse::<i32>().ok());
        // The space that ends a word is not text.
        self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let word = str::from_utf8(word).unwrap_or_default();
        if word == "bin" {
            let length = number.and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
            self.rest = self.rest.get(length..).unwrap_or_default();
        }
        Some(Token::Word(word, number))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let (&first, rest) = self.rest.split_first()?;
            self.rest = rest;
            match first {
                b'{' => return Some(Token::Open),
                b'}' => return Some(Token::Close),
                b'\\' => match self.rest.strip_prefix(b"'") {
                    Some(digits) => {
                        self.rest = digits;
                        // If the two characters are not digits, the escape is ignored.
                        if let Some((byte, rest)) = byte(digits) {
                            self.rest = rest;
                            return Some(Token::Byte(byte));
                        }
                    }
                    None => return self.control(),
                },
                // Line breaks in the file are not part of the text.
                b'\r' | b'\n' | 0 => {}
                byte => return Some(Token::Byte(byte)),
            }
        }
    }
}

/// Parses two hexadecimal digits, such as `e9`. Returns the byte and the rest.
fn byte(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, rest) = bytes.split_at_checked(2)?;
    let digits = str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    Some((u8::from_str_radix(digits, 16).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_numbers_and_end_at_one_space() {
        let tokens: Vec<_> = Tokens::new(b"{\\b0  a\\u-12?\\'e9\\~\\bin3 }}}\\x}\\'zz").collect();
        let expected = [
            Token::Open,
            Token::Word("b", Some(0)),
            Token::Byte(b' '),
            Token::Byte(b'a'),
            Token::Word("u", Some(-12)),
            Token::Byte(b'?'),
            Token::Byte(0xe9),
            Token::Symbol(b'~'),
            Token::Word("bin", Some(3)),
            Token::Word("x", None),
            Token::Close,
            Token::Byte(b'z'),
            Token::Byte(b'z'),
        ];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn what_is_cut_off_ends() {
        for bytes in [&b"\\"[..], b"\\'", b"\\'e", b"\\bin99999 a", b"\\u", b"{"] {
            assert!(Tokens::new(bytes).count() <= 2, "{bytes:?}");
        }
    }
}
