//! Distinguishes Latin from other scripts, because many encoders know only words in Latin letters.

/// Counts the letters in `text` that belong to a script other than Latin.
pub(crate) fn letters_beyond_latin(text: &str) -> usize {
    // The gaps are U+1E00 to U+1EFF (Latin letters such as those of Vietnamese) and signs that all languages use.
    let beyond = |c: &char| matches!(c, '\u{370}'..='\u{1dff}' | '\u{1f00}'..='\u{1fff}' | '\u{2c00}'..='\u{ffdc}');
    text.chars().filter(beyond).count()
}

#[cfg(test)]
mod tests {
    use super::letters_beyond_latin;

    #[test]
    fn letters_of_other_scripts_are_counted() {
        for latin in ["", "?!…", "how do I undo a commit", "Straße, naïve, Łódź", "Tiếng Việt ở đây", "10 µs"]
        {
            assert_eq!(letters_beyond_latin(latin), 0, "{latin}");
        }
        for (text, letters) in [
            ("FastAPIの依存関係", 5),
            ("как отменить", 11),
            ("커밋 취소", 4),
            ("چطور", 4),
            ("Ελλάδα", 6),
            ("the λ of an exponential", 1),
        ] {
            assert_eq!(letters_beyond_latin(text), letters, "{text}");
        }
    }
}
