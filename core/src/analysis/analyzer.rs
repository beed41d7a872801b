//! Turns text into tokens: words in lower case, without accents, split at punctuation, and stemmed by the Snowball
//! rules of their language.
//!
//! A word with punctuation (`add_filter`, `pn.widgets`, `don't`, `C++`, `--flag`) becomes a token for each part, and a
//! token for the whole word, unstemmed, at the position of the first part. A query thus finds the whole word or its
//! parts. Text in a script without spaces becomes a token for each pair of neighboring characters.

use super::accents::without_accent;
use super::lower_case::lower_case;
use super::script::letters_beyond_latin;
use super::snowball;
use super::stop_words::{has_word, is_stop_part};
use super::words::for_each_word;
use crate::format::Language;
use std::sync::Arc;

/// The English stemmer, which every page includes.
const ENGLISH: &[u8] = include_bytes!("english.stem");

/// Maximum length of a term in bytes. Longer terms are cut at a character boundary, because no reader types them and
/// hostile text must not bloat a dictionary.
pub const MAX_TERM_BYTES: usize = 64;

/// A term and its position in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The term as it is in the dictionary.
    pub term: String,
    /// Number of the word in the text, starting at 0. A word and its first part share a position.
    pub position: u32,
    /// Byte range of the word or part in the text.
    pub range: std::ops::Range<usize>,
    /// Whether the word is a stop word.
    pub is_stop_word: bool,
    /// For a whole word with parts, the number of following tokens that are its parts. Otherwise 0.
    pub parts: usize,
}

/// The analysis chain named [`ANALYZER`](super::ANALYZER), with the rules of one language.
///
/// ```
/// use nearfind_core::analysis::Analyzer;
///
/// let terms = |text| Analyzer::ENGLISH.tokens(text).into_iter().map(|token| token.term).collect::<Vec<_>>();
/// assert_eq!(terms("Undoing commits"), ["undo", "commit"]);
/// // A word with punctuation inside is found whole and by its parts.
/// assert_eq!(terms("add_filter"), ["add_filter", "add", "filter"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analyzer {
    /// `None` for English.
    language: Option<Arc<Language>>,
}

/// A filter on the first character of terms.
type Wanted<'a> = &'a dyn Fn(char) -> bool;

impl Analyzer {
    /// The English rules, which also apply to languages without rules.
    pub const ENGLISH: Self = Self { language: None };

    /// Uses the rules of `language`, or the English rules if it has no stemmer.
    pub fn of(language: Arc<Language>) -> Self {
        Self { language: if language.stemmer.is_empty() { None } else { Some(language) } }
    }

    /// Uses the rules of the language in `languages` with the most stop words in `text`. If several languages have
    /// equally many, uses the first one.
    pub fn of_text(text: &str, languages: Vec<Arc<Language>>) -> Self {
        let mut guess = Guess::default();
        for language in languages {
            guess.consider(text, None, language);
        }
        guess.analyzer
    }

    /// Counts the words in `text` that suggest this language: its stop words and, if it is not written in Latin script,
    /// words in other scripts.
    fn likeness(&self, text: &str) -> usize {
        let mut likeness = 0;
        for_each_word(text, &mut |range| {
            let word = fold(&text[range]);
            likeness += usize::from(match &self.language {
                Some(language) => {
                    self.is_own_stop_word(&word) || (language.is_beyond_latin && letters_beyond_latin(&word) > 0)
                }
                None => is_stop_part(&word),
            });
        });
        likeness
    }

    /// Whether these are the English rules. Comparing whole rules would add code to every page.
    pub(crate) const fn is_english(&self) -> bool {
        self.language.is_none()
    }

    /// Whether the language writes several words as one.
    pub(crate) fn has_compounds(&self) -> bool {
        self.language.as_ref().is_some_and(|language| language.has_compounds)
    }

