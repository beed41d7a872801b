//! A character on a page.

/// More glyphs of a page are a drawing.
pub(super) const MAX_GLYPHS: usize = 300_000;

/// A character and where it is, in points from the top left of the page as it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Glyph {
    pub c: char,
    /// Where it begins, along the line.
    pub x: f32,
    /// Where the next begins.
    pub end: f32,
    /// Its baseline.
    pub y: f32,
    /// The height of its font.
    pub size: f32,
    pub is_bold: bool,
    /// How far its line is turned clockwise, in degrees.
    pub turn: i16,
    /// Whether it was put where it is, instead of after the one before it.
    pub is_placed: bool,
    /// Whether it belongs to the character before it.
    pub is_joined: bool,
    /// Whether the producer calls it no content: a header, a folio.
    pub is_artifact: bool,
    /// The number of its marked content.
    pub content: Option<i32>,
}
