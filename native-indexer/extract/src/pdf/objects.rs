//! Strings of PDF as text.

use crate::plain_text::decode;

/// The text of a string: UTF-16 or UTF-8 with a mark, else what is nearly windows-1252.
pub(super) fn text(bytes: &[u8]) -> String {
    let text: String = decode(bytes).chars().filter(|c| !c.is_control() || c.is_whitespace()).collect();
    // A language may be named inside of a string, between escapes.
    text.replace('\u{1b}', "")
}
