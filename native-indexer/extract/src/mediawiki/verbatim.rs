//! Reads elements with content that is not wiki text, such as code, formulas and unformatted text.

use super::kept::Kept;
use crate::html_tags::{tag, verbatim};
use memchr::memmem;
use std::collections::BTreeSet;

/// Names of elements with content that is not wiki text.
const ELEMENTS: [&str; 15] = [
    "nowiki",
    "pre",
    "syntaxhighlight",
    "source",
    "math",
    "chem",
    "ce",
    "score",
    "code",
    "tt",
    "kbd",
    "samp",
    "timeline",
    "graph",
    "templatedata",
];
/// Names of elements that do not contain text.
const DROPPED: [&str; 4] = ["score", "timeline", "graph", "templatedata"];

/// Reads the elements in a text whose content is not wiki text.
pub(super) struct Verbatim {
    /// The text in lower case, to search for the ends of elements.
    lower: String,
    /// Names of elements without a further end. Their ends are not searched for again.
    endless: BTreeSet<String>,
    has_no_comment_end: bool,
}

impl Verbatim {
    pub(super) fn of(source: &str) -> Self {
        Self { lower: source.to_ascii_lowercase(), endless: BTreeSet::new(), has_no_comment_end: false }
    }

    /// Returns the text for the element or comment at `at` in `source`, and the position of its end. Returns `None` if
    /// there is no element or comment.
    pub(super) fn element(&mut self, source: &str, at: usize, kept: &mut Kept) -> Option<(String, usize)> {
        let rest = &source[at..];
        if rest.starts_with("<!--") {
            if self.has_no_comment_end {
                return None;
            }
            let end = memmem::find(&rest.as_bytes()[4..], b"-->");
            self.has_no_comment_end = end.is_none();
            return Some((String::new(), at + 4 + end? + 3));
        }
        let start = tag(rest).filter(|tag| !tag.whole.starts_with("</") && ELEMENTS.contains(&tag.name.as_str()))?;
        let inside = at + start.whole.len();
        if start.whole.ends_with("/>") {
            return Some((String::new(), inside));
        }
        if self.endless.contains(&start.name) {
            return None;
        }
        let Some(length) = memmem::find(&self.lower.as_bytes()[inside..], format!("</{}", start.name).as_bytes())
        else {
            self.endless.insert(start.name);
            return None;
        };
        let content = &source[inside..inside + length];
        let after = inside + length;
        let end = source[after..].find('>').map_or(source.len(), |end| after + end + 1);
        Some((shown(&start.name, start.whole, content, kept), end))
    }
}

fn shown(name: &str, start: &str, content: &str, kept: &mut Kept) -> String {
    match name {
        _ if DROPPED.contains(&name) => String::new(),
        "pre" => kept.keep(format!("<pre>{}</pre>", without_tags(content))),
        "syntaxhighlight" | "source" => {
            let language = language_of(start);
            let code = verbatim(content.strip_prefix('\n').unwrap_or(content));
            // Content on a single line is a code span.
            if !content.contains('\n') {
                return kept.keep(format!("<code>{}</code>", verbatim(content)));
            }
            kept.keep(format!("<pre><code class=\"language-{language}\">{code}</code></pre>"))
        }
        // Their content may be emphasized, and may contain `nowiki`.
        "code" | "tt" | "kbd" | "samp" => {
            let plain = content.replace("<nowiki>", "").replace("</nowiki>", "").replace("''", "");
            kept.keep(format!("<code>{}</code>", without_tags(&plain)))
        }
        "nowiki" => kept.keep(without_tags(content)),
        _ => kept.keep(verbatim(content)),
    }
}

/// Escapes the tags in `text`, but not its character references, such as `&lt;`.
fn without_tags(text: &str) -> String {
    text.replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns the `lang` attribute of a tag, reduced to the characters of a name.
fn language_of(tag: &str) -> String {
    let value = tag.split_once("lang=").map_or("", |(_, rest)| rest).trim_start_matches(['"', '\'']);
    value.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#')).take(20).collect()
}
