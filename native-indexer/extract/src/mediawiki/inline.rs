//! Converts links, emphasis and notes inside a paragraph.

use crate::html_tags::escaped;
use regex::{Captures, Regex};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Maximum depth of links inside the words of other links, such as the caption of a picture.
const MAX_DEPTH: usize = 5;

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// An external link: `[https://x.org words]`.
static EXTERNAL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\[((?:https?|ftp|mailto|news|irc):[^\s\[\]]+)(?:\s+([^\[\]]*))?\]"));
/// Switches for the wiki software, signatures, and tags that are removed while their content stays.
static SWITCH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"__[A-Z]+__|~{3,5}|</?(?:noinclude|includeonly|onlyinclude|translate|tvar|languages|poem|section|templatestyles|indicator|gallery|nowiki)(?:[\s/|][^<>]*)?>",
    )
});
/// Emphasis.
static QUOTES: LazyLock<Regex> = LazyLock::new(|| pattern(r"'{2,5}"));
/// References to notes without text, and the list of notes. Notes with text are shown in parentheses, where they occur.
static NOTE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)<ref[^<>]*/>|<references[^<>]*/>|</?references[^<>]*>"));
static NOTE_START: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)<ref(?:\s[^<>]*)?>"));
static NOTE_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)</ref>"));
/// Options for the display of a picture.
static PICTURE_OPTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*(?:thumb|thumbnail|frame|framed|frameless|border|left|right|center|none|upright|\d*x?\d+\s*px|(?:alt|link|page|lang|class|upright|thumb|start|end|thumbtime)=.*|baseline|sub|super|top|middle|bottom|text-top|text-bottom)\s*$",
    )
});

/// Converts a paragraph to HTML.
pub(super) fn to_html(text: &str) -> String {
    let text = links(text, 0);
    let text = EXTERNAL.replace_all(&text, |found: &Captures<'_>| {
        let words = found.get(2).map_or("", |words| words.as_str().trim());
        if words.is_empty() { found[1].to_owned() } else { words.to_owned() }
    });
    let text = SWITCH.replace_all(&text, "");
    let text = QUOTES.replace_all(&text, "");
    let text = NOTE.replace_all(&text, "");
    let text = NOTE_START.replace_all(&text, " (");
    let text = NOTE_END.replace_all(&text, ")");
    escaped(&text)
}

/// Replaces links between `[[` and `]]` with their words.
fn links(text: &str, depth: usize) -> String {
    let ends = if depth < MAX_DEPTH { ends(text) } else { BTreeMap::new() };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some((&start, &end)) = ends.range(at..).next() {
        out.push_str(&text[at..start]);
        out.push_str(&link(&text[start + 2..end - 2], depth));
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

/// Returns the position after the matching `]]` for the position of each `[[`.
fn ends(text: &str) -> BTreeMap<usize, usize> {
    let bytes = text.as_bytes();
    let (mut open, mut ends, mut at) = (Vec::new(), BTreeMap::new(), 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"[[" => {
                open.push(at);
                at += 2;
            }
            b"]]" => {
                at += 2;
                ends.extend(open.pop().map(|start| (start, at)));
            }
            _ => at += 1,
        }
    }
    ends
}

/// Returns the words of a link.
fn link(inside: &str, depth: usize) -> String {
    let (target, words) = inside.split_once('|').map_or((inside, None), |(target, words)| (target, Some(words)));
    let target = target.trim();
    if target.starts_with(':') {
        // This is a link to the page of a category or a picture, and not the category or the picture itself.
        return words.unwrap_or(target.trim_start_matches(':')).to_owned();
    }
    let space = target.split_once(':').map(|(space, _)| space.trim().to_lowercase()).unwrap_or_default();
    match space.as_str() {
        "file" | "image" | "media" | "datei" | "bild" | "fichier" | "archivo" | "immagine" | "файл" => {
            // The caption is the last part that is not an option.
            let caption = words.unwrap_or_default().rsplit('|').find(|word| !PICTURE_OPTION.is_match(word));
            return caption.map(|caption| links(caption, depth + 1)).unwrap_or_default();
        }
        "category" | "kategorie" | "catégorie" | "categoría" | "категория" => return String::new(),
        // This is a link to the same page in a different language.
        language
            if words.is_none() && language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase()) =>
        {
            return String::new();
        }
        _ => {}
    }
    match words {
        Some(words) if !words.trim().is_empty() => links(words, depth + 1),
        // A pipe without words hides the namespace and the parentheses, as in `[[Help:Links (wiki)|]]`.
        Some(_) => target.rsplit(':').next().unwrap_or(target).split(" (").next().unwrap_or_default().to_owned(),
        None => target.trim_start_matches('#').replace('_', " "),
    }
}
