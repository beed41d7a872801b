use crate::analysis::{is_mark, lower_case, stands_alone, without_accent};
use crate::embed::bert_words::NormalizerOptions;

/// Maximum length of a word in bytes. Otherwise, a question in a script without spaces would be a single word.
const MAX_WORD: usize = 60;

/// Splits a query into words of the table. A word is a run of letters, marks and digits, or any other single character
/// that is not white space.
///
/// The words are the same as BERT's, except for rare symbols. BERT's Unicode tables are not used, because they are
/// larger than the rest of a page's module. Accents are dropped if `text` is in normalization form D, which hosts
/// provide.
pub fn words_of(text: &str, options: NormalizerOptions) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut flush = |word: &mut String| {
        let done = std::mem::take(word);
        if !done.is_empty() {
            words.push(done);
        }
    };
    for c in text.chars() {
        if options.strip_accents && without_accent(c).is_none() {
            continue;
        }
        if c.is_alphanumeric() || is_mark(c) || stands_alone(c) {
            if word.len() > MAX_WORD {
                flush(&mut word);
            }
            word.push(if options.lowercase { lower_case(c) } else { c });
        } else {
            flush(&mut word);
            if !c.is_whitespace() {
                word.push(c);
                flush(&mut word);
            }
        }
    }
    flush(&mut word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::bert_words::{normalize, split_words};
    use proptest::prelude::*;
    use unicode_normalization_alignments::UnicodeNormalization;

    proptest! {
        #[test]
        fn they_are_the_words_of_bert(text in "[a-zA-Z0-9éüñçàÅЖд .,:;!?_#$()'\"/-]{0,60}") {
            let mut expected = Vec::new();
            split_words(&normalize(&text, &NormalizerOptions::UNCASED), |word| expected.push(word.to_owned()));
            let decomposed: String = text.nfd().map(|(c, _)| c).collect();
            prop_assert_eq!(words_of(&decomposed, NormalizerOptions::UNCASED), expected);
        }
    }

    #[test]
    fn marks_do_not_end_words_and_long_runs_without_spaces_are_cut() {
        let decomposed = |text: &str| text.nfd().map(|(c, _)| c).collect::<String>();
        let words = |text: &str| words_of(&decomposed(text), NormalizerOptions::UNCASED);
        for word in ["ガイド", "ที่", "क्या"] {
            assert_eq!(words(word), [decomposed(word)], "{word} is one word");
        }
        let cut = words(&"漢".repeat(50));
        assert_eq!(cut.concat(), "漢".repeat(50));
        assert!(cut.iter().all(|word| word.len() <= MAX_WORD + 3));
    }
}
