//! A character on a page.

/// Maximum number of glyphs on a page. Pages with more glyphs are drawings.
pub(super) const MAX_GLYPHS: usize = 300_000;

/// A character and its position, in points from the top left of the displayed page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Glyph {
    pub c: char,
    /// Start along the line.
    pub x: f32,
    /// Start of the next glyph.
    pub end: f32,
    /// Baseline.
    pub y: f32,
    /// Font size.
    pub size: f32,
    pub is_bold: bool,
    /// Clockwise rotation of the glyph's line in degrees.
    pub turn: i16,
    /// Whether the glyph has an explicit position, rather than following the previous glyph.
    pub is_placed: bool,
    /// Whether the glyph belongs to the previous character.
    pub is_joined: bool,
    /// Whether the producer marked the glyph as an artifact, such as part of a header or a page number.
    pub is_artifact: bool,
    /// Identifier of the glyph's marked content.
    pub content: Option<i32>,
}
