//! The words of a query, and their terms in the dictionary.

use super::{Analyzer, MAX_TERM_BYTES, fold};
use crate::collection::SortedSet;

/// A word of the query. Stop words are left out unless the query has no other words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryWord {
    /// The word, in lower case.
    pub word: String,
    /// The term of the whole word.
    pub term: String,
    /// The terms of the word's parts, if it has several parts, such as `add_filter` and `SelectEditor`.
    pub parts: Vec<String>,
    /// Whether the word is at the end of the text, so that the reader may still be typing it.
    pub is_last: bool,
}

/// Maximum number of words in a query. A longer query is pasted text, and its beginning must suffice.
const MAX_WORDS: usize = 64;

/// Returns the words of `text` in order, each only once.
pub(crate) fn query_words(analyzer: &Analyzer, text: &str) -> Vec<QueryWord> {
    let tokens = analyzer.tokens(text);
    let only_stop_words = tokens.iter().all(|token| token.is_stop_word);
    let mut words = Vec::new();
    let mut rest = tokens.as_slice();
    while let [token, behind @ ..] = rest {
        let (parts, after) = behind.split_at(token.parts);
        rest = after;
        let is_known = words.iter().any(|known: &QueryWord| known.term == token.term);
        if is_known || (token.is_stop_word && !only_stop_words) || words.len() == MAX_WORDS {
            continue;
        }
        let parts = if parts.is_empty() {
            analyzer.terms_of_mixed_case(&text[token.range.clone()])
        } else {
            parts.iter().filter(|part| !part.is_stop_word).map(|part| part.term.clone()).collect()
        };
        let is_last = token.range.end == text.len();
        words.push(QueryWord { word: fold(&text[token.range.clone()]), term: token.term.clone(), parts, is_last });
    }
    words
}

/// Returns the key of a pin: the terms of the words in its query by the English rules, sorted.
///
/// ```
/// use nearfind_core::analysis::pin_key;
///
/// assert_eq!(pin_key("Install "), pin_key("install"));
/// assert_ne!(pin_key("install"), pin_key("update"));
/// ```
pub fn pin_key(query: &str) -> String {
    key_of(&Analyzer::ENGLISH, query)
}

/// Returns the key of a question, for comparison with the keys of titles and headings.
pub(crate) fn key_of(analyzer: &Analyzer, question: &str) -> String {
    let terms: SortedSet<String> = query_words(analyzer, question).into_iter().map(|word| word.term).collect();
    let mut key = String::new();
    terms.as_slice().iter().for_each(|term| append(&mut key, term));
    key
}

/// Appends a word to `joined`, after a space if it is not empty.
fn append(joined: &mut String, word: &str) {
    if !joined.is_empty() {
        joined.push(' ');
    }
    joined.push_str(word);
}

/// Returns the dictionary terms of documents named `text`. A name has up to three forms. Whole words and parts of words
/// make `DatePicker`, `date_picker` and "Date picker" the same name. Words as written distinguish `HLine` from
/// `HLines`.
///
/// Words keep their order, because "Foo Bar" is not "Bar Foo" and 2.1 is not part of 1.2.1. They keep their signs,
/// because `C++` is not `C`. Each form ends with one space, or with two if it is as written. Words do not end with a
/// space, so names do not clash with words, and a name is sorted next to its first word. A form is left out if it is
/// longer than [`MAX_TERM_BYTES`]. A text without words has no terms.
pub fn name_terms(analyzer: &Analyzer, text: &str) -> Vec<String> {
    names_of(&query_words(analyzer, text))
}

/// Returns the same terms as [`name_terms`] for words that are already split.
pub(crate) fn names_of(words: &[QueryWord]) -> Vec<String> {
    let [mut whole, mut in_parts, mut written] = [const { String::new() }; 3];
    for QueryWord { word, term, parts, .. } in words {
        append(&mut whole, term);
        append(&mut written, word);
        // A single part, such as the `c` in `C++`, lacks the signs of the word.
        if parts.len() < 2 {
            append(&mut in_parts, term);
        } else {
            parts.iter().for_each(|part| append(&mut in_parts, part));
        }
    }
    let mut names = SortedSet::default();
    for (mut name, end) in [(whole, NAME_END), (in_parts, NAME_END), (written, AS_WRITTEN)] {
        if !name.is_empty() && name.len() + end.len() <= MAX_TERM_BYTES {
            name.push_str(end);
            names.insert(name);
        }
    }
    names.into_vec()
}

