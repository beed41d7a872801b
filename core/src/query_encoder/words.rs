use crate::analysis::lower_case;
use crate::embed::bert_words::NormalizerOptions;

/// Longer words are not looked up: nobody types them.
const MAX_WORD: usize = 64;

/// The words of a query as the table knows them: runs of letters and digits, and every other character that is not white
/// space alone.
///
/// The same as BERT's words but for rare symbols, without BERT's tables of Unicode, which are larger than the rest of a
/// page's module. Accents are dropped where `text` is in normalization form D: hosts bring it so.
pub fn words_of(text: &str, options: NormalizerOptions) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut flush = |word: &mut String| {
        let done = std::mem::take(word);
        if !done.is_empty() && done.len() <= MAX_WORD {
            words.push(done);
        }
    };
    for c in text.chars() {
        if options.strip_accents && is_accent(c) {
            continue;
        }
        if c.is_alphanumeric() {
            word.push(if options.lowercase { lower_case(c) } else { c });
        } else {
            flush(&mut word);
            if !c.is_whitespace() && !c.is_control() {
                word.push(c);
                flush(&mut word);
            }
        }
    }
    flush(&mut word);
    words
}

/// Combining marks of European scripts.
const fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
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
    fn endless_words_are_left_out() {
        assert_eq!(words_of(&format!("a {} b", "x".repeat(99)), NormalizerOptions::UNCASED), ["a", "b"]);
    }
}
