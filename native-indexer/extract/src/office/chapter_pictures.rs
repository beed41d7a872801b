//! Puts the texts of pictures into the HTML of a chapter.

use super::pictures::{PictureText, PictureTexts};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A comment, the beginning or the end of a heading, or an image of HTML or SVG. Quoted values may contain `>`.
static PIECE: LazyLock<Regex> = LazyLock::new(|| {
    let tag = r#"(?:[^<>"']|"[^"]*"|'[^']*')*"#;
    let pieces = format!(
        r"(?is)<!--.*?-->|(?<open><h[1-6]\b{tag}>)|(?<close></h[1-6]\s*>)|(?<image><(?:img|(?:svg:)?image)\s{tag}>)"
    );
    Regex::new(&pieces).expect("a literal expression")
});
/// The address of an image.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)\s(?:src|href|xlink:href)\s*=\s*(?:"([^"]*)"|'([^']*)')"#).expect("a literal expression")
});

/// Returns the address of an image, if `piece` is an image.
fn address(piece: &Captures<'_>) -> Option<String> {
    let found = ADDRESS.captures(piece.name("image")?.as_str())?;
    let value = found.get(1).or_else(|| found.get(2))?.as_str();
    Some(value.replace("&amp;", "&"))
}

/// Returns the addresses of the images in a chapter, in order.
pub(super) fn places(chapter: &str) -> Vec<String> {
    PIECE.captures_iter(chapter).filter_map(|piece| address(&piece)).collect()
}

/// Returns the chapter with the text of each picture after its image, or after the heading that contains the image.
/// The browser's rules for HTML end the paragraph around the image there.
pub(super) fn with_texts(chapter: &str, texts: &mut PictureTexts) -> String {
    let mut out = String::new();
    let mut waiting = String::new();
    let (mut end, mut is_heading) = (0, false);
    for piece in PIECE.captures_iter(chapter) {
        let whole = piece.get(0).expect("the whole match").range();
        is_heading = piece.name("open").is_some() || is_heading && piece.name("close").is_none();
        if let Some(text) = address(&piece).and_then(|place| texts.take(&place)) {
            waiting.push_str(&html(&text));
        }
        if !is_heading && !waiting.is_empty() {
            out.push_str(&chapter[end..whole.end]);
            out.push_str(&std::mem::take(&mut waiting));
            end = whole.end;
        }
    }
    out.push_str(&chapter[end..]);
    out.push_str(&waiting);
    out
}

fn html(text: &PictureText) -> String {
    text.blocks().map(|block| format!("<p>{}</p>", escaped(block))).collect()
}

/// Returns `text` with references to its characters that are markup in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn images_are_found_in_any_notation() {
        let chapter = r#"<!-- <img src="no.png"> --><img alt="File > Save" src="a&amp;b.png"/><IMG src='x'>
            <img data-src="x.png" src="y.png"><svg:image xlink:href="z.png"/><imgs src="no"><img alt="none">"#;
        assert_eq!(places(chapter), ["a&b.png", "x", "y.png", "z.png"]);
    }

    proptest! {
        #[test]
        fn a_chapter_without_texts_stays_as_it_is(parts in prop::collection::vec(prop::sample::select(vec![
            "<h1>", "</h1>", "<img src=\"a\">", "<img src='", "\"", "'", ">", "<!--", "-->", "text é", "<image href=\"b\"/>",
        ]), 0..20)) {
            let chapter = parts.concat();
            prop_assert_eq!(with_texts(&chapter, &mut PictureTexts::default()), chapter);
        }
    }
}
