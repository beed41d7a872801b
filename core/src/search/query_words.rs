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
}

/// The words of `text`, in order.
pub(super) fn query_words(text: &str) -> Vec<QueryWord> {
    let tokens = Analyzer.tokens(text);
    let only_stop_words = tokens.iter().all(|token| token.is_stop_word);
    let mut words = Vec::new();
    let mut rest = tokens.as_slice();
    while let [token, behind @ ..] = rest {
        let (parts, after) = behind.split_at(token.parts);
        rest = after;
        if token.is_stop_word && !only_stop_words {
            continue;
        }
        let parts = if parts.is_empty() {
            terms_of_mixed_case(&text[token.range.clone()])
        } else {
            parts.iter().filter(|part| !part.is_stop_word).map(|part| part.term.clone()).collect()
        };
        words.push(QueryWord { word: fold(&text[token.range.clone()]), term: token.term.clone(), parts });
    }
    words
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
}
