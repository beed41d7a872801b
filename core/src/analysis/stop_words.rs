//! English words that are too frequent to help ranking. They are indexed so that phrases can be found. Queries drop
//! them, because their long posting lists would cost bytes and gain nothing.

/// Function words, and the question words of how-to queries. They are a single string, because a pointer to each word
/// would enlarge every page.
const STOP_WORDS: &str = "a about am an and any are as at be been but by can could did do does for from had has have how i if in \
    into is it its me my of on or our should so than that the their them then there these they this to was we were what when \
    where which who why will with would you your";

/// Parts of words, such as the `t` in `don't`, that mean no more than a stop word does.
const STOP_PARTS: &str = "s t don ll ve re";

/// Whether `wanted` is one of `words`, which are separated by spaces.
pub(crate) fn has_word(words: &str, wanted: &str) -> bool {
    words.split_ascii_whitespace().any(|word| word == wanted)
}

/// Whether the lowercase `word` is a stop word.
pub fn is_stop_word(word: &str) -> bool {
    has_word(STOP_WORDS, word)
}

/// Whether the lowercase `part` of a word is a stop word or a meaningless part.
pub(crate) fn is_stop_part(part: &str) -> bool {
    is_stop_word(part) || has_word(STOP_PARTS, part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_count() {
        assert!(["a", "how", "your"].into_iter().all(is_stop_word));
        assert!(!["", "borrow", "ho", "how i", "t"].into_iter().any(is_stop_word));
        assert!(is_stop_part("t") && is_stop_part("how"));
    }
}
