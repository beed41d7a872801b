//! Applies the replacement text that producers declare for glyphs.

use super::glyph::{Glyph, MAX_GLYPHS};

/// Replaces the glyphs from `first` on with `actual`, distributed along the line that the glyphs covered.
pub(super) fn replace(glyphs: &mut Vec<Glyph>, first: usize, actual: &str) {
    let (Some(start), Some(end)) = (glyphs.get(first).copied(), glyphs.last().copied()) else { return };
    let count = actual.chars().count();
    // If the glyphs cover several lines, the positions of words are unknown.
    if count == 0 || (start.y - end.y).abs() > start.size / 2.0 || start.turn != end.turn {
        return;
    }
    let step = (end.end - start.x) / count as f32;
    let place = |number: usize| start.x + step * number as f32;
    let replaced = actual.chars().enumerate().map(|(number, c)| Glyph {
        c,
        x: place(number),
        end: place(number + 1),
        is_joined: false,
        ..start
    });
    let replaced: Vec<Glyph> = replaced.collect();
    glyphs.truncate(first);
    glyphs.extend(replaced);
    glyphs.truncate(MAX_GLYPHS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_replacement_texts_are_limited_to_the_glyphs_of_a_page() {
        let glyph = Glyph {
            c: 'x',
            x: 0.0,
            end: 5.0,
            y: 10.0,
            size: 10.0,
            is_bold: false,
            turn: 0,
            is_placed: true,
            is_joined: false,
            is_artifact: false,
            content: None,
        };
        let mut glyphs = Vec::new();
        for _ in 0..100 {
            let first = glyphs.len();
            glyphs.push(glyph);
            replace(&mut glyphs, first, &"otter ".repeat(1_000));
            assert!(glyphs.len() <= MAX_GLYPHS);
        }
        let text: String = glyphs.iter().take(6).map(|glyph| glyph.c).collect();
        assert_eq!((text.as_str(), glyphs.len()), ("otter ", MAX_GLYPHS));
    }
}
