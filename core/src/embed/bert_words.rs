//! Splits text into words as BERT does: cleans the text, separates CJK characters, strips accents, converts to lower
//! case, and splits at white space and around punctuation.
//!
//! The result is the same as that of the `tokenizers` crate, so this module uses the same Unicode tables, although they
//! are old.

pub use crate::format::vocabulary::NormalizerOptions;
use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

/// Calls `visit` for each word of normalized text. Each punctuation character is a separate word.
pub fn split_words<'a>(normalized: &'a str, mut visit: impl FnMut(&'a str)) {
    let mut visit = |word: &'a str| {
        if !word.is_empty() {
            visit(word);
        }
    };
    for word in normalized.split(char::is_whitespace) {
        let mut start = 0;
        for (at, c) in word.char_indices() {
            if is_punctuation(c) {
                visit(&word[start..at]);
                start = at + c.len_utf8();
                visit(&word[at..start]);
            }
        }
        visit(&word[start..]);
    }
}

/// Returns `text` in normalization form D.
pub fn decomposed(text: &str) -> String {
    text.nfd().map(|(c, _)| c).collect()
}

/// Normalizes `text`.
pub fn normalize(text: &str, options: &NormalizerOptions) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if options.clean_text {
            if c == '\0' || c == '\u{fffd}' || is_control(c) {
                continue;
            }
            if c.is_whitespace() {
                out.push(' ');
                continue;
            }
        }
        if options.split_cjk && is_cjk(c) {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    if options.strip_accents && !out.is_ascii() {
        out = out.nfd().map(|(c, _)| c).filter(|c| !c.is_mark_nonspacing()).collect();
    }
    if options.lowercase && out.is_ascii() {
        out.make_ascii_lowercase();
    } else if options.lowercase {
        // The text is converted character by character, because BERT lacks the rule of `str::to_lowercase` for a sigma
        // at the end of a word.
        out = out.chars().flat_map(char::to_lowercase).collect();
    }
    out
}

fn is_control(c: char) -> bool {
    // Lookups in tables are slow, and nearly all text is ASCII.
    if c.is_ascii() { c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r') } else { c.is_other() }
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || (!c.is_ascii() && c.is_punctuation())
}

/// Whether `c` is in one of BERT's CJK ranges, including their gap.
fn is_cjk(c: char) -> bool {
    matches!(
        u32::from(c),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x2_0000..=0x2_A6DF
            | 0x2_A700..=0x2_B73F
            | 0x2_B740..=0x2_B81F
            | 0x2_B920..=0x2_CEAF
            | 0xF900..=0xFAFF
            | 0x2_F800..=0x2_FA1F
    )
}
