//! A page as lines.

use super::lines::Line;

/// One page.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub lines: Vec<Line>,
    pub height: f32,
    /// Whether a picture is most of it and text nothing.
    pub is_picture: bool,
}
