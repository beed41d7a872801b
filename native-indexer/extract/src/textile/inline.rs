//! Converts links, code and emphasis inside a paragraph.

use crate::html_tags::{escaped, verbatim};
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// Text without markup: `@code@`, `==text==`, `<code>…</code>`.
static KEPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"@(?:\|\w*\|)?([^@\n]+)@|==([^\n]+?)==|<(?:code|notextile|pre)(?:\s[^<>]*)?>([^<\n]*)</(?:code|notextile|pre)>",
    )
});
/// A link, `"words(title)":address`, possibly in brackets.
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"\["([^"\n]+)":([^\s\]]+)\]|"([^"\n]+)":((?:https?|ftp|mailto|file)?[^\s<>"()\[\]|]*[\w/#$=+-])"#)
});
/// A picture with a description: `!picture(description)!`.
static PICTURE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"!(?:[<>=]|\{[^}\n]*\}|\([^)\n]*\))*[^\s!()|]+\.[^\s!()|]+(?:\(([^)\n]*)\))?!(?::\S+)?"));
/// Redmine links and macros.
static WIKI_LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]+))?\]\]"));
static MACRO: LazyLock<Regex> = LazyLock::new(|| pattern(r"\{\{[^{}\n]*\}\}"));
/// Emphasis, for each of its signs, possibly with attributes. A sign inside a word is text.
static EMPHASES: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    [r"\*", "_", r"\?", "%"].map(|sign| {
        pattern(&format!(
            r#"(^|[\s(\[>'"“*_]){sign}{{1,2}}(?:\([^)\s]*\)|\{{[^}}\n]*\}}|\[\w+\])?([^\s{sign}]|[^\s{sign}][^{sign}\n]*[^\s{sign}]){sign}{{1,2}}($|\W)"#
        ))
    })
});
/// Separates a link's words from its attributes and its title.
static TITLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:\([^)\s]*\))?(.+?)(?:\s*\([^()]*\))?$"));

/// Converts a paragraph to HTML.
pub(super) fn to_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for found in KEPT.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        out.push_str(&prose(&text[at..whole.start()]));
        match (found.get(1).or_else(|| found.get(3)), found.get(2)) {
            (Some(code), _) => out.push_str(&format!("<code>{}</code>", verbatim(code.as_str()))),
            (None, Some(kept)) => out.push_str(&verbatim(kept.as_str())),
            (None, None) => {}
        }
        at = whole.end();
    }
    out.push_str(&prose(&text[at..]));
    out
}

fn prose(text: &str) -> String {
    let text =
        PICTURE.replace_all(text, |found: &Captures<'_>| found.get(1).map_or("", |words| words.as_str()).to_owned());
    let text = LINK.replace_all(&text, |found: &Captures<'_>| {
        let words = found.get(1).or_else(|| found.get(3)).map_or("", |words| words.as_str());
        let address = found.get(2).or_else(|| found.get(4)).map_or("", |address| address.as_str());
        let words = TITLE.replace(words, "$1");
        // In `"$":address`, the address also serves as the words.
        if words == "$" { address.to_owned() } else { words.into_owned() }
    });
    let text = WIKI_LINK
        .replace_all(&text, |found: &Captures<'_>| found.get(2).map_or(&found[1], |words| words.as_str()).to_owned());
    let text = MACRO.replace_all(&text, "");
    let mut text = text.into_owned();
    // The second pass finds emphasis inside other emphasis or directly after it.
    for _ in 0..2 {
        for emphasis in EMPHASES.iter() {
            if let Cow::Owned(plain) = emphasis.replace_all(&text, "$1$2$3") {
                text = plain;
            }
        }
    }
    escaped(&text).replace('\n', "<br>\n")
}
