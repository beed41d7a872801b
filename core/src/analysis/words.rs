//! Splits text into words: letters and digits, with the punctuation inside identifiers and contractions.
//!
//! The rules are close to the word boundaries of UAX #29, but do without its tables, which would make up a tenth of a
//! web page's module. Letters, digits, marks and `_` continue a word. `.`, `'` and `’` join letters or digits on both
//! sides, `:` joins letters, and `,` joins digits.
//!
//! Documentation needs more than UAX #29. A short word includes a `++` or `#` after it (`C++`, `F#`). After a space or
//! an opening mark, a word includes a dot, a hash or two dashes before it (`.NET`, `#include`, `--dry-run`). After two
//! dashes, single dashes join. In Han, Kana and other scripts without spaces, each pair of neighboring characters is a
//! word, and so is a single character.

use super::accents::without_accent;
use std::ops::Range;

/// Maximum length in bytes of a word that includes signs after it. `C#` includes its sign, but a `#` after a longer
/// word marks a heading.
const MAX_WITH_SIGNS: usize = 3;

/// Calls `visit` with the byte range of each word of `text`. `visit` is a `dyn` function because each copy of this code
/// would enlarge every page.
pub(super) fn for_each_word(text: &str, visit: &mut dyn FnMut(Range<usize>)) {
    let mut start = None;
    let mut is_option = false;
    let mut previous = ' ';
    let mut alone: Option<Range<usize>> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let is_alone = stands_alone(c);
        let begins = start.is_none() && opens(previous) && is_prefix(c, next, &text[at..]);
        let runs_on = !is_alone
            && (c.is_alphanumeric()
                || c == '_'
                || is_mark(c)
                || begins
                || (start.is_some() && (joins(previous, c, next) || (is_option && c == '-' && is_letter(next)))));
        if runs_on && start.is_none() {
            start = Some(at);
            is_option = c == '-';
        } else if !runs_on && let Some(from) = start.take() {
            visit(from..at + signs_behind(&text[from..at], &text[at..]));
        }
        if is_alone {
            let end = at + c.len_utf8();
            let follows = alone.as_ref().is_some_and(|before| before.end == at);
            // The first character of a run waits for its neighbor.
            match &mut alone {
                Some(before) if follows => {
                    visit(before.start..end);
                    *before = at..end;
                }
                _ if stands_alone(next) => alone = Some(at..end),
                _ => visit(at..end),
            }
        }
        previous = c;
    }
    if let Some(start) = start {
        visit(start..text.len());
    }
}

/// Whether a word after `c` may begin with a dot, a hash or dashes.
const fn opens(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\t' | '`' | '(' | '[' | '"' | '\'' | '|')
}

/// Whether `text`, which begins with the characters `c` and `next`, begins with a dot, a hash or dashes, followed by a
/// letter.
fn is_prefix(c: char, next: char, text: &str) -> bool {
    match c {
        '.' | '#' => is_letter(next),
        '-' if next == '-' => text[2..].chars().next().is_some_and(is_letter),
        _ => false,
    }
}

/// Returns the length in bytes of the signs after `word` that belong to it.
fn signs_behind(word: &str, behind: &str) -> usize {
    let signs = if behind.starts_with("++") { 2 } else { usize::from(behind.starts_with('#')) };
    let is_name = word.len() <= MAX_WITH_SIGNS && word.chars().all(is_letter);
    let ends = behind[signs..].chars().next().is_none_or(|c| !c.is_alphanumeric());
    if is_name && ends { signs } else { 0 }
}

fn joins(previous: char, c: char, next: char) -> bool {
    let letters = is_letter(previous) && is_letter(next);
    let digits = previous.is_numeric() && next.is_numeric();
    match c {
        '.' | '\'' | '\u{2019}' => letters || digits,
        // Persian joins the parts of a word with an invisible character.
        ':' | '\u{200c}' => letters,
        ',' => digits,
        _ => false,
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !stands_alone(c)
}

/// Whether `c` is a combining mark, which belongs to the letter before it. The scripts of India have their marks at the
/// same offsets in their blocks.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, '\u{483}'..='\u{487}')
        || matches!(c, '\u{900}'..='\u{dff}' if matches!(c as u32 & 0x7f, 0x3c | 0x4d))
        || without_accent(c).is_none()
}

/// Whether `c` belongs to a script that does not separate words: Han, Kana, Thai and others.
pub(crate) const fn stands_alone(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation as _;

    #[test]
    fn names_with_signs_are_words() {
        assert_eq!(words("C++ and F#, g++."), ["C++", "and", "F#", "g++"]);
        assert_eq!(words(".NET `.env` end. Next"), [".NET", ".env", "end", "Next"]);
        assert_eq!(words("a --dry-run, b--c - --x"), ["a", "--dry-run", "b", "c", "--x"]);
        assert_eq!(words("x.y ... heading# f()#a"), ["x.y", "heading", "f", "a"]);
        assert_eq!(words("#include <a> # b ##c #1"), ["#include", "a", "b", "c", "1"]);
    }

    fn words(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        for_each_word(text, &mut |range| words.push(&text[range]));
        words
    }

    proptest! {
        /// In documentation text, the words agree with UAX #29.
        #[test]
        fn it_is_uax_29_on_european_text(text in "[a-zA-Z0-9éüжα_.,:'’ ()/`\"]{0,60}") {
            let expected: Vec<&str> = text.unicode_words().collect();
            let found: Vec<&str> = words(&text).into_iter().filter(|word| word.chars().any(char::is_alphanumeric)).collect();
            let found: Vec<&str> = found.into_iter().map(|word| word.trim_start_matches('.')).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn words_are_in_order_and_whole(text in ".{0,40}") {
            let mut end = 0;
            for_each_word(&text, &mut |range| {
                // In a script without spaces, two pairs may share a character.
                assert!(range.end > end && text.get(range.clone()).is_some_and(|word| !word.is_empty()));
                end = range.end;
            });
        }
    }

    #[test]
    fn signs_that_nobody_sees_and_marks_stay_in_words() {
        assert_eq!(words("می\u{200c}شود هست"), ["می\u{200c}شود", "هست"]);
        assert_eq!(words("தமிழ்நாடு హైదరాబాద్"), ["தமிழ்நாடு", "హైదరాబాద్"]);
        // Unicode counts vowel signs as letters, but not the sign that removes a vowel.
        let devanagari: String = "क".chars().chain(('\u{900}'..='\u{903}').chain('\u{93a}'..='\u{94f}')).collect();
        assert_eq!(words(&devanagari), [devanagari.as_str()]);
        assert_eq!(words("בית־ספר"), ["בית", "ספר"]);
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        assert_eq!(words("索引 is インデ字"), ["索引", "is", "イン", "ンデ", "デ字"]);
        assert_eq!(words("a索b 引。"), ["a", "索", "b", "引"]);
    }
}
