//! Converts troff escapes to text. Escapes for fonts and sizes are removed.

/// Special characters by name, if manual pages use them.
const SIGNS: &[(&str, &str)] = &[
    ("em", "—"),
    ("en", "–"),
    ("hy", "-"),
    ("bu", "•"),
    ("ci", "○"),
    ("aq", "'"),
    ("dq", "\""),
    ("lq", "“"),
    ("rq", "”"),
    ("oq", "‘"),
    ("cq", "’"),
    ("ga", "`"),
    ("ha", "^"),
    ("ti", "~"),
    ("rs", "\\"),
    ("sl", "/"),
    ("ba", "|"),
    ("or", "|"),
    ("at", "@"),
    ("sh", "#"),
    ("Do", "$"),
    ("lB", "["),
    ("rB", "]"),
    ("lC", "{"),
    ("rC", "}"),
    ("la", "⟨"),
    ("ra", "⟩"),
    ("co", "©"),
    ("rg", "®"),
    ("tm", "™"),
    ("<=", "≤"),
    (">=", "≥"),
    ("!=", "≠"),
    ("==", "≡"),
    ("->", "→"),
    ("<-", "←"),
    ("+-", "±"),
    ("mu", "×"),
    ("di", "÷"),
    ("de", "°"),
    ("sc", "§"),
    ("ps", "¶"),
    ("12", "½"),
    ("14", "¼"),
    ("34", "¾"),
    ("ss", "ß"),
    ("ae", "æ"),
    ("AE", "Æ"),
    ("oe", "œ"),
    ("/o", "ø"),
    ("/O", "Ø"),
    ("oA", "Å"),
    ("oa", "å"),
    (",c", "ç"),
    (",C", "Ç"),
    ("eu", "€"),
    ("Po", "£"),
    ("Ye", "¥"),
    ("if", "∞"),
    ("sq", "□"),
    ("fo", "‹"),
    ("fc", "›"),
    ("Fo", "«"),
    ("Fc", "»"),
    ("mi", "−"),
    ("pl", "+"),
    ("eq", "="),
    ("*a", "α"),
    ("*b", "β"),
    ("*m", "μ"),
    ("*p", "π"),
];
/// Strings in the macro packages, and strings that DocBook and Perl define at the start of each page.
const STRINGS: &[(&str, &str)] = &[
    ("lq", "“"),
    ("Lq", "“"),
    ("rq", "”"),
    ("Rq", "”"),
    ("L\"", "“"),
    ("R\"", "”"),
    ("``", "“"),
    ("''", "”"),
    ("q", "\""),
    ("C`", "\""),
    ("C'", "\""),
    ("Aq", "'"),
    ("C+", "C++"),
    ("--", "—"),
    ("PI", "π"),
    ("Pi", "π"),
    ("Gt", ">"),
    ("Lt", "<"),
    ("Ge", "≥"),
    ("Le", "≤"),
    ("Ne", "≠"),
    ("Am", "&"),
    ("Ba", "|"),
    ("R", "®"),
    ("Tm", "™"),
];
/// Accents by the first character of a name such as `'e` in `\('e`.
const ACCENTS: [(char, char); 6] =
    [('\'', '\u{301}'), ('`', '\u{300}'), ('^', '\u{302}'), (':', '\u{308}'), ('~', '\u{303}'), ('v', '\u{30c}')];

/// Returns the text of a line without escapes.
pub(super) fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let Some(sign) = after.chars().next() else { return out };
        let next = &after[sign.len_utf8()..];
        rest = match sign {
            // The rest of the line is a comment.
            '"' | '#' => return out,
            'f' | 'F' | 'm' | 'M' | 'g' | 'k' | 'V' | 'Y' => named(next).1,
            // This is a number register. A sign before its name changes its value.
            'n' => named(next.strip_prefix(['+', '-']).unwrap_or(next)).1,
            '(' | '[' | 'C' => {
                let (name, rest) = match sign {
                    '(' => two(next),
                    '[' => next.split_once(']').unwrap_or((next, "")),
                    _ => quoted(next),
                };
                out.push_str(&letter(name));
                rest
            }
            '*' => {
                let (name, rest) = named(next);
                out.push_str(STRINGS.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text));
                rest
            }
            's' => size(next),
            'h' | 'v' | 'w' | 'l' | 'L' | 'D' | 'o' | 'b' | 'x' | 'X' | 'Z' | 'A' | 'B' | 'H' | 'S' | 'R' | 'N' => {
                let (name, rest) = quoted(next);
                // This is a character by its number.
                if sign == 'N' {
                    out.extend(name.parse().ok().and_then(char::from_u32).filter(|c| !c.is_control()));
                }
                // These are characters that are printed over each other.
                if matches!(sign, 'o' | 'Z') {
                    out.push_str(name);
                }
                rest
            }
            'e' | '\\' => {
                out.push('\\');
                next
            }
            '-' => {
                out.push('-');
                next
            }
            '~' | '0' | ' ' | 't' => {
                out.push(' ');
                next
            }
            '\'' | '`' | '.' => {
                out.push(sign);
                next
            }
            // These are break points and zero-width spaces.
            '&' | '|' | '^' | '%' | ':' | '/' | ',' | ')' | 'c' | 'd' | 'u' | 'r' | 'p' | 'z' | '{' | '}' | 'a'
            | '!' | '?' => next,
            other => {
                out.push(other);
                next
            }
        };
    }
    out.push_str(rest);
    out
}

