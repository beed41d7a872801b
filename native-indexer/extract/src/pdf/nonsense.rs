//! Recognizes wrong text layers, whose letters do not form words because a font maps glyphs to the wrong characters.

use super::lines::Line;

/// Minimum number of characters on a page for a decision.
const MIN_CHARS: usize = 200;
/// Characters that draw lines and leaders. They are not counted.
const LEADERS: &str = ".·…_-–—=*|•";
/// Minimum share of letters and digits in text.
const MIN_LETTERS: f64 = 0.4;
/// Minimum length in characters of a counted word. Shorter words may be abbreviations.
const MIN_WORD_CHARS: usize = 4;
/// Minimum share of vowels in words with Latin letters. The share is 35 to 50 % in European languages, 30 % in source
/// code, and about 15 % if each letter is shifted by three.
const MIN_VOWELS: f64 = 0.22;

/// Whether the text of a page is wrong, because it contains too few letters or too few vowels.
pub(super) fn makes_no_words(lines: &[Line]) -> bool {
    let (mut chars, mut letters_and_digits) = (0, 0);
    let (mut letters, mut vowels) = (0, 0);
    for word in lines.iter().flat_map(|line| line.text.split_whitespace()) {
        let told = || word.chars().filter(|c| !LEADERS.contains(*c));
        chars += told().count();
        letters_and_digits += told().filter(|c| c.is_alphanumeric()).count();
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_latin = inner.chars().all(|c| c.is_alphabetic() && c < '\u{250}');
        if is_latin && inner.chars().count() >= MIN_WORD_CHARS {
            letters += inner.chars().count();
            // Most letters with accents are vowels.
            vowels += inner.chars().filter(|c| !c.is_ascii() || "aeiouyAEIOUY".contains(*c)).count();
        }
    }
    let is_less = |part: usize, all: usize, share: f64| all >= MIN_CHARS && (part as f64) < all as f64 * share;
    is_less(letters_and_digits, chars, MIN_LETTERS) || is_less(vowels, letters, MIN_VOWELS)
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::lines::tests::glyphs;
    use super::*;

    fn is_nonsense(text: &str) -> bool {
        let lines: Vec<Line> =
            text.lines().enumerate().flat_map(|(at, line)| lines(&glyphs(line, 0.0, 12.0 * at as f32, 10.0))).collect();
        makes_no_words(&lines)
    }

    const TEXT: &str = "Everyone is permitted to copy and distribute verbatim copies of this license document,\nbut changing it is not allowed. The licenses for most software are designed to take away your freedom\nto share and change it. By contrast, this text is intended to guarantee that freedom: version 3 of 2007.\n";

    #[test]
    fn languages_code_and_tables_of_contents_make_words() {
        let czech = "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem\na svědomím a mají spolu jednat v duchu bratrství. Každý má všechna práva a všechny svobody, stanovené\ntouto deklarací, bez jakéhokoli rozlišování, zejména podle rasy, barvy, pohlaví, jazyka, náboženství.\n";
        let code = "static inline int strncmp_ptr(const char *src, size_t len) { return cfg->ptr[len] != src[0]; }\n"
            .repeat(4);
        let contents =
            "1.2 Scope of the work .......................................................... 12\n".repeat(8);
        for text in [TEXT, czech, &code, &contents, "7 12 19 44\n3 18 21 90\n", &"2024-01-02 17.5 %\n".repeat(40)] {
            assert!(!is_nonsense(text), "{text}");
        }
    }

    #[test]
    fn shifted_letters_and_signs_make_none() {
        let shifted = |by: u8| -> String {
            let shift = |c: char, first: u8| char::from((c as u8 - first + by) % 26 + first);
            TEXT.chars()
                .map(|c| match c {
                    'a'..='z' => shift(c, b'a'),
                    'A'..='Z' => shift(c, b'A'),
                    c => c,
                })
                .collect()
        };
        assert!(is_nonsense(&shifted(3).repeat(2)));
        let signs: String =
            TEXT.chars().map(|c| if c.is_alphabetic() { char::from(b'!' + (c as u8 % 14)) } else { c }).collect();
        assert!(is_nonsense(&signs.repeat(2)), "{signs}");
        assert!(!is_nonsense("#$%& !\"#"), "a few signs tell nothing");
    }
}
