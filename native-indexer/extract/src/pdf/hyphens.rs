//! Joins lines, and decides the meaning of a hyphen at the end of a line. It may split a word that did not fit, or
//! belong to the text, as in `well-known`, `UTF-8` and `--dry-run`. A search for such words must find the hyphen.
//!
//! A PDF does not contain this information. The characters around the hyphen decide most cases, and the other words in
//! the document decide more. All remaining words are joined without the hyphen, because a hyphen at the end of a line
//! rarely belongs to the text.

use super::page::Page;
use std::collections::HashMap;

/// First parts of hyphenated words that rarely begin a longer word, in lower case.
const FIRST_HALVES: &[&str] = &[
    "well", "self", "quasi", "pseudo", "two", "three", "twenty", "thirty", "forty", "fifty", "sixty", "seventy",
    "eighty", "ninety",
];
/// Endings that may follow `self` and `well` without a hyphen.
const ENDINGS: &[&str] = &["ness", "ish", "less", "hood", "fold", "some", "ing", "ed", "ton", "come", "fare", "being"];
/// Words after a hyphen that represents the end of a later word: `pre- and postwar`.
const CONJUNCTIONS: &[&str] = &["and", "or", "und", "oder", "bzw", "sowie", "et", "och", "og"];
/// Characters in addresses, paths and program names, which are never hyphenated.
const SIGNS_OF_NAMES: &[char] = &['/', '\\', '_', '@', '=', '#', '$', '%', '&', '+', ':', '.', '~'];

/// Maximum length of an inspected word in bytes, because text without spaces may be endless.
const MAX_WORD_BYTES: usize = 256;

/// The join between two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    Space,
    /// The lines share a word, and the hyphen is part of it.
    Nothing,
    /// The lines share a word without the hyphen.
    Parted,
}

/// Frequencies of lowercase words in a document.
#[derive(Debug, Default)]
pub(super) struct Words {
    words: HashMap<String, u32>,
    /// Pairs of neighboring parts in words with hyphens: `well-known`.
    compounds: HashMap<String, u32>,
}

impl Words {
    /// Counts the words in `pages`, except parts of words at the ends and beginnings of lines.
    pub(super) fn of(pages: &[Page]) -> Self {
        let mut words = Self::default();
        for page in pages {
            let mut goes_on = false;
            for line in &page.lines {
                let text = line.text.trim_end_matches(is_hyphen);
                let is_parted = text.len() < line.text.len();
                words.add(text, goes_on, is_parted);
                goes_on = is_parted;
            }
        }
        words
    }

    fn add(&mut self, text: &str, begins_inside: bool, ends_inside: bool) {
        let mut tokens: Vec<&str> = text.split(|c: char| !c.is_alphabetic() && !is_hyphen(c)).collect();
        if ends_inside {
            tokens.pop();
        }
        let first = usize::from(begins_inside).min(tokens.len());
        for token in tokens[first..].iter().filter(|token| !token.is_empty()) {
            let token = token.to_lowercase();
            let parts: Vec<&str> = token.split(is_hyphen).collect();
            for part in parts.iter().filter(|part| part.chars().nth(1).is_some()) {
                count(&mut self.words, (*part).to_owned());
            }
            for pair in parts.windows(2).filter(|pair| pair.iter().all(|part| !part.is_empty())) {
                count(&mut self.compounds, pair.join("-"));
            }
        }
    }

    /// Appends the line `next` to `text`.
    pub(super) fn join(&self, text: &mut String, next: &str) {
        match self.joint(text, next) {
            Joint::Space => text.push(' '),
            Joint::Nothing => {}
            Joint::Parted => _ = text.pop(),
        }
        text.push_str(next);
    }

    fn joint(&self, text: &str, next: &str) -> Joint {
        let (Some(last), Some(first)) = (text.chars().next_back(), next.chars().next()) else { return Joint::Nothing };
        if is_ideograph(last) && is_ideograph(first) {
            return Joint::Nothing;
        }
        if !matches!(last, '\u{ad}' | '-' | '‐' | '‑' | '–' | '—') {
            return Joint::Space;
        }
        let start = text.floor_char_boundary(text.len().saturating_sub(MAX_WORD_BYTES));
        let word = text[start..].rsplit(char::is_whitespace).next().unwrap_or_default();
        let before = word.trim_end_matches(last);
        match last {
            '\u{ad}' => Joint::Parted,
            // A dash after a space also has a space after it.
            _ if before.is_empty() || !first.is_alphanumeric() => Joint::Space,
            // Some fonts map their only hyphen to the non-breaking hyphen.
            '-' | '‐' | '‑' => self.hyphen(before.trim_start_matches(is_opening), next),
            _ => Joint::Nothing,
        }
    }

