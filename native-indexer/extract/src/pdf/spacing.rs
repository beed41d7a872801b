//! Decides whether a gap between glyphs is nothing, a space, or a gap between columns.

use super::glyph::Glyph;

/// Minimum gap between columns of a table, in multiples of the font size.
pub(super) const COLUMN: f32 = 2.0;
/// Minimum gap between cells.
pub(super) const PIECE: f32 = 0.8;
/// Minimum gap that is a space.
pub(super) const SPACE: f32 = 0.17;

/// Returns the text for a gap of `width` at font size `size`. A gap above `space` times the font size is a space.
pub(super) fn gap(width: f32, size: f32, space: f32) -> &'static str {
    if width > COLUMN * size {
        "\t"
    } else if width > space * size {
        " "
    } else {
        ""
    }
}

/// Returns the minimum gap that is a space, in multiples of the font size. It is larger if the text is letter-spaced.
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
    // If a third of the gaps are small, the text is not letter-spaced.
    SPACE + gaps[gaps.len() / 3].clamp(0.0, 1.0)
}
