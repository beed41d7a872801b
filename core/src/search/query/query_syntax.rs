//! The syntax of queries: `"exact phrases"` and `-exclusions`.
//!
//! A quote or a dash is a mark only at the start of a word, and a quote only if another quote ends a word. Pasted code
//! thus stays code. A dash before a capital, a digit or a single letter belongs to an option (`-Force`, `-x`), and so
//! do two dashes (`--flag`).

use crate::analysis::{Analyzer, lower_case};

/// The maximum number of phrases, and of excluded phrases. The words of further phrases are searched for, and further
/// excluded phrases are ignored. Excluded words have no limit.
const MAX_PHRASES: usize = 16;

/// The first byte of typographic signs in UTF-8: quotes, dashes and dots.
const TYPOGRAPHIC: u8 = 0xe2;

/// Consecutive words. If at least two other words are left, stop words are omitted, because their posting lists are
/// long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Phrase {
    /// The phrase as it was typed, without the marks.
    pub text: String,
    /// Each term with its distance from the first word.
    pub terms: Vec<(String, u32)>,
}

impl Phrase {
    fn of(text: &str) -> Self {
        Self::by(&Analyzer::ENGLISH, text)
    }

    fn by(analyzer: &Analyzer, text: &str) -> Self {
        // The parts of `add_filter` are at consecutive positions.
        let tokens: Vec<_> = analyzer.tokens(text).into_iter().filter(|token| token.parts == 0).collect();
        let all = tokens.iter().filter(|token| !token.is_stop_word).count() < 2;
        let terms = tokens.into_iter().filter(|token| all || !token.is_stop_word);
        Self { text: text.to_owned(), terms: terms.map(|token| (token.term, token.position)).collect() }
    }
}

/// The text of a query, parsed once.
///
/// ```
/// use nearfind_core::search::QueryText;
///
/// let text = QueryText::from("undo \"merge commit\" -svn");
/// assert_eq!(text.as_typed(), "undo \"merge commit\" -svn");
/// // A model reads it without the marks of phrases, and without excluded words.
/// assert_eq!(text.meant().trim(), "undo merge commit");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryText {
    typed: String,
    syntax: QuerySyntax,
}

impl QueryText {
    /// The maximum number of bytes. The rest of a longer text is ignored.
    pub const MAX_BYTES: usize = 4096;

    /// Returns the text that the user typed.
    pub fn as_typed(&self) -> &str {
        &self.typed
    }

    /// Returns the text for a model to encode, without exclusions and phrase marks.
    pub fn meant(&self) -> &str {
        &self.syntax.text
    }

    /// Whether the text has a letter or a digit. Signs alone are not words, but [`crate::grep`] finds them as exact
    /// text.
    pub fn has_words(&self) -> bool {
        self.typed.chars().any(char::is_alphanumeric)
    }

    /// Whether `text` may have phrases or exclusions. Most questions have neither, so a page need not wait for the code
    /// that reads them. Only bytes are compared, because typographic quotes begin with a byte that few other signs
    /// have.
    pub fn may_have_marks(text: &str) -> bool {
        let mut before = b' ';
        text.bytes().any(|byte| {
            let at_start = before <= b' ' || !before.is_ascii();
            before = byte;
            byte == b'"' || byte == TYPOGRAPHIC || (byte == b'-' && at_start)
        })
    }

    pub(crate) const fn syntax(&self) -> &QuerySyntax {
        &self.syntax
    }

    /// Replaces the terms of phrases, which follow the English rules, with terms that follow the rules of the
    /// question's language.
    pub(crate) fn analyze(&mut self, analyzer: &Analyzer) {
        if !analyzer.is_english() {
            for phrase in self.syntax.phrases.iter_mut().chain(&mut self.syntax.excluded) {
                *phrase = Phrase::by(analyzer, &phrase.text);
            }
        }
    }
}

impl From<String> for QueryText {
    fn from(typed: String) -> Self {
        Self { syntax: QuerySyntax::of(beginning(&typed)), typed }
    }
}

impl From<&str> for QueryText {
    fn from(typed: &str) -> Self {
        Self::from(typed.to_owned())
    }
}

/// Returns the part of a query's text that is read.
pub(crate) fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(QueryText::MAX_BYTES)]
}

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct QuerySyntax {
    /// The text to search for, without exclusions and marks.
    pub text: String,
    /// The phrases that an answer must contain.
    pub phrases: Vec<Phrase>,
    /// The phrases that an answer must not contain.
    pub excluded: Vec<Phrase>,
}