    /// Decides the meaning of the hyphen after `before` at the end of a line. `next` is the following line.
    fn hyphen(&self, before: &str, next: &str) -> Joint {
        let is_letter = |c: char| c.is_alphabetic();
        let start = before.rsplit(|c| !is_letter(c)).next().unwrap_or_default();
        let end = next.split(|c| !is_letter(c)).next().unwrap_or_default();
        // Words are not split between letters and other characters. Flags and names such as `a_b` or `a.b` are not
        // words.
        let is_name = |word: &str| word.trim_end_matches(['.', ':']).contains(SIGNS_OF_NAMES);
        if start.is_empty() || end.is_empty() || before.starts_with('-') || is_name(before) {
            return Joint::Nothing;
        }
        let (first, second) = (start.to_lowercase(), end.to_lowercase());
        let joined = self.words.get(&format!("{first}{second}")).copied().unwrap_or(0);
        let with_hyphen = self.compounds.get(&format!("{first}-{second}")).copied().unwrap_or(0);
        if CONJUNCTIONS.contains(&end) && joined == 0 {
            return Joint::Space;
        }
        let is_capital = |word: &str| !word.chars().any(char::is_lowercase);
        let is_parted = match end.chars().next() {
            // A capital letter begins a name, unless the whole line is in capitals.
            Some(c) if !c.is_lowercase() && c.is_uppercase() => {
                is_capital(start) && is_capital(end) && joined > with_hyphen
            }
            _ if joined + with_hyphen > 0 => joined >= with_hyphen,
            _ => !self.has_own_hyphen(before, start, &first, &second),
        };
        if is_parted { Joint::Parted } else { Joint::Nothing }
    }

    /// Whether the word that ends with `before` and continues with `second` always has a hyphen.
    fn has_own_hyphen(&self, before: &str, start: &str, first: &str, second: &str) -> bool {
        let is_known = |word: &str| self.words.contains_key(word);
        let is_short = |word: &str| word.chars().nth(1).is_none();
        // Words are not split after their first letter or before their last.
        if is_short(first) || is_short(second) {
            return true;
        }
        // `PDF-based`, `state-of-the-art`.
        if !start.chars().any(char::is_lowercase) || second == "based" {
            return true;
        }
        if before.len() > start.len() && before.contains(is_hyphen) && is_known(first) {
            return true;
        }
        let is_first_half = FIRST_HALVES.contains(&first) && !ENDINGS.contains(&second);
        is_first_half || is_known(first) && is_known(second)
    }
}

fn count(counts: &mut HashMap<String, u32>, word: String) {
    let count = counts.entry(word).or_default();
    *count = count.saturating_add(1);
}

/// Whether `c` is a hyphen that may end a line.
pub(super) const fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '‐' | '‑' | '\u{ad}')
}

/// Whether `c` may precede a word without being part of it.
const fn is_opening(c: char) -> bool {
    matches!(c, '(' | '[' | '{' | '"' | '\'' | '“' | '„' | '‘' | '‚' | '«' | '»' | '‹')
}

/// Whether words are written without spaces in the script of `c`.
const fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}' | '\u{e00}'..='\u{eff}')
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::lines::tests::glyphs;
    use super::*;

    /// Joins lines, which are separated by `|`, in a document that also contains the lines of `others`.
    fn joined(text: &str, others: &str) -> String {
        let all: Vec<&str> = text.split('|').chain(others.split('|')).collect();
        let glyphs: Vec<_> =
            all.iter().enumerate().flat_map(|(number, line)| glyphs(line, 0.0, 12.0 * number as f32, 10.0)).collect();
        let words = Words::of(&[Page { lines: lines(&glyphs), height: 800.0, ..Page::default() }]);
        let mut lines = text.split('|');
        let mut joined = lines.next().unwrap().to_owned();
        lines.for_each(|line| words.join(&mut joined, line));
        joined
    }

    fn alone(text: &str) -> String {
        joined(text, "")
    }

    #[test]
    fn split_words_are_joined() {
        assert_eq!(alone("is permit-|ted under"), "is permitted under");
        assert_eq!(alone("soft\u{ad}|ware and \u{ad}|X"), "software and X");
        assert_eq!(alone("(docu‐|ments), „Ver-|sicherung“"), "(documents), „Versicherung“");
        assert_eq!(alone("author‑|ization"), "authorization");
        assert_eq!(alone("UNI-|VERSITY"), "UNI-VERSITY");
        assert_eq!(joined("UNI-|VERSITY", "the University"), "UNIVERSITY");
        assert_eq!(joined("to permit-|ted", "a permit"), "to permitted");
        assert_eq!(joined("non-govern-|mental", "none"), "non-governmental");
    }

    #[test]
    fn hyphens_that_belong_to_the_text_stay() {
        let kept = [
            "the flag --dry-|run",
            "in 2024-|2025",
            "a UTF-|8 text",
            "COVID-19-|related",
            "of the Pre-|Raphaelite kind",
            "a PDF-|based e-|mail, type-|x",
            "https://example.org/some-|page",
            "in my_file-|name",
            "a well-|known self-|contained twenty-|five",
            "Paris–|Berlin 2024–|2025",
        ];
        for text in kept {
            assert_eq!(alone(text), text.replace('|', ""));
        }
        assert_eq!(alone("well-|ness"), "wellness");
        assert_eq!(joined("state-of-the-|art", "the rest"), "state-of-the-art");
    }

    #[test]
    fn other_words_of_the_document_decide() {
        assert_eq!(joined("a front-|end", "its front-end is"), "a front-end");
        assert_eq!(joined("a front-|end", "its frontend is"), "a frontend");
        assert_eq!(joined("a front-|end", "in front of the end"), "a front-end");
        assert_eq!(joined("a well-|being", "the wellbeing"), "a wellbeing");
    }

    #[test]
    fn dashes_and_suspended_hyphens_are_followed_by_a_space() {
        assert_eq!(alone("pre-|and postwar, Vor-|und Nachteile"), "pre- and postwar, Vor- und Nachteile");
        assert_eq!(alone("one -|two –|three"), "one - two – three");
        assert_eq!(joined("thous-|and", "a thousand"), "thousand");
        assert_eq!(alone("日|本 x|y"), "日本 x y");
    }
}
