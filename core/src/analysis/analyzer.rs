//! Words, lower-cased, without accents, split at punctuation inside them, stemmed by Snowball English.
//!
//! A word with punctuation (`add_filter`, `pn.widgets`, `don't`, `C++`, `--flag`) gives its parts and the whole word
//! unstemmed at the position of the first part: a query finds it whole or by part.
//! Scripts without spaces give two characters each.

use super::accents::without_accent;
use super::lower_case::lower_case;
use super::words::for_each_word;
use waken_snowball::SnowballEnv;
use waken_snowball::algorithms::english_stemmer;

/// Longer terms are cut here, at a character boundary: nobody types them, and hostile text must not bloat a dictionary.
pub const MAX_TERM_BYTES: usize = 64;

/// One term at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The term as it is in the dictionary.
    pub term: String,
    /// Number of the word, from 0. Two tokens of one word may share it.
    pub position: u32,
    /// Byte range of the word or part in the text.
    pub range: std::ops::Range<usize>,
    /// Whether the word is a stop word.
    pub is_stop_word: bool,
    /// Of a whole word that has parts: how many of the tokens after this one are its parts.
    pub parts: usize,
}

/// The chain named by [`ANALYZER`](super::ANALYZER).
///
/// ```
/// use nearfind_core::analysis::Analyzer;
///
/// let terms = |text| Analyzer.tokens(text).into_iter().map(|token| token.term).collect::<Vec<_>>();
/// assert_eq!(terms("Undoing commits"), ["undo", "commit"]);
/// // A word with signs inside is found whole and by its parts.
/// assert_eq!(terms("add_filter"), ["add_filter", "add", "filter"]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Analyzer;

impl Analyzer {
    /// The tokens of `text`, in order of their places.
    pub fn tokens(self, text: &str) -> Vec<Token> {
        tokens(text, &|_| true, false, &mut term_and_stop)
    }

    /// The tokens of a text, of source code or another one, whose terms `terms` keeps from one text to the next.
    #[cfg(feature = "write")]
    pub(crate) fn tokens_with(text: &str, is_code: bool, terms: &mut KnownTerms) -> Vec<Token> {
        tokens(text, &|_| true, is_code, &mut |lower| terms.term_of(lower))
    }

    /// The tokens of source code: as those of other text, with the parts of names in mixed case, as `SelectEditor` has them.
    pub fn code_tokens(self, text: &str) -> Vec<Token> {
        tokens(text, &|_| true, true, &mut term_and_stop)
    }

    /// The tokens of `text` whose term begins with a character that is `wanted`, in order of their places. The others are
    /// not stemmed, which is most of the work; a stem begins as its word does.
    pub(crate) fn tokens_that_begin(text: &str, wanted: &dyn Fn(char) -> bool) -> Vec<Token> {
        tokens(text, wanted, false, &mut term_and_stop)
    }

    /// The same of source code.
    pub(crate) fn code_tokens_that_begin(text: &str, wanted: &dyn Fn(char) -> bool) -> Vec<Token> {
        tokens(text, wanted, true, &mut term_and_stop)
    }
}

/// The terms of words that were met: few words are most of all text, and stemming is most of the work.
#[cfg(feature = "write")]
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownTerms(std::collections::HashMap<String, (String, bool), foldhash::fast::RandomState>);

#[cfg(feature = "write")]
impl KnownTerms {
    fn term_of(&mut self, lower: &str) -> (String, bool) {
        if let Some(known) = self.0.get(lower) {
            return known.clone();
        }
        let known = term_and_stop(lower);
        self.0.insert(lower.to_owned(), known.clone());
        known
    }
}

/// The term of a part of a word in lower case, and whether it is a stop word.
fn term_and_stop(lower: &str) -> (String, bool) {
    (term_of_lower(lower), is_stop_part(lower))
}

/// The term of a word in lower case without parts.
fn term_of_lower(lower: &str) -> String {
    cut(&stem(&plain(lower))).to_owned()
}

