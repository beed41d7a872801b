//! HTML tags inside lightweight markup, such as wiki text.

/// Names of the tags that are kept as HTML. All other tags are text.
const KNOWN: [&str; 58] = [
    "a",
    "abbr",
    "b",
    "big",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "bdi",
    "rp",
    "rt",
];

/// A tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// The tag's name in lower case.
    pub name: String,
    /// The whole tag.
    pub whole: &'a str,
}

/// Returns the tag at the beginning of `text`.
pub(super) fn tag(text: &str) -> Option<Tag<'_>> {
    let inside = text.strip_prefix('<')?;
    let name_at = inside.strip_prefix('/').unwrap_or(inside);
    let length = name_at.bytes().take_while(u8::is_ascii_alphanumeric).count();
    if !name_at.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let after = &name_at[length..];
    if !after.starts_with(|c: char| c.is_whitespace() || matches!(c, '/' | '>')) {
        return None;
    }
    // A tag rarely continues on another line, and searching further for the ends of unclosed tags would take quadratic
    // time.
    let line = after.find(['\n', '<']).map_or(after, |end| &after[..end]);
    let end = line.find('>')?;
    let whole = &text[..=(text.len() - after.len() + end)];
    Some(Tag { name: name_at[..length].to_ascii_lowercase(), whole })
}

/// Converts `text` to HTML, and keeps known tags.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match tag(rest) {
            Some(tag) if KNOWN.contains(&tag.name.as_str()) => {
                out.push_str(tag.whole);
                rest = &rest[tag.whole.len()..];
            }
            _ => {
                out.push_str("&lt;");
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Converts `text` to HTML, and escapes all tags.
pub(super) fn verbatim(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_tags_stay_and_other_signs_are_text() {
        assert_eq!(
            escaped("a < b <u>c</u> <script>x</script> <T>"),
            "a &lt; b <u>c</u> &lt;script>x&lt;/script> &lt;T>"
        );
        assert_eq!(escaped("<br/> <div class=\"a\""), "<br/> &lt;div class=\"a\"");
        assert_eq!(tag("<Pre lang=a>x").unwrap(), Tag { name: "pre".to_owned(), whole: "<Pre lang=a>" });
        assert_eq!(verbatim("a<b>&amp;"), "a&lt;b&gt;&amp;amp;");
    }
}
