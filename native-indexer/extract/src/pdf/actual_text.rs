//! What producers say that a stretch of glyphs shows.

use super::glyph::Glyph;

/// Puts `actual` in place of the glyphs from `first` on, along the line they took.
pub(super) fn replace(glyphs: &mut Vec<Glyph>, first: usize, actual: &str) {
    let (Some(start), Some(end)) = (glyphs.get(first).copied(), glyphs.last().copied()) else { return };
    let count = actual.chars().count();
    // Over several lines nobody knows which word is where.
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
}
