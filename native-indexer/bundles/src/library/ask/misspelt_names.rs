//! Corrects misspelled names from source code. A misspelled word is corrected to a word in the index, in lower case. A
//! class that a question names is boosted only if the name is written like a class.

use crate::library::code::exact_pattern::ExactPattern;
use crate::library::code::exact_text::ExactQuestion;
use crate::library::documents::lookup::FoundPath;
use crate::library::near_names::{likeness, near_names};
use crate::library::open::view::View;
use anyhow::Result;
use nearfind_base::facets::{HISTORY, KIND};
use nearfind_base::file_names::file_stem;
use nearfind_core::search::Corrected;
use nearfind_core::symbols::names_near;
use std::ops::Range;

/// Minimum length of a name that is corrected, in bytes.
const MIN_BYTES: usize = 5;
/// Minimum length in bytes of a name that may have two wrong letters.
const MIN_BYTES_OF_TWO: usize = 12;
/// Maximum number of names in a question that are looked up.
const MAX_NAMES: usize = 4;

impl View {
    /// If the question `typed` contains names of source code that occur nowhere in the bundles, returns the question
    /// with the defined names that are likely meant, and the corrections. Each word in such a name often exists, so
    /// that the words alone look right. Bundles on web servers are not read for this. Commits contain the names of
    /// removed code, which must stay, so nothing is corrected in bundles with commits.
    pub(crate) fn with_defined_names(&self, typed: &str) -> Option<(String, Vec<Corrected>)> {
        // Most questions contain no such names.
        let places: Vec<Range<usize>> = identifiers(typed).into_iter().take(MAX_NAMES).collect();
        let has_code = || self.bundles.iter().any(|bundle| bundle.reader().root().has_code());
        let is_here = || self.bundles.iter().all(|bundle| bundle.is_in_a_folder());
        if places.is_empty() || !has_code() || !is_here() || self.values_of(KIND).contains(HISTORY) {
            return None;
        }
        let (mut text, mut corrections) = (typed.to_owned(), Vec::new());
        // Starts at the end, so that earlier positions stay valid.
        for place in places.into_iter().rev() {
            // A name that cannot be looked up is searched for as it is.
            if let Ok(Some(meant)) = self.meant_by(&typed[place.clone()]) {
                corrections.push(Corrected { word: typed[place.clone()].to_lowercase(), meant: meant.clone() });
                text.replace_range(place, &meant);
            }
        }
        corrections.reverse();
        (!corrections.is_empty()).then_some((text, corrections))
    }

    /// Returns the defined name that is nearest to `name`, if `name` occurs nowhere.
    fn meant_by(&self, name: &str) -> Result<Option<String>> {
        let mut near = Vec::new();
        for bundle in &self.bundles {
            if bundle.name(name)?.is_some() {
                return Ok(None);
            }
            near.extend(bundle.ask(|reader| names_near(reader, name))?);
        }
        let like = near.into_iter().filter(|other| is_nearly(name, other)).map(|other| (likeness(name, &other), other));
        let Some(nearest) = near_names(like, 0.0).into_iter().next() else { return Ok(None) };
        let is_file = |path: &FoundPath| path.names().any(|path| file_stem(path).eq_ignore_ascii_case(name));
        if self.paths(None)?.iter().any(is_file) {
            return Ok(None);
        }
        let exact = ExactQuestion {
            pattern: ExactPattern::new(name, false, false)?,
            projects: Vec::new(),
            path: None,
            offset: 0,
            limit: 0,
            context: 0,
        };
        Ok((self.find_exact(&exact)?.lines == 0).then_some(nearest))
    }
}

/// Whether `typed` is likely a misspelling of `name`: few letters differ, and neither the first letter nor a digit,
/// because these often distinguish names.
fn is_nearly(typed: &str, name: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let first = |text: &str| text.chars().next().map(|first| first.to_ascii_lowercase());
    let most = if typed.len() < MIN_BYTES_OF_TWO { 1 } else { 2 };
    first(typed) == first(name)
        && digits(typed) == digits(name)
        && strsim::damerau_levenshtein(&typed.to_lowercase(), &name.to_lowercase()) <= most
}

/// Returns the positions of words in a question that are written like names of source code, except excluded words and
/// phrases in quotes.
fn identifiers(typed: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_quotes = false;
    for (at, c) in typed.char_indices().chain([(typed.len(), ' ')]) {
        if c.is_alphanumeric() || c == '_' {
            continue;
        }
        let is_excluded =
            typed[..start].ends_with('-') && !typed[..start].trim_end_matches('-').ends_with(char::is_alphanumeric);
        if at - start >= MIN_BYTES && is_identifier(&typed[start..at]) && !in_quotes && !is_excluded {
            found.push(start..at);
        }
        in_quotes ^= c == '"';
        start = at + c.len_utf8();
    }
    found
}

/// Returns the corrected question `searched` with the case of its source code names restored. `typed` is the question
/// as it was asked, and `name_of` returns how a word is written where it is defined.
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

/// Returns the position of a whole word in `text`, ignoring case.
fn place_of(text: &str, word: &str) -> Option<Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric();
    text.char_indices().map(|(at, _)| at..at + word.len()).find(|range| {
        text.get(range.clone()).is_some_and(|here| here.eq_ignore_ascii_case(word))
            && !text[..range.start].ends_with(is_part)
            && !text[range.end..].starts_with(is_part)
    })
}

/// Whether a word is written like a name of source code: with a capital after a lowercase letter, or with an
/// underscore.
fn is_identifier(word: &str) -> bool {
    word.contains('_') || word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_on_purpose_are_not_misspellings() {
        for (typed, name) in
            [("parse_cokie", "parse_cookie"), ("MultiDcit", "MultiDict"), ("ClientResponce", "ClientResponse")]
        {
            assert!(is_nearly(typed, name), "{typed}");
        }
        for (typed, name) in [
            ("ipv6_address", "ipv4_address"),
            ("utf8_encode", "utf8_decode"),
            ("get_users", "set_users"),
            ("useState", "useStore"),
        ] {
            assert!(!is_nearly(typed, name), "{typed}");
        }
    }

    #[test]
    fn names_in_a_question_are_found_by_how_they_are_written() {
        let names = |typed| identifiers(typed).into_iter().map(|place| &typed[place]).collect::<Vec<&str>>();
        assert_eq!(names("where is ClientResponce.raise_for_staus()"), ["ClientResponce", "raise_for_staus"]);
        assert_eq!(names("undo a commit -send_all \"parse_cokie\" a_b"), [""; 0]);
        assert_eq!(names("über_all non-send_all"), ["über_all", "send_all"]);
    }

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
        // A word of prose keeps its case, because a class of that name is hardly meant.
        assert_eq!(
            in_case("when does RetryMidleware give a respnse up", "when does retrymiddleware give a response up"),
            "when does RetryMiddleware give a response up"
        );
        assert_eq!(in_case("respnse", "response"), "Response");
        assert_eq!(in_case("Äh, respnse", "Äh, response"), "Äh, response");
    }
}
