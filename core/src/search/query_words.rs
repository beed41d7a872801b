//! The words of a query, and the terms that stand for them.

use crate::analysis::{Analyzer, fold, terms_of_mixed_case};
use crate::collection::SortedSet;

/// A word of the query, without the stop words unless there is nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueryWord {
    /// The word, in lower case.
    pub word: String,
    /// Its term.
    pub term: String,
    /// The terms of its parts, if it has several: `add_filter`, `SelectEditor`.
    pub parts: Vec<String>,
    /// Whether it ends the text, so that more letters may be to come.
    pub is_last: bool,
}

/// More words than this are a pasted text, of which the beginning must do.
const MAX_WORDS: usize = 64;

/// The words of `text`, in order; a word that is repeated once.
pub(super) fn query_words(text: &str) -> Vec<QueryWord> {
    let tokens = Analyzer.tokens(text);
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
            terms_of_mixed_case(&text[token.range.clone()])
        } else {
            parts.iter().filter(|part| !part.is_stop_word).map(|part| part.term.clone()).collect()
        };
        let is_last = token.range.end == text.len();
        words.push(QueryWord { word: fold(&text[token.range.clone()]), term: token.term.clone(), parts, is_last });
    }
    words
}

/// The key of a pin: the terms of its query's words, whatever their order.
pub fn pin_key(query: &str) -> String {
    let terms: SortedSet<String> = query_words(query).into_iter().map(|word| word.term).collect();
    let mut key = String::new();
    for term in terms.as_slice() {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(term);
    }
    key
}

/// Every term of `words`.
pub(super) fn terms_of(words: &[QueryWord]) -> SortedSet<String> {
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
        let words = query_words("how do I add_filter to a SelectEditor");
        let terms: Vec<(&str, Vec<&str>)> =
            words.iter().map(|word| (word.term.as_str(), word.parts.iter().map(String::as_str).collect())).collect();
        assert_eq!(terms, [("add_filter", vec!["add", "filter"]), ("selecteditor", vec!["select", "editor"])]);
    }

    #[test]
    fn nothing_but_stop_words_is_kept() {
        assert_eq!(query_words("how to").len(), 2);
        assert!(query_words("?!").is_empty());
    }

    #[test]
    fn the_order_of_words_does_not_matter_to_a_pin() {
        assert_eq!(pin_key("How to install it?"), pin_key("installing"));
        assert_eq!(pin_key("b a"), pin_key("A B"));
    }
}
