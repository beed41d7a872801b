//! Checks a language model's text against the passages that the model was given. Statements that cite none of them are
//! left out.

use super::passages::Passage;
use nearfind_core::analysis::Analyzer;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;
use unicode_segmentation::UnicodeSegmentation as _;

/// A statement is doubtful if its cited passages contain a smaller share of its words than this.
const SHARE: f64 = 0.3;
/// The mark after each doubtful statement.
pub(super) const DOUBTFUL: &str = " (?)";

/// A statement ends with the numbers of its sources.
static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s)(.*?)((?:\s*\[\d{1,4}(?:\s*[,;]\s*\d{1,4})*\])+)([.!?:;,]?)").expect("a regular expression")
});
/// A line that begins or ends a block of code.
const FENCE: &str = "```";
static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d+").expect("a regular expression"));

/// A text with verified citations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Checked {
    /// The text.
    pub(super) text: String,
    /// The numbers of the cited passages.
    pub(super) cited: BTreeSet<usize>,
    /// Number of statements that were left out, because they cite no passage that exists.
    pub(super) left_out: usize,
    /// Number of statements that are marked as doubtful, because the cited passages contain few of their words.
    pub(super) doubtful: usize,
}

/// Checks `written` against passages, which are identified by their numbers.
pub(super) fn check(written: &str, passages: &BTreeMap<usize, &Passage>) -> Checked {
    let mut checked = Checked::default();
    let mut end = 0;
    let mut is_code = false;
    for found in STATEMENT.captures_iter(written) {
        let (behind, citations, sign) = (&found[1], &found[2], &found[3]);
        end = found.get(0).map_or(end, |all| all.end());
        let (uncited, statement) = last_sentence(behind, is_code);
        checked.left_out += uncited;
        is_code ^= behind.matches(FENCE).count() % 2 == 1;
        let numbers = NUMBER.find_iter(citations).filter_map(|number| number.as_str().parse::<usize>().ok());
        let known: BTreeSet<usize> = numbers.filter(|number| passages.contains_key(number)).collect();
        if known.is_empty() {
            checked.left_out += 1;
            continue;
        }
        if uncited > 0 {
            // Keep the white space between the statement and the previous one.
            checked.text += &behind[..behind.len() - behind.trim_start().len()];
        }
        checked.text += statement;
        known.iter().for_each(|number| checked.text += &format!(" [{number}]"));
        if share(statement, known.iter().map(|number| passages[number])) < SHARE {
            checked.text += DOUBTFUL;
            checked.doubtful += 1;
        }
        checked.text += sign;
        checked.cited.extend(known);
    }
    let rest = &written[end..];
    checked.left_out += usize::from(rest.chars().any(char::is_alphanumeric));
    // Close a block of code that is still open.
    if checked.text.matches(FENCE).count() % 2 == 1 {
        checked.text += "\n```";
    }
    checked.text = checked.text.trim().to_owned();
    checked
}

/// Returns the last sentence of `text`, with the headings, signs and code around it, and the number of sentences with
/// words before it. Those sentences have no citation. Code belongs to the sentence that introduces it. `in_code` says
/// whether the text begins in code.
fn last_sentence(text: &str, in_code: bool) -> (usize, &str) {
    if in_code || text.contains(FENCE) {
        return (0, text);
    }
    let mut start = 0;
    let mut uncited = 0;
    for (at, sentence) in text.split_sentence_bound_indices() {
        let is_heading = sentence.trim_start().starts_with('#');
        let has_more = text[at + sentence.len()..].chars().any(char::is_alphanumeric);
        if has_more && !is_heading && sentence.chars().any(char::is_alphanumeric) {
            uncited += 1;
            start = at + sentence.len();
        }
    }
    (uncited, &text[start..])
}

/// Returns the share of a statement's words that the passages contain, or 1 for a statement without words.
fn share<'a>(statement: &str, passages: impl Iterator<Item = &'a Passage>) -> f64 {
    let of_statement = terms(statement);
    let of_passages: HashSet<String> = passages
        .flat_map(|passage| [&passage.title, &passage.section, &passage.text])
        .flat_map(|text| terms(text))
        .collect();
    let shared = of_statement.intersection(&of_passages).count();
    if of_statement.is_empty() { 1.0 } else { shared as f64 / of_statement.len() as f64 }
}

fn terms(text: &str) -> HashSet<String> {
    Analyzer::ENGLISH.tokens(text).into_iter().filter(|token| !token.is_stop_word).map(|token| token.term).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cites_nothing_that_there_is_is_left_out() {
        let passage = |text: &str| Passage { text: text.to_owned(), ..Passage::default() };
        let (retries, keys) =
            (passage("Requests are retried three times."), passage("Keys come from the environment."));
        let passages = BTreeMap::from([(3, &retries), (5, &keys)]);
        let written = "Requests are retried [3]. Nobody knows why [9]. Keys come from the environment [5, 3]; \
            penguins swim south every winter [5].\nAnd so on.";
        let checked = check(written, &passages);
        assert_eq!(
            checked.text,
            "Requests are retried [3]. Keys come from the environment [3] [5]; penguins swim south every winter [5] (?)."
        );
        assert_eq!((checked.left_out, checked.doubtful), (2, 1));
        assert_eq!(checked.cited, BTreeSet::from([3, 5]));
        assert_eq!(check("", &passages), Checked::default());
        assert_eq!(check("Nothing is cited.", &passages), Checked { left_out: 1, ..Checked::default() });
    }

    #[test]
    fn a_sentence_without_a_citation_is_left_out_wherever_it_stands() {
        let retries =
            Passage { text: "Requests are retried three times, e.g. after 5 s.".to_owned(), ..Passage::default() };
        let passages = BTreeMap::from([(3, &retries)]);
        let text = |written: &str| {
            let checked = check(written, &passages);
            (checked.text, checked.left_out)
        };
        let cited = "Requests are retried three times [3].";
        assert_eq!(text(&format!("The moon is cheese. {cited}")), (cited.to_owned(), 1));
        assert_eq!(text(&format!("{cited} The moon is cheese. Who knows? {cited}")), (format!("{cited} {cited}"), 2));
        // A heading and the sign of a list item belong to the text after them. An abbreviation does not end a sentence.
        assert_eq!(text(&format!("## Retries\n\n- {cited}")), (format!("## Retries\n\n- {cited}"), 0));
        let short = "Requests are retried, e.g. after 5 s [3].";
        assert_eq!(text(short), (short.to_owned(), 0));
    }

    #[test]
    fn a_block_of_code_ends() {
        let code = Passage { text: "let client = Client::new();".to_owned(), ..Passage::default() };
        let checked = check("```\nlet client = Client::new(); [1]\n```\n", &BTreeMap::from([(1, &code)]));
        assert_eq!(checked.text, "```\nlet client = Client::new(); [1]\n```");
    }
}
