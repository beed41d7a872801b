//! Removes accents from letters, so that `memoire` finds `mémoire`. The table of runs is a hundredth of the size of
//! Unicode's table.

/// The first and last letter of each run, and the plain letter that replaces the letters in the run. All are lowercase.
#[rustfmt::skip]
const RUNS: &[(u16, u16, char)] = &[
    (0xE0, 0xE5, 'a'), (0xE7, 0xE7, 'c'), (0xE8, 0xEB, 'e'), (0xEC, 0xEF, 'i'), (0xF1, 0xF1, 'n'), (0xF2, 0xF6, 'o'),
    (0xF8, 0xF8, 'o'), (0xF9, 0xFC, 'u'), (0xFD, 0xFD, 'y'), (0xFF, 0xFF, 'y'), (0x101, 0x105, 'a'),
    (0x107, 0x10D, 'c'), (0x10F, 0x111, 'd'), (0x113, 0x11B, 'e'), (0x11D, 0x123, 'g'), (0x125, 0x127, 'h'),
    (0x129, 0x131, 'i'), (0x135, 0x135, 'j'), (0x137, 0x137, 'k'), (0x13A, 0x142, 'l'), (0x144, 0x148, 'n'),
    (0x14D, 0x151, 'o'), (0x155, 0x159, 'r'), (0x15B, 0x161, 's'), (0x163, 0x167, 't'), (0x169, 0x173, 'u'),
    (0x175, 0x175, 'w'), (0x177, 0x177, 'y'), (0x17A, 0x17E, 'z'), (0x1A1, 0x1A1, 'o'), (0x1B0, 0x1B0, 'u'),
    (0x1CE, 0x1CE, 'a'), (0x1D0, 0x1D0, 'i'), (0x1D2, 0x1D2, 'o'), (0x1D4, 0x1DC, 'u'), (0x219, 0x219, 's'),
    (0x21B, 0x21B, 't'), (0x390, 0x390, 'ι'), (0x3AC, 0x3AC, 'α'), (0x3AD, 0x3AD, 'ε'), (0x3AE, 0x3AE, 'η'),
    (0x3AF, 0x3AF, 'ι'), (0x3B0, 0x3B0, 'υ'), (0x3CA, 0x3CA, 'ι'), (0x3CB, 0x3CB, 'υ'), (0x3CC, 0x3CC, 'ο'),
    (0x3CD, 0x3CD, 'υ'), (0x3CE, 0x3CE, 'ω'), (0x451, 0x451, 'е'), (0x1EA1, 0x1EB7, 'a'), (0x1EB9, 0x1EC7, 'e'),
    (0x1EC9, 0x1ECB, 'i'), (0x1ECD, 0x1EE3, 'o'), (0x1EE5, 0x1EF1, 'u'), (0x1EF3, 0x1EF9, 'y'),
];

/// Returns the lowercase letter `c` without its accent, or `None` if `c` is a combining accent.
pub(crate) fn without_accent(c: char) -> Option<char> {
    if c < '\u{e0}' {
        return Some(c);
    }
    // Vowel points in Hebrew and Arabic are written for learners, and a tatweel only stretches a word.
    if matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}'..='\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}')
    {
        return None;
    }
    let code = u32::from(c);
    let run = RUNS.partition_point(|run| u32::from(run.1) < code);
    Some(RUNS.get(run).filter(|run| u32::from(run.0) <= code).map_or(c, |run| run.2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization_alignments::UnicodeNormalization as _;

    /// Returns the base letter in Unicode's decomposition of `c`.
    fn taken_apart(c: char) -> char {
        c.to_string().nfd().map(|(c, _)| c).next().unwrap_or(c)
    }

    #[test]
    fn it_is_what_unicode_takes_letters_apart_into() {
        // Unicode does not treat strokes and some dots as marks.
        let strokes = "øđħıłŀŧ";
        for c in ('\u{e0}'..'\u{250}').chain('\u{1ea0}'..'\u{1efa}').filter(|c| c.is_lowercase()) {
            let plain = without_accent(c).unwrap();
            if plain != c && !strokes.contains(c) {
                assert_eq!(plain, taken_apart(c), "{c} {:x}", u32::from(c));
            }
        }
        for c in "àéîõüçñšžřůąęłőăşțđαέ".chars() {
            assert!(without_accent(c).unwrap().is_ascii() || c > '\u{370}', "{c}");
        }
        assert_eq!(without_accent('\u{301}'), None);
        assert_eq!("שָׁלוֹם مُحَمَّد".chars().filter_map(without_accent).collect::<String>(), "שלום محمد");
        // `й` is a separate letter, not an `и` with a mark.
        assert_eq!(without_accent('й'), Some('й'));
    }

    #[test]
    fn runs_are_in_order() {
        assert!(RUNS.is_sorted_by(|a, b| a.1 < b.0) && RUNS.iter().all(|run| run.0 <= run.1));
    }
}
