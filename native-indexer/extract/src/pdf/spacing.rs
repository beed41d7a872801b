//! What the gaps between glyphs are: nothing, spaces, or columns.

use super::glyph::Glyph;

/// A larger gap parts columns of a table.
pub(super) const COLUMN: f32 = 2.0;
/// A larger gap may part cells.
pub(super) const PIECE: f32 = 0.8;
/// A larger gap is a space.
pub(super) const SPACE: f32 = 0.17;

/// What a gap of this width is, where fonts are so high and more than `space` of that is a space.
pub(super) fn gap(width: f32, size: f32, space: f32) -> &'static str {
    if width > COLUMN * size {
        "\t"
    } else if width > space * size {
        " "
    } else {
        ""
    }
}

/// The share of the font's height above which a gap is a space: more where letters are spaced out.
pub(super) fn space_width(glyphs: &[Glyph]) -> f32 {
    let shown: Vec<&Glyph> = glyphs.iter().filter(|glyph| !glyph.is_joined).collect();
    let mut gaps: Vec<f32> = shown
        .windows(2)
        .filter(|pair| !pair[0].c.is_whitespace() && !pair[1].c.is_whitespace())
        .map(|pair| (pair[1].x - pair[0].end) / pair[0].size.min(pair[1].size))
        .collect();
    if gaps.len() < 4 {
        return SPACE;
    }
    gaps.sort_by(f32::total_cmp);
    // A third of the gaps being small, letters are not spaced out.
    SPACE + gaps[gaps.len() / 3].clamp(0.0, 1.0)
}
