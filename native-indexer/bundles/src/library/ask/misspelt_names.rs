//! Misspelled names of source code. A word is corrected to a word of the index, in lower case; a class is boosted as what a
//! question names only if it is written like one.

use nearfind_core::search::Corrected;
use std::ops::Range;

/// The question `searched`, which was corrected, with the names of source code in their case. `typed` is the question as it was
/// asked, and `name_of` tells how a word is written where it is defined.
pub(crate) fn with_names_in_case(
    typed: &str,
    searched: &str,
    corrections: &[Corrected],
    name_of: impl Fn(&str) -> Option<String>,
) -> String {
    let mut text = searched.to_owned();
    for Corrected { word, meant } in corrections {
        let is_name = place_of(typed, word).is_some_and(|at| {
            let written = &typed[at.clone()];
            at.len() == typed.trim().len() || is_identifier(written)
        });
        if is_name
            && let Some(at) = place_of(&text, meant)
            && let Some(name) = name_of(meant).filter(|name| name.eq_ignore_ascii_case(meant))
        {
            text.replace_range(at, &name);
        }
    }
    text
}

/// The place of a whole word of `text`, whatever its case.
fn place_of(text: &str, word: &str) -> Option<Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric();
    text.char_indices().map(|(at, _)| at..at + word.len()).find(|range| {
        text.get(range.clone()).is_some_and(|here| here.eq_ignore_ascii_case(word))
            && !text[..range.start].ends_with(is_part)
            && !text[range.end..].starts_with(is_part)
    })
}

/// Whether a word is written like a name of source code: with a capital after a small letter, or an underscore.
fn is_identifier(word: &str) -> bool {
    word.contains('_') || word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_like_a_name_becomes_one() {
        let corrections = [("retrymidleware", "retrymiddleware"), ("respnse", "response")]
            .map(|(word, meant)| Corrected { word: word.to_owned(), meant: meant.to_owned() });
        let name_of = |word: &str| match word {
            "retrymiddleware" => Some("RetryMiddleware".to_owned()),
            "response" => Some("Response".to_owned()),
            _ => None,
        };
        let in_case = |typed: &str, searched: &str| with_names_in_case(typed, searched, &corrections, name_of);
        // A word of prose stays one, as a class of that name is hardly meant.
        assert_eq!(
            in_case("when does RetryMidleware give a respnse up", "when does retrymiddleware give a response up"),
            "when does RetryMiddleware give a response up"
        );
        assert_eq!(in_case("respnse", "response"), "Response");
        assert_eq!(in_case("Äh, respnse", "Äh, response"), "Äh, response");
    }
}