/// Marks the end of terms that are names of documents.
pub(crate) const NAME_END: &str = " ";
/// Marks the end of terms that are names as written.
pub(crate) const AS_WRITTEN: &str = "  ";

/// Marks the end of terms that are names in source code, with their capitals.
pub(crate) const IN_CASE: &str = "   ";

/// Returns the dictionary terms for definitions of `symbol` in source code, by the English rules: those of
/// [`name_terms`], and the name with its capitals, because `Response` may be a class and `response` a function.
pub fn symbol_terms(symbol: &str) -> Vec<String> {
    let mut terms = name_terms(&Analyzer::ENGLISH, symbol);
    if !terms.is_empty() && symbol.len() + IN_CASE.len() <= MAX_TERM_BYTES {
        let mut in_case = symbol.to_owned();
        in_case.push_str(IN_CASE);
        terms.push(in_case);
    }
    terms
}

/// Returns every term of `words`.
pub(crate) fn terms_of(words: &[QueryWord]) -> SortedSet<String> {
    let mut terms = SortedSet::default();
    for word in words {
        terms.extend(std::iter::once(&word.term).chain(&word.parts).cloned());
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_parts() {
        let words = query_words(&Analyzer::ENGLISH, "how do I add_filter to a SelectEditor");
        let terms: Vec<(&str, Vec<&str>)> =
            words.iter().map(|word| (word.term.as_str(), word.parts.iter().map(String::as_str).collect())).collect();
        assert_eq!(terms, [("add_filter", vec!["add", "filter"]), ("selecteditor", vec!["select", "editor"])]);
    }

    #[test]
    fn nothing_but_stop_words_is_kept() {
        assert_eq!(query_words(&Analyzer::ENGLISH, "how to").len(), 2);
        assert!(query_words(&Analyzer::ENGLISH, "?!").is_empty());
    }

    #[test]
    fn names_are_the_same_however_they_are_written() {
        let forms = ["DatePicker", "date_picker", "Date picker", "date-pickers"];
        for form in forms {
            assert!(name_terms(&Analyzer::ENGLISH, form).contains(&"date picker ".to_owned()), "{form}");
        }
        // Without its capitals, a name cannot be split into parts.
        assert!(
            name_terms(&Analyzer::ENGLISH, "DatePicker").contains(&name_terms(&Analyzer::ENGLISH, "datepicker")[0])
        );
        assert_eq!(name_terms(&Analyzer::ENGLISH, "HLine"), ["h line ", "hline ", "hline  "]);
        assert_eq!(name_terms(&Analyzer::ENGLISH, "HLines"), ["h line ", "hline ", "hlines  "]);
        assert!(name_terms(&Analyzer::ENGLISH, "?!").is_empty());
        let long: String = (0..20).map(|number| format!("word{number} ")).collect();
        assert!(name_terms(&Analyzer::ENGLISH, &long).is_empty());
    }

    #[test]
    fn names_keep_order_counts_and_signs() {
        let shares = |a: &str, b: &str| {
            name_terms(&Analyzer::ENGLISH, a).iter().any(|name| name_terms(&Analyzer::ENGLISH, b).contains(name))
        };
        for (a, b) in
            [("Foo Bar", "Bar Foo"), ("Release 2.1", "Release 1.2.1"), ("C++", "C"), (".NET", "Net"), ("F#", "F")]
        {
            assert!(!shares(a, b), "{a} {b}");
        }
        for (a, b) in
            [("C++", "What is C++?"), ("release 2.1", "Release 2.1"), (".NET", ".net"), ("foo_bar", "Foo bar")]
        {
            assert!(shares(a, b), "{a} {b}");
        }
    }

    #[test]
    fn the_order_of_words_does_not_matter_to_a_pin() {
        assert_eq!(pin_key("How to install it?"), pin_key("installing"));
        assert_eq!(pin_key("b a"), pin_key("A B"));
    }
}