    /// Returns the tokens of `text` in the order in which they occur.
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        tokens(text, &|_| true, false, &mut |lower| self.term_and_stop(lower))
    }

    /// Returns the tokens of source code: those of other text, and the parts of names in mixed case, such as
    /// `SelectEditor`.
    pub fn code_tokens(&self, text: &str) -> Vec<Token> {
        tokens(text, &|_| true, true, &mut |lower| self.term_and_stop(lower))
    }

    /// Returns the tokens of text or source code whose term begins with a `wanted` character, in the order in which
    /// they occur. The other words are not stemmed, which saves most of the work. This works because English stems
    /// begin in the same way as their words. In other languages, all tokens are returned.
    pub(crate) fn tokens_that_begin(&self, text: &str, is_code: bool, wanted: Wanted<'_>) -> Vec<Token> {
        tokens(text, &|first| !self.is_english() || wanted(first), is_code, &mut |lower| self.term_and_stop(lower))
    }

    /// Returns the term of a lowercase word without parts, and whether the word is a stop word.
    fn term_and_stop(&self, lower: &str) -> (String, bool) {
        (self.term_of_lower(lower), self.is_stop_word(lower))
    }

    /// Returns the rules for a word. In a language with a different script, words in Latin letters are treated as
    /// English.
    fn rules_for(&self, lower: &str) -> Option<&Language> {
        let is_foreign = |language: &&Language| language.is_beyond_latin && letters_beyond_latin(lower) == 0;
        self.language.as_deref().filter(|language| !is_foreign(language))
    }

    fn is_stop_word(&self, lower: &str) -> bool {
        // Readers ask questions in English, whatever the language of the documentation.
        is_stop_part(lower) || self.is_own_stop_word(lower)
    }

    fn is_own_stop_word(&self, lower: &str) -> bool {
        self.language.as_ref().is_some_and(|language| has_word(&language.stop_words, lower))
    }

    /// Returns the term of a lowercase word without parts.
    fn term_of_lower(&self, lower: &str) -> String {
        let term = match self.rules_for(lower) {
            // The stemmer needs the accents, so they are removed afterwards.
            Some(language) => plain(&snowball::stem(&language.stemmer, lower)),
            None => snowball::stem(ENGLISH, &plain(lower)),
        };
        cut(&term).to_owned()
    }

    /// Returns the term of a word that has no parts.
    pub(crate) fn term_of(&self, word: &str) -> String {
        self.term_of_lower(&fold(word))
    }

    /// Returns the terms of the parts of a word in mixed case, such as `SelectEditor` or `HTMLElement`, or nothing if
    /// the word has only one part. This function is meant for queries. Source code is indexed by the same parts, but
    /// other text is not, because every mention of a name would then also count as a mention of each part.
    pub(crate) fn terms_of_mixed_case(&self, word: &str) -> Vec<String> {
        let mut terms = Vec::new();
        for_each_case_part(word, &mut |range| terms.push(self.term_of(&word[range])));
        if terms.len() > 1 { terms } else { Vec::new() }
    }
}

/// Finds the language of a text among several: the one that matches the requested BCP 47 tag, or else the one with the
/// most stop words in the text. Among equals, the first one wins.
#[derive(Debug, Default)]
pub(crate) struct Guess {
    pub analyzer: Analyzer,
    /// How much the text looks like this language, from 1.
    likeness: usize,
}

impl Guess {
    /// Compares the next language with the best one so far.
    pub(crate) fn consider(&mut self, text: &str, asked: Option<&str>, language: Arc<Language>) {
        let is_asked = asked.is_some_and(|asked| is_same_language(asked, &language.tag));
        let analyzer = Analyzer::of(language);
        let likeness = if is_asked { usize::MAX } else { 1 + analyzer.likeness(text) };
        if likeness > self.likeness {
            *self = Self { analyzer, likeness };
        }
    }
}

/// Whether two BCP 47 tags name the same language, regardless of their regions.
pub(crate) fn is_same_language(tag: &str, other: &str) -> bool {
    let subtag = |tag: &str| tag.find('-').unwrap_or(tag.len());
    tag[..subtag(tag)].eq_ignore_ascii_case(&other[..subtag(other)])
}

/// Caches the terms of words. A few words make up most of a text, and stemming is most of the work.
#[cfg(feature = "write")]
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownTerms {
    /// The rules for making terms.
    pub analyzer: Analyzer,
    terms: std::collections::HashMap<String, (String, bool), foldhash::fast::RandomState>,
}

#[cfg(feature = "write")]
impl KnownTerms {
    /// Returns an empty cache for terms that follow the rules of `analyzer`.
    pub(crate) fn by(analyzer: Analyzer) -> Self {
        Self { analyzer, ..Self::default() }
    }

    /// Returns the tokens of a text, which may be source code.
    pub(crate) fn tokens(&mut self, text: &str, is_code: bool) -> Vec<Token> {
        tokens(text, &|_| true, is_code, &mut |lower| self.term_of(lower))
    }

