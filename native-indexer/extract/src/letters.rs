//! Normalizes letters: composes them, as in nearly all text, and removes invisible characters inside words.
//!
//! Only canonical equivalents are unified. Ligatures and full-width letters belong to a page's text. They are folded
//! where words become terms.

use crate::extracted::Extracted;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// Composes the letters of a document, and removes invisible characters.
pub(super) fn compose(extracted: &mut Extracted) {
    for line in [&mut extracted.title, &mut extracted.description] {
        if let Some(composed) = composed(line) {
            *line = composed;
        }
    }
    for heading in &mut extracted.headings {
        if let Some(composed) = composed(&heading.title) {
            heading.title = composed;
        }
    }
    if is_composed(&extracted.text) {
        return;
    }
    let mut places: Vec<usize> = Vec::new();
    places.extend(extracted.headings.iter().map(|heading| heading.at));
    places.extend(&extracted.blocks);
    places.extend(extracted.marks.iter().map(|mark| mark.at));
    places.sort_unstable();
    places.dedup();
    // Normalizes only the text between two positions at a time, so that all positions can be adjusted.
    let mut text = String::with_capacity(extracted.text.len());
    let mut moved = Vec::with_capacity(places.len());
    let mut at = 0;
    for place in &places {
        text.push_str(&of_text(&extracted.text[at..*place]));
        moved.push(text.len());
        at = *place;
    }
    text.push_str(&of_text(&extracted.text[at..]));
    let now = |place: usize| places.binary_search(&place).map_or(place, |index| moved[index]);
    extracted.headings.iter_mut().for_each(|heading| heading.at = now(heading.at));
    extracted.blocks.iter_mut().for_each(|block| *block = now(*block));
    extracted.marks.iter_mut().for_each(|mark| mark.at = now(mark.at));
    extracted.text = text;
}

/// Returns `text` with composed letters and without invisible characters, or `None` if this does not change the text.
pub fn composed(text: &str) -> Option<String> {
    (!is_composed(text)).then(|| of_text(text))
}

fn is_composed(text: &str) -> bool {
    text.is_ascii() || (is_nfc_quick(text.chars()) == IsNormalized::Yes && !text.contains(may_be_invisible))
}

fn of_text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if !is_invisible(c, shown.chars().next_back(), rest.peek().copied()) {
            shown.push(c);
        }
    }
    shown.nfc().collect()
}

/// Whether [`is_invisible`] may be true for `c`.
const fn may_be_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e01ef}')
}

/// Whether `c` is invisible between its neighbors. This includes soft hyphens and zero-width spaces, directional marks
/// inside words, and tags. Joiners are kept in scripts that join letters and in emoji sequences, and variation
/// selectors are kept after emoji.
fn is_invisible(c: char, before: Option<char>, after: Option<char>) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '\u{200c}' | '\u{200d}' => [before, after].into_iter().flatten().any(|c| c.is_alphanumeric() && c < '\u{530}'),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => is_letter(before) && is_letter(after),
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
            is_letter(before) && !before.is_some_and(|c| c.is_ascii_digit())
        }
        c => may_be_invisible(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extracted::{Heading, Mark};
    use proptest::prelude::*;

    #[test]
    fn letters_are_composed_and_invisible_characters_are_removed() {
        let shown = |text: &str| composed(text).unwrap_or_else(|| text.to_owned());
        assert_eq!(shown("Ge\u{ad}samt\u{ad}kon\u{ad}zept"), "Gesamtkonzept");
        assert_eq!(shown("name\u{200b}space na\u{2060}me na\u{200d}me \u{feff}x"), "namespace name name x");
        assert_eq!(shown("настрои\u{306}ки \u{1100}\u{1161} バックアップ"), "настройки 가 バックアップ");
        assert_eq!(shown("バックアッフ\u{309a}"), "バックアップ");
        // Characters with a meaning stay.
        for text in ["می\u{200c}خواهم", "👩\u{200d}💻 1\u{fe0f}\u{20e3} ⚙\u{fe0f}", "ﬁ Ａ ß", "क्\u{200d}ष"]
        {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown("a\u{e0041}\u{e0042}b"), "ab", "tags");
    }

    proptest! {
        #[test]
        fn places_stay_before_the_same_text(text in "[ab\u{ad}\u{301}\u{200b}é
    ]{0,40}", places in prop::collection::vec(0usize..40, 0..6)) {
            let mut blocks: Vec<usize> = places.iter().map(|&at| text.floor_char_boundary(at.min(text.len()))).collect();
            blocks.sort_unstable();
            let heading = |at: &usize| Heading { at: *at, level: 1, title: String::new(), anchor: String::new() };
            let mark = |at: &usize| Mark { at: *at, anchor: String::new(), label: String::new(), context: String::new() };
            let mut extracted = Extracted {
                text: text.clone(), blocks: blocks.clone(), headings: blocks.iter().map(heading).collect(),
                marks: blocks.iter().map(mark).collect(), ..Extracted::default()
            };
            compose(&mut extracted);
            prop_assert!(extracted.blocks.is_sorted());
            let at: Vec<usize> = extracted.headings.iter().map(|heading| heading.at).collect();
            prop_assert_eq!(&at, &extracted.blocks);
            for (was, now) in blocks.iter().zip(&extracted.blocks) {
                prop_assert!(extracted.text.is_char_boundary(*now));
                prop_assert!(of_text(&text[..*was]).len() >= *now || *now <= extracted.text.len());
            }
            let is_clean = !extracted.text.contains(['\u{ad}', '\u{200b}']);
            prop_assert!(is_clean);
        }
    }
}
