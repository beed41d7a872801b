//! A page as a list of lines.

use super::annotations::Comment;
use super::lines::Line;

/// A page.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub lines: Vec<Line>,
    pub height: f32,
    /// Whether OCR read the page or a part of it.
    pub is_recognized: bool,
    /// Readers' comments that the page's text does not contain.
    pub comments: Vec<Comment>,
}

impl Page {
    /// Adds `comments`, except those that only repeat the page's text. Viewers often copy highlighted text into the
    /// comment.
    pub(super) fn add_comments(&mut self, mut comments: Vec<Comment>) {
        if comments.is_empty() {
            return;
        }
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let said: String = self.lines.iter().map(|line| -> String { letters(&line.text) }).collect();
        comments.retain(|comment| {
            let own: String = letters(&comment.text);
            !own.is_empty() && !said.contains(&own)
        });
        self.comments = comments;
    }
}