fn tokens(
    text: &str,
    wanted: &dyn Fn(char) -> bool,
    splits_case: bool,
    term_and_stop: &mut dyn FnMut(&str) -> (String, bool),
) -> Vec<Token> {
    let begins = |word: &str| word.chars().next().is_some_and(|first| wanted(first_of(first)));
    let mut tokens = Vec::new();
    let mut position = 0;
    for_each_word(text, |range| {
        let (start, word) = (range.start, &text[range]);
        let (whole, first_position) = (tokens.len(), position);
        let mut parts = 0;
        let mut part_start = None;
        let end_mark = [(word.len(), '\u{0}')];
        for (at, c) in word.char_indices().chain(end_mark) {
            match (part_start, is_of_part(c) && at < word.len()) {
                (None, true) => part_start = Some(at),
                (Some(from), false) => {
                    let part = &word[from..at];
                    let mut token = |range: std::ops::Range<usize>, position: u32, parts: usize| {
                        let (term, is_stop_word) = term_and_stop(&fold(&part[range.clone()]));
                        let range = start + from + range.start..start + from + range.end;
                        Token { term, position, range, is_stop_word, parts }
                    };
                    let mut names = Vec::new();
                    if splits_case {
                        for_each_case_part(part, &mut |range| names.push(range));
                    }
                    let (name, name_position) = (tokens.len(), position);
                    if names.len() > 1 {
                        for range in names {
                            if begins(&part[range.clone()]) {
                                tokens.push(token(range, position, 0));
                            }
                            position += 1;
                        }
                    } else {
                        position += 1;
                    }
                    if begins(part) {
                        tokens.insert(name, token(0..part.len(), name_position, tokens.len() - name));
                    }
                    parts += 1;
                    part_start = None;
                }
                _ => {}
            }
        }
        let is_more = parts > 1 || (parts == 1 && !word.chars().all(is_of_part));
        if is_more && begins(word) {
            let token = Token {
                term: cut(&plain(&fold(word))).to_owned(),
                position: first_position,
                range: start..start + word.len(),
                is_stop_word: false,
                parts: tokens.len() - whole,
            };
            tokens.insert(whole, token);
        }
    });
    tokens
}

/// The terms of the parts of a word in mixed case, as `SelectEditor` and `HTMLElement` have them; none if it has one part.
/// For queries and source code: indexed of other text, they would make every mention of a name a mention of its parts.
pub(crate) fn terms_of_mixed_case(word: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for_each_case_part(word, &mut |range| terms.push(term_of(&word[range])));
    if terms.len() > 1 { terms } else { Vec::new() }
}

/// Whether `word` has several parts by its capitals.
pub(crate) fn is_mixed_case(word: &str) -> bool {
    let mut parts = 0;
    for_each_case_part(word, &mut |_| parts += 1);
    parts > 1
}

/// Calls `visit` with the bytes of each part of a word in mixed case. Compiled once: copies would weigh on every page.
fn for_each_case_part(word: &str, visit: &mut dyn FnMut(std::ops::Range<usize>)) {
    // Not `char::is_uppercase`, whose tables would be in every web page.
    let is_capital = |c: char| lower_case(c) != c;
    let is_small = |c: char| c.is_alphabetic() && !is_capital(c);
    let (mut start, mut previous) = (0, ' ');
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends_capitals = is_capital(previous) && chars.peek().is_some_and(|&(_, next)| is_small(next));
        if at > 0 && is_capital(c) && (is_small(previous) || ends_capitals) {
            visit(start..at);
            start = at;
        }
        previous = c;
    }
    visit(start..word.len());
}

/// Parts such as the `t` of `don't` carry no more than a stop word does.
fn is_stop_part(lower: &str) -> bool {
    super::is_stop_word(lower) || matches!(lower, "s" | "t" | "don" | "ll" | "ve" | "re")
}

/// The term of a word without parts.
pub(crate) fn term_of(word: &str) -> String {
    term_of_lower(&fold(word))
}

/// Lower case, with one sigma for both.
pub(crate) fn fold(word: &str) -> String {
    if word.is_ascii() { word.to_ascii_lowercase() } else { word.chars().map(fold_char).collect() }
}

/// Letters and digits, and accents on their own.
fn is_of_part(c: char) -> bool {
    c.is_alphanumeric() || without_accent(c).is_none()
}

/// A word in lower case without accents.
pub(crate) fn plain(word: &str) -> String {
    word.chars().filter_map(without_accent).collect()
}

/// What a term begins with whose word begins with `c`.
fn first_of(c: char) -> char {
    let folded = fold_char(c);
    without_accent(folded).unwrap_or(folded)
}

fn fold_char(c: char) -> char {
    if c == 'ς' { 'σ' } else { lower_case(c) }
}

/// Snowball English, called directly: a choice of languages at run time would link all of them into a web page.
fn stem(word: &str) -> String {
    let mut env = SnowballEnv::create(word);
    english_stemmer::stem(&mut env);
    env.get_current().into_owned()
}