impl QuerySyntax {
    /// Parses `text`. If every word would be excluded, no word is, because the dashes must mean something else.
    pub(crate) fn of(text: &str) -> Self {
        let mut found = Self::default();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let at_start = text[..text.len() - rest.len()].chars().next_back().is_none_or(char::is_whitespace);
            let negated = rest.strip_prefix('-').filter(|_| at_start);
            if let Some((quoted, after)) = quoted(negated.unwrap_or(rest)).filter(|_| at_start) {
                let phrase = Phrase::of(quoted);
                if negated.is_none() {
                    found.text.push_str(quoted);
                }
                let list = if negated.is_some() { &mut found.excluded } else { &mut found.phrases };
                // A repeated phrase adds nothing, but would multiply scores again.
                if !phrase.terms.is_empty()
                    && list.len() < MAX_PHRASES
                    && list.iter().all(|known| known.text != phrase.text)
                {
                    list.push(phrase);
                }
                rest = after;
            } else if let Some(word) = negated.map(first_word).filter(|word| can_be_excluded(word)) {
                found.excluded.push(Phrase::of(word));
                rest = &rest[1 + word.len()..];
            } else {
                found.text.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        if found.text.trim().is_empty() { Self { text: text.to_owned(), ..Self::default() } } else { found }
    }
}

/// Returns the passage in quotes at the beginning of `text`, and the rest.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix(['"', '“', '„'])?;
    let mut from = 0;
    while let Some(at) = inside[from..].find(['"', '”', '“']).map(|at| from + at) {
        let after = at + inside[at..].chars().next().map_or(1, char::len_utf8);
        if inside[after..].chars().next().is_none_or(char::is_whitespace) {
            return Some((&inside[..at], &inside[after..]));
        }
        from = after;
    }
    None
}

fn first_word(text: &str) -> &str {
    text.find(char::is_whitespace).map_or(text, |end| &text[..end])
}

fn can_be_excluded(word: &str) -> bool {
    let mut chars = word.chars();
    let begins = chars.next().is_some_and(|first| first.is_alphabetic() && lower_case(first) == first);
    begins && chars.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(phrases: &[Phrase]) -> Vec<&str> {
        phrases.iter().map(|phrase| phrase.text.as_str()).collect()
    }

    #[test]
    fn phrases_and_exclusions_are_taken_out() {
        let syntax = QuerySyntax::of("table \"page size\" -remote -\"local data\" widget");
        assert_eq!(syntax.text, "table page size   widget");
        assert_eq!(texts(&syntax.phrases), ["page size"]);
        assert_eq!(texts(&syntax.excluded), ["remote", "local data"]);
        assert_eq!(syntax.phrases[0].terms, [("page".into(), 0), ("size".into(), 1)]);
        assert_eq!(QuerySyntax::of("“one two”").phrases.len(), 1);
    }

    #[test]
    fn marks_of_keyboards_and_telephones_are_seen_before_a_text_is_taken_apart() {
        for text in ["\"a b\"", "say “one two”", "„eins zwei“", "plot -remote", "-\"local data\" x"] {
            assert!(QueryText::may_have_marks(text), "{text}");
        }
        for text in ["", "how do I plot", "Remove-Item", "naïve café", "検索"] {
            assert!(!QueryText::may_have_marks(text), "{text}");
        }
    }

    #[test]
    fn a_phrase_counts_once_and_too_many_are_words() {
        let syntax = QuerySyntax::of(&"\"a b\" ".repeat(300));
        assert_eq!(texts(&syntax.phrases), ["a b"]);
        let syntax = QuerySyntax::of(&(0..300).map(|number| format!("\"w{number}\" ")).collect::<String>());
        assert_eq!(syntax.phrases.len(), MAX_PHRASES);
        assert!(syntax.text.contains("w299"));
    }

    #[test]
    fn signs_alone_are_not_words() {
        for (text, has_words) in
            [("=>", false), ("?.", false), ("", false), ("C++", true), ("检索", true), ("!=3", true)]
        {
            assert_eq!(QueryText::from(text).has_words(), has_words, "{text}");
        }
    }

    #[test]
    fn words_between_keep_their_distance() {
        assert_eq!(Phrase::of("state of the art").terms, [("state".into(), 0), ("art".into(), 3)]);
        assert_eq!(Phrase::of("to be owned").terms.len(), 3);
        assert_eq!(Phrase::of("add_filter now").terms, [("add".into(), 0), ("filter".into(), 1), ("now".into(), 2)]);
    }

    #[test]
    fn what_only_looks_like_a_mark_stays() {
        for text in [
            "Remove-Item -Force",
            "tar -x",
            "git --amend",
            "print(\"a b\")",
            "5\" disk",
            "a - b",
            "\"open",
            "-all",
            "\"\"",
        ] {
            let syntax = QuerySyntax::of(text);
            assert!(syntax.phrases.is_empty() && syntax.excluded.is_empty(), "{text}: {syntax:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken_apart(text in "[a-cA \"“”é-]{0,40}") {
            let syntax = QuerySyntax::of(&text);
            prop_assert!(syntax.text.len() <= text.len());
            prop_assert_eq!(syntax.text.trim().is_empty(), text.trim().is_empty());
            let has_marks = !(syntax.phrases.is_empty() && syntax.excluded.is_empty());
            prop_assert!(!has_marks || QueryText::may_have_marks(&text));
        }
    }
}
