//! Words of a text: letters and digits, with the punctuation that identifiers and contractions have inside.
//!
//! Close to the word boundaries of UAX #29, without its tables, which would be a tenth of a web page's module: letters,
//! digits and marks run on; `_` joins; `.`, `:`, `'` and `’` join letters or digits on both sides, `,` digits. Han, Kana
//! and other scripts without spaces give a word for each character.

use std::ops::Range;

/// Calls `visit` with the bytes of each word of `text`.
pub(super) fn for_each_word(text: &str, mut visit: impl FnMut(Range<usize>)) {
    let mut start = None;
    let mut previous = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let is_alone = stands_alone(c);
        let runs_on = !is_alone
            && (c.is_alphanumeric() || c == '_' || is_mark(c) || (start.is_some() && joins(previous, c, next)));
        if runs_on && start.is_none() {
            start = Some(at);
        } else if !runs_on && let Some(start) = start.take() {
            visit(start..at);
        }
        if is_alone {
            visit(at..at + c.len_utf8());
        }
        previous = c;
    }
    if let Some(start) = start {
        visit(start..text.len());
    }
}

fn joins(previous: char, c: char, next: char) -> bool {
    let letters = is_letter(previous) && is_letter(next);
    let digits = previous.is_numeric() && next.is_numeric();
    match c {
        '.' | '\'' | '\u{2019}' => letters || digits,
        ':' => letters,
        ',' => digits,
        _ => false,
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !stands_alone(c)
}

/// Combining marks, which belong to the letter before them.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}')
}

/// Han, Kana, Thai and others: words are not marked in them.
const fn stands_alone(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation as _;

    fn words(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        for_each_word(text, |range| words.push(&text[range]));
        words
    }

    proptest! {
        /// On the text of documentation it agrees with UAX #29.
        #[test]
        fn it_is_uax_29_on_european_text(text in "[a-zA-Z0-9éüжα_.,:'’ ()\\-/`\"]{0,60}") {
            let expected: Vec<&str> = text.unicode_words().collect();
            let found: Vec<&str> = words(&text).into_iter().filter(|word| word.chars().any(char::is_alphanumeric)).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn words_are_in_order_and_whole(text in ".{0,40}") {
            let mut end = 0;
            for_each_word(&text, |range| {
                assert!(range.start >= end && text.get(range.clone()).is_some_and(|word| !word.is_empty()));
                end = range.end;
            });
        }
    }

    #[test]
    fn scripts_without_spaces_give_characters() {
        assert_eq!(words("索引 is インデ"), ["索", "引", "is", "イ", "ン", "デ"]);
    }
}