/// Splits the text into a name and the rest. A name is one letter, two letters after `(`, or text in brackets.
fn named(text: &str) -> (&str, &str) {
    match text.as_bytes().first() {
        Some(b'(') => two(&text[1..]),
        Some(b'[') => text[1..].split_once(']').unwrap_or((&text[1..], "")),
        _ => text.split_at(text.chars().next().map_or(0, char::len_utf8)),
    }
}

fn two(text: &str) -> (&str, &str) {
    let end = text.char_indices().nth(2).map_or(text.len(), |(at, _)| at);
    text.split_at(end)
}

/// Returns the text between two delimiters, as in `\h'1n'`, and the rest. Any character may be the delimiter.
fn quoted(text: &str) -> (&str, &str) {
    let Some(quote) = text.chars().next() else { return ("", "") };
    let inside = &text[quote.len_utf8()..];
    inside.split_once(quote).unwrap_or((inside, ""))
}

/// Returns the text after a size, such as `\s-1`, `\s+(10`, `\s[12]` or `\s0`.
fn size(text: &str) -> &str {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    match text.as_bytes().first() {
        Some(b'(') => two(&text[1..]).1,
        Some(b'[') => text.split_once(']').map_or("", |(_, rest)| rest),
        Some(b'\'') => quoted(text).1,
        _ => text.strip_prefix(|c: char| c.is_ascii_digit()).unwrap_or(text),
    }
}

/// Returns the character called `name`, or an empty text if it is unknown.
fn letter(name: &str) -> String {
    if let Some((_, sign)) = SIGNS.iter().find(|(known, _)| *known == name) {
        return (*sign).to_owned();
    }
    // The name may be a code point, such as `u00E9`, or an accent before its letter.
    let code = name.strip_prefix('u').and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
    if let Some(letter) = code.filter(|letter| !letter.is_control()) {
        return letter.to_string();
    }
    let mut letters = name.chars();
    let (accent, base) = (letters.next(), letters.next());
    let accent = accent.and_then(|accent| ACCENTS.iter().find(|(sign, _)| *sign == accent));
    match (accent, base, letters.next()) {
        (Some((_, accent)), Some(base), None) if base.is_alphabetic() => format!("{base}{accent}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn signs_are_letters_and_fonts_are_not() {
        for (source, text) in [
            ("\\fB\\-\\-all\\fR, \\f(BIx\\f[]", "--all, x"),
            ("\\(emdash \\[u00E9] \\[co] \\(aqa\\(aq\\ b", "—dash é © 'a' b"),
            ("\\s-1SMALL\\s0 \\s+(10x \\h'1n'y\\&.", "SMALL x y."),
            ("\\*(lqq\\*(rq C:\\e\\n(xx", "“q” C:\\"),
            ("text \\\" comment", "text "),
            ("doesn\\*(Aqt \\*(C+ \\*(L\"x\\*(R\" a\\*(--b", "doesn't C++ “x” a—b"),
            ("\\n+(xx\\n-x\\n[x]a", "a"),
            ("\\[u001B][31mred\\[u0007]", "[31mred"),
            ("\\", ""),
        ] {
            assert_eq!(plain(source), text, "{source}");
        }
        assert_eq!(plain("caf\\('e"), "cafe\u{301}");
        let signs = "+".repeat(1_000_000);
        assert_eq!(plain(&format!("\\n{signs}")).len(), signs.len() - 2);
    }

    proptest! {
        #[test]
        fn any_line_is_some_text(line in "[\\\\()\\[\\]'*fsnue\"é0-9+-]{0,60}") {
            let _ = plain(&line);
        }
    }
}