    fn term_of(&mut self, lower: &str) -> (String, bool) {
        if let Some(known) = self.terms.get(lower) {
            return known.clone();
        }
        let known = self.analyzer.term_and_stop(lower);
        self.terms.insert(lower.to_owned(), known.clone());
        known
    }
}

fn tokens(
    text: &str,
    wanted: Wanted<'_>,
    splits_case: bool,
    term_and_stop: &mut dyn FnMut(&str) -> (String, bool),
) -> Vec<Token> {
    let begins = |word: &str| word.chars().next().is_some_and(|first| wanted(first_of(first)));
    let mut tokens = Vec::new();
    let mut position = 0;
    for_each_word(text, &mut |range| {
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

/// Whether the capital letters of `word` divide it into several parts.
pub(crate) fn is_mixed_case(word: &str) -> bool {
    let mut parts = 0;
    for_each_case_part(word, &mut |_| parts += 1);
    parts > 1
}

/// Calls `visit` with the byte range of each part of a word in mixed case. `visit` is a `dyn` function because each
/// copy of this code would enlarge every page.
fn for_each_case_part(word: &str, visit: &mut dyn FnMut(std::ops::Range<usize>)) {
    // `char::is_uppercase` is not used, because its tables would enlarge every web page.
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

/// Returns the word in lower case. Both forms of the lowercase sigma become the same letter.
pub(crate) fn fold(word: &str) -> String {
    if word.is_ascii() { word.to_ascii_lowercase() } else { word.chars().map(fold_char).collect() }
}

/// Whether `c` is a letter, a digit or a combining accent.
fn is_of_part(c: char) -> bool {
    c.is_alphanumeric() || without_accent(c).is_none()
}

/// Removes the accents from a lowercase word.
pub(crate) fn plain(word: &str) -> String {
    word.chars().filter_map(without_accent).collect()
}

/// Returns the first character of the term of a word that begins with `c`.
fn first_of(c: char) -> char {
    let folded = fold_char(c);
    without_accent(folded).unwrap_or(folded)
}

fn fold_char(c: char) -> char {
    if c == 'ς' { 'σ' } else { lower_case(c) }
}

fn cut(term: &str) -> &str {
    &term[..term.floor_char_boundary(MAX_TERM_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(text: &str) -> Vec<String> {
        Analyzer::ENGLISH.tokens(text).into_iter().map(|token| token.term).collect()
    }

    #[test]
    fn words_are_stemmed_and_identifiers_kept_whole_and_in_parts() {
        assert_eq!(terms("Formatting Tabulator cells"), ["format", "tabul", "cell"]);
        assert_eq!(terms("add_filter"), ["add_filter", "add", "filter"]);
        assert_eq!(terms("std::vec"), ["std", "vec"]);
        assert_eq!(terms("C++ --dry-run .NET"), ["c++", "c", "--dry-run", "dri", "run", ".net", "net"]);
    }

    /// Creates a language whose stemmer removes an `e` at the end of words.
    fn language(tag: &str, stop_words: &[&str], is_beyond_latin: bool) -> Arc<Language> {
        use crate::analysis::snowball::op::{BACKWARDS, LEFT, REPLACE, RETURN, RIGHT, TEXT};
        let stemmer = vec![BACKWARDS, LEFT, TEXT, 1, b'e', RIGHT, REPLACE, 0, RETURN];
        let stop_words = stop_words.join(" ");
        Arc::new(Language { tag: tag.to_owned(), stemmer, stop_words, is_beyond_latin, has_compounds: false })
    }

    #[test]
    fn words_are_stemmed_by_the_rules_of_their_language_and_then_lose_accents() {
        let analyzer = Analyzer::of(language("xx", &["une"], false));
        let tokens = analyzer.tokens("une Rivière add_filtre");
        let terms: Vec<&str> = tokens.iter().map(|token| token.term.as_str()).collect();
        assert_eq!(terms, ["un", "rivier", "add_filtre", "add", "filtr"]);
        assert!(tokens[0].is_stop_word && !tokens[1].is_stop_word);
        // A language without rules uses the English rules.
        assert_eq!(Analyzer::of(Arc::new(Language::default())), Analyzer::ENGLISH);
    }

    #[test]
    fn words_in_latin_letters_among_others_are_of_english() {
        let analyzer = Analyzer::of(language("xx", &[], true));
        let terms: Vec<String> = analyzer.tokens("the commits как").into_iter().map(|token| token.term).collect();
        assert_eq!(terms, ["the", "commit", "как"]);
        assert!(analyzer.tokens("the commits")[0].is_stop_word);
    }

    #[test]
    fn a_text_is_in_the_language_that_is_asked_for_or_whose_stop_words_it_has() {
        let (english, french) =
            (Arc::new(Language { tag: "en".into(), ..Language::default() }), language("fr", &["le", "un"], false));
        let languages = [french.clone(), english];
        let of = |text, asked| {
            let mut guess = Guess::default();
            languages.iter().for_each(|language| guess.consider(text, asked, language.clone()));
            guess.analyzer
        };
        assert_eq!(of("le commit", None), Analyzer::of(french.clone()));
        assert_eq!(of("the commit", None), Analyzer::ENGLISH);
        assert_eq!(of("the commit", Some("fr-CA")), Analyzer::of(french.clone()));
        // Among equals, the first language wins. A requested language that is not available is ignored.
        assert_eq!(of("commit", Some("de")), Analyzer::of(french.clone()));
        assert_eq!(Analyzer::of_text("le commit", Vec::new()), Analyzer::ENGLISH);
    }

    #[test]
    fn ranges_point_at_the_words() {
        let text = "Über naïve_Wörter.";
        for token in Analyzer::ENGLISH.tokens(text) {
            assert!(text.get(token.range.clone()).is_some(), "{token:?}");
        }
        assert_eq!(
            Analyzer::ENGLISH.tokens("a b_c d").iter().map(|token| token.position).collect::<Vec<_>>(),
            [0, 1, 1, 2, 3]
        );
    }

    #[test]
    fn scripts_without_spaces_give_terms() {
        assert_eq!(terms("索引表"), ["索引", "引表"]);
    }

    #[test]
    fn mixed_case_has_parts() {
        assert_eq!(Analyzer::ENGLISH.terms_of_mixed_case("SelectEditors"), ["select", "editor"]);
        assert_eq!(Analyzer::ENGLISH.terms_of_mixed_case("parseHTMLElement"), ["pars", "html", "element"]);
        assert!(
            Analyzer::ENGLISH.terms_of_mixed_case("Tabulator").is_empty()
                && Analyzer::ENGLISH.terms_of_mixed_case("API").is_empty()
        );
    }

    #[test]
    fn names_in_source_code_are_found_whole_and_by_every_part() {
        let terms =
            |text: &str| Analyzer::ENGLISH.code_tokens(text).into_iter().map(|token| token.term).collect::<Vec<_>>();
        assert_eq!(terms("SelectEditors"), ["selecteditor", "select", "editor"]);
        assert_eq!(terms("self.parseHTML(x)"), ["self.parsehtml", "self", "parsehtml", "pars", "html", "x"]);
        assert_eq!(terms("MAX_LINE plain words"), ["max_line", "max", "line", "plain", "word"]);
        let positions: Vec<u32> =
            Analyzer::ENGLISH.code_tokens("a SelectEditor b").iter().map(|token| token.position).collect();
        assert_eq!(positions, [0, 1, 1, 2, 3]);
    }

    proptest! {
        /// A name is found in source code just as in other text.
        #[test]
        fn tokens_of_source_code_are_those_of_text_and_parts(text in "[a-cA-C_. ]{0,30}") {
            let code: Vec<String> = Analyzer::ENGLISH.code_tokens(&text).into_iter().map(|token| token.term).collect();
            for token in Analyzer::ENGLISH.tokens(&text) {
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
        /// The oracle creates all tokens and keeps the wanted ones.
        #[test]
        fn tokens_that_begin_are_those_of_all(text in "[a-eyγςΣÀ_.' A-C]{0,60}", first in "[a-eyγσà_]{1,2}") {
            let wanted = |c: char| first.contains(c);
            let all = Analyzer::ENGLISH.tokens(&text).into_iter().filter(|token| token.term.chars().next().is_some_and(wanted));
            let expected: Vec<_> = all.map(|token| (token.term, token.position, token.range)).collect();
            let some = Analyzer::ENGLISH.tokens_that_begin(&text, false, &wanted).into_iter();
            let found: Vec<_> = some.map(|token| (token.term, token.position, token.range)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn an_endless_word_is_cut() {
        assert_eq!(terms(&"é".repeat(500))[0].len(), MAX_TERM_BYTES);
    }
}
