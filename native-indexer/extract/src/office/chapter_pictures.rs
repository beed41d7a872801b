//! Puts the texts of pictures into the HTML of a chapter.

use super::pictures::PictureTexts;
use regex::Regex;
use std::sync::LazyLock;

/// An image of HTML or SVG, and its address.
static IMAGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"<(?:img|(?:svg:)?image)\s[^<>]*?(?:src|href)\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')[^<>]*>"#)
        .expect("a literal expression")
});

/// Returns the addresses of the images in a chapter, in order.
pub(super) fn places(chapter: &str) -> impl Iterator<Item = &str> {
    IMAGE.captures_iter(chapter).filter_map(|found| Some(found.get(1).or_else(|| found.get(2))?.as_str()))
}

/// Returns the chapter with the text of each picture after its image. The browser's rules for HTML end the paragraph
/// around the image there.
pub(super) fn with_texts(chapter: &str, texts: &mut PictureTexts) -> String {
    let mut out = String::new();
    let mut end = 0;
    for found in IMAGE.captures_iter(chapter) {
        let whole = found.get(0).expect("the whole match").range();
        let Some(text) = found.get(1).or_else(|| found.get(2)).and_then(|place| texts.take(place.as_str())) else {
            continue;
        };
        out.push_str(&chapter[end..whole.end]);
        for block in text.blocks() {
            out.push_str(&format!("<p>{}</p>", escaped(block)));
        }
        end = whole.end;
    }
    out.push_str(&chapter[end..]);
    out
}

/// Returns `text` with references to its characters that are markup in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