fn cut(term: &str) -> &str {
    &term[..term.floor_char_boundary(MAX_TERM_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(text: &str) -> Vec<String> {
        Analyzer.tokens(text).into_iter().map(|token| token.term).collect()
    }

    #[test]
    fn words_are_stemmed_and_identifiers_kept_whole_and_in_parts() {
        assert_eq!(terms("Formatting Tabulator cells"), ["format", "tabul", "cell"]);
        assert_eq!(terms("add_filter"), ["add_filter", "add", "filter"]);
        assert_eq!(terms("std::vec"), ["std", "vec"]);
        assert_eq!(terms("C++ --dry-run .NET"), ["c++", "c", "--dry-run", "dri", "run", ".net", "net"]);
    }

    #[test]
    fn ranges_point_at_the_words() {
        let text = "Über naïve_Wörter.";
        for token in Analyzer.tokens(text) {
            assert!(text.get(token.range.clone()).is_some(), "{token:?}");
        }
        assert_eq!(Analyzer.tokens("a b_c d").iter().map(|token| token.position).collect::<Vec<_>>(), [0, 1, 1, 2, 3]);
    }

    #[test]
    fn scripts_without_spaces_give_terms() {
        assert_eq!(terms("索引表"), ["索引", "引表"]);
    }

    #[test]
    fn mixed_case_has_parts() {
        assert_eq!(terms_of_mixed_case("SelectEditors"), ["select", "editor"]);
        assert_eq!(terms_of_mixed_case("parseHTMLElement"), ["pars", "html", "element"]);
        assert!(terms_of_mixed_case("Tabulator").is_empty() && terms_of_mixed_case("API").is_empty());
    }

    #[test]
    fn names_in_source_code_are_found_whole_and_by_every_part() {
        let terms = |text: &str| Analyzer.code_tokens(text).into_iter().map(|token| token.term).collect::<Vec<_>>();
        assert_eq!(terms("SelectEditors"), ["selecteditor", "select", "editor"]);
        assert_eq!(terms("self.parseHTML(x)"), ["self.parsehtml", "self", "parsehtml", "pars", "html", "x"]);
        assert_eq!(terms("MAX_LINE plain words"), ["max_line", "max", "line", "plain", "word"]);
        let positions: Vec<u32> = Analyzer.code_tokens("a SelectEditor b").iter().map(|token| token.position).collect();
        assert_eq!(positions, [0, 1, 1, 2, 3]);
    }

    proptest! {
        /// A name that is asked for is found as it is written, in source code as in other text.
        #[test]
        fn tokens_of_source_code_are_those_of_text_and_parts(text in "[a-cA-C_. ]{0,30}") {
            let code: Vec<String> = Analyzer.code_tokens(&text).into_iter().map(|token| token.term).collect();
            for token in Analyzer.tokens(&text) {
                prop_assert!(code.contains(&token.term), "{} of {code:?}", token.term);
            }
        }
    }

    #[test]
    fn capitals_do_not_matter() {
        assert_eq!(terms("ΟΔΟΣ"), terms("οδος"));
        assert_eq!(terms("ÉCLAIR"), terms("éclair"));
    }

    #[test]
    fn accents_do_not_matter() {
        for (typed, written) in
            [("memoire", "mémoire"), ("systeme", "système"), ("parametres", "paramètres"), ("Losung", "Lösung")]
        {
            assert_eq!(terms(typed), terms(written));
        }
        assert_eq!(terms("me\u{301}moire"), terms("mémoire"), "taken apart");
    }

    proptest! {
        /// The oracle makes all tokens and keeps those that are wanted.
        #[test]
        fn tokens_that_begin_are_those_of_all(text in "[a-eyγςΣÀ_.' A-C]{0,60}", first in "[a-eyγσà_]{1,2}") {
            let wanted = |c: char| first.contains(c);
            let all = Analyzer.tokens(&text).into_iter().filter(|token| token.term.chars().next().is_some_and(wanted));
            let expected: Vec<_> = all.map(|token| (token.term, token.position, token.range)).collect();
            let some = Analyzer::tokens_that_begin(&text, &wanted).into_iter();
            let found: Vec<_> = some.map(|token| (token.term, token.position, token.range)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn an_endless_word_is_cut() {
        assert_eq!(terms(&"é".repeat(500))[0].len(), MAX_TERM_BYTES);
    }
}
