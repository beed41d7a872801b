//! Recognizes questions about how something came to be. Commits have little weight, because current code and pages come
//! first. If a question asks for history, commits and the other documents take turns.

use crate::library::open::open_bundle::OpenBundle;
use nearfind_base::facets::{HISTORY, KIND};
use nearfind_core::search::{Filter, filter_values};
use std::sync::Arc;

/// Pairs of words that ask for history: a first word, and the second words that may follow it.
const PAIRS: [(&str, &[&str]); 9] = [
    ("when", PAST),
    ("why", PAST),
    ("since", &["when"]),
    ("who", DONE),
    ("which", &["commit", "commits", "change", "release"]),
    ("what", &["commit", "commits"]),
    ("git", &["history", "log", "blame"]),
    ("commit", &["history", "log", "message"]),
    ("history", &["of"]),
];
/// Verb forms that make a question with "when" or "why" a question about the past.
const PAST: &[&str] = &["was", "were", "did", "had", "has", "have"];
/// Words for changes.
const DONE: &[&str] = &[
    "added",
    "broke",
    "changed",
    "deprecated",
    "dropped",
    "fixed",
    "introduced",
    "made",
    "moved",
    "refactored",
    "removed",
    "renamed",
    "replaced",
    "reverted",
    "wrote",
];
/// Words for changes that have no other meaning. They ask for history even without a second word, as in
/// `retry limit removed`.
const DONE_ALONE: &[&str] = &["introduced", "removed", "reverted", "renamed"];
/// Words that begin questions about the present, even if these mention a change: `how are removed nodes freed`.
const PRESENT: &[&str] = &["how", "where", "what", "can", "does", "is", "are"];

/// Whether the English words of a question ask for history.
fn asks_for_history(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_pair = |pair: &[&str]| PAIRS.iter().any(|(first, second)| pair[0] == *first && second.contains(&pair[1]));
    let is_about_now = words.first().is_some_and(|word| PRESENT.contains(word));
    words.windows(2).any(is_pair) || (!is_about_now && words.iter().any(|word| DONE_ALONE.contains(word)))
}

/// Returns the filters for querying bundles of one model. Usually these are the question's filters. If the question
/// asks for history and does not filter by kind, the bundles are queried twice: for commits, and for everything else.
pub(super) fn turns(text: &str, group: &[Arc<OpenBundle>], filters: Vec<Filter>) -> Vec<Vec<Filter>> {
    if filters.iter().any(|filter| filter.name == KIND) || !asks_for_history(text) {
        return vec![filters];
    }
    let mut others: Vec<String> = Vec::new();
    for bundle in group {
        others.extend(filter_values(bundle.reader().root(), KIND).into_iter().flatten().map(str::to_owned));
    }
    others.sort_unstable();
    others.dedup();
    let all = others.len();
    others.retain(|kind| kind != HISTORY);
    if others.len() == all || others.is_empty() {
        return vec![filters];
    }
    let of_kinds = |values: Vec<String>| {
        let mut filters = filters.clone();
        filters.push(Filter { name: KIND.to_owned(), values });
        filters
    };
    vec![of_kinds(vec![HISTORY.to_owned()]), of_kinds(others)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_the_past_ask_for_history() {
        for text in [
            "when was the timeout made configurable?",
            "Why did the parser change",
            "since when is Python 3.8 needed",
            "which commit fixed the leak",
            "who added retries",
            "retry limit removed",
            "history of the cache",
        ] {
            assert!(asks_for_history(text), "{text}");
        }
        for text in [
            "when is the session closed",
            "how are removed nodes freed",
            "what happens to renamed files",
            "which file reads the settings",
            "browser history",
            "commit a transaction",
            "why does it hang",
            "",
        ] {
            assert!(!asks_for_history(text), "{text}");
        }
    }
}
